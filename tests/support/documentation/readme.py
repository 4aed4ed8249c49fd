"""Names used by the Python examples in README. There are none."""
