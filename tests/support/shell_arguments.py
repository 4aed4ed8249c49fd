"""Tools for calls from a command line."""

from __future__ import annotations

TEXT, WHOLE, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
