"""The rules of `test`, as data."""
