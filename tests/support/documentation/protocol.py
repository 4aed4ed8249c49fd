"""Names used by the Python examples in docs/protocol.md."""

line: str
value: dict[str, object]
