"""Checks for violations of rules. Each module covers one aspect of a server."""
