"""Contract tests of a live server."""
