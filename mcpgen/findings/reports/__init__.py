"""Renders the reports of `diff`, `lint`, `test` and `check`, one module per format."""
