"""Resolves the target of a connection, and opens its transport."""
