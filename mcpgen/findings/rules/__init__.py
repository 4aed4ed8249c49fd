"""The rules of all commands, as data."""
