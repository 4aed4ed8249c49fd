"""Hostile text in every field of every message, and what must become of it."""
