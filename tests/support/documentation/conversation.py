"""What the Python in docs/conversation.md takes for granted: nothing."""
