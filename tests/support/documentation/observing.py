"""Names used by the Python examples in docs/observing.md."""
