"""Compares two schemas value by value."""
