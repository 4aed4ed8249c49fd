"""The rules of `lint`, as data."""
