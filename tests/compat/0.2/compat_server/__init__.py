"""The MCP server Notes, version 2.1.0."""
