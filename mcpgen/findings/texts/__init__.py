"""Strings in a definition, and the characters in them that mislead a reader."""
