"""Names used by the Python examples in docs/server.md."""
