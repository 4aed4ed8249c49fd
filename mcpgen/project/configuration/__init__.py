"""Reads and validates the table `[tool.mcpgen]`."""
