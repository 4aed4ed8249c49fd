"""What the Python in docs/protocol.md takes for granted."""

line: str
value: dict[str, object]
