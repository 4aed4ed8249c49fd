"""The table `[tool.mcpgen]`: read, validated, as values."""
