"""Names used by the Python examples in docs/finding-tools.md."""
