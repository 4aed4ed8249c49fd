"""Schemas with and without examples."""

from __future__ import annotations

SEEDS = range(4)
