"""Reads `[tool.mcpgen]` from pyproject.toml and builds its packages, without contacting servers."""
