"""Tool calls that run as tasks (MCP 2025-11-25, basic/utilities/tasks)."""
