"""Generates readable data that a JSON Schema allows. The same seed gives the same data."""

from mcpgen.schemas.examples.search import NoExampleError, example

__all__ = ["NoExampleError", "example"]
