"""Plans the test cases. Each module plans them for the check with the same name."""
