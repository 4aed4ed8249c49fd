"""The runtime of a generated client: from typed arguments to a typed result."""

PACKAGE = __name__.rpartition("._runtime")[0]
"""The package that this runtime belongs to, wherever it was moved."""
