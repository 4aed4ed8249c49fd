"""Names used by the Python examples in README. Currently none are needed."""
