"""Hostile strings in every field of every message, and the required outcome."""
