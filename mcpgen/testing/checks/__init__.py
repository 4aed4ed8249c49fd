"""Checks: each runs one case and returns verdicts. They have no state."""
