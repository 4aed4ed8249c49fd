"""The version of the runtime."""

__version__ = "0.2.0"

IS_PUBLISHED = False
"""Whether package indexes have ``mcpgen-runtime``. Messages and defaults depend on it."""
