"""The MCP server A server whose title is so long that the registry would not take it as
a description, cut or not, version 1.0.0.
"""
