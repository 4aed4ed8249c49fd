"""Logs in to servers with OAuth. Logins are stored for mcpgen and generated clients."""
