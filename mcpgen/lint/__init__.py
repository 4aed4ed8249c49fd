"""Finds improvements for a server's author, by rules."""
