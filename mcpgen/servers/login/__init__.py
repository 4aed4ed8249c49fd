"""Logins at servers that want OAuth: kept once, for mcpgen and generated clients."""
