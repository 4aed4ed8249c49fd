"""Names used by the Python examples in docs/contract-tests.md."""
