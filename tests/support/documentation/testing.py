"""Names used by the Python examples in docs/testing.md."""
