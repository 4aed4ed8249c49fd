"""What `[tool.mcpgen]` in pyproject.toml says, and what it makes of its contracts: no server."""
