"""What the Python in docs/server.md takes for granted."""
