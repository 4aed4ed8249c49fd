"""Names used by the Python examples in docs/replay.md."""
