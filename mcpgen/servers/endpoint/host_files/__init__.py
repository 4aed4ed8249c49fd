"""The files in which MCP hosts and registries name servers."""
