"""The rules of `diff`, as data."""
