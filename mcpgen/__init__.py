"""Typed Python clients and servers, generated from what an MCP server publishes."""

__version__ = "0.1.0"
