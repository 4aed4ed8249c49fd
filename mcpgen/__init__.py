"""Typed Python clients and servers, generated from the definitions of MCP servers."""

__version__ = "0.2.0"
