"""Data that a JSON Schema allows: readable, and the same for the same seed on every run."""

from mcpgen.schemas.examples.search import NoExampleError, example

__all__ = ["NoExampleError", "example"]
