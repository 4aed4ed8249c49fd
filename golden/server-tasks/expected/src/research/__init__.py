"""The MCP server research, version 1.0.0."""
