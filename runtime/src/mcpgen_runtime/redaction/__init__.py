"""Redacts secrets: known credentials, and unknown ones by name and pattern."""
