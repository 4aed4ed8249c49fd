"""Names used by the Python examples in docs/protocol.md."""

line = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
value: dict[str, object] = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
