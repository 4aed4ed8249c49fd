"""Recorded tool calls: writing, reading and redacting them."""
