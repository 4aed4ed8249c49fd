"""What the Python in docs/testing.md takes for granted."""
