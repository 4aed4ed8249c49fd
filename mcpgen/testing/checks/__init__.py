"""Runs test cases. Each check runs one kind of case and returns verdicts, without keeping state."""
