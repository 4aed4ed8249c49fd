"""Checks of a script before its first call: types, sandbox, and suggested corrections."""
