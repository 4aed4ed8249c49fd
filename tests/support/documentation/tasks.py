"""Names used by the Python examples in docs/tasks.md."""
