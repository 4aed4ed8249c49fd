"""What the Python in docs/agents.md takes for granted: it imports all that it uses."""
