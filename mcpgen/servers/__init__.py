"""Finds the server behind a command-line argument, records it, calls it, logs in."""
