"""What the Python in README takes for granted: nothing."""
