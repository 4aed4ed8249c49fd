"""Reads the files in which MCP hosts and registries list servers."""
