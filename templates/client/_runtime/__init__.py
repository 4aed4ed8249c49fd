"""What every generated method calls: from typed arguments to a typed result."""

PACKAGE = __name__.rpartition("._runtime")[0]
"""The package that this runtime belongs to, wherever it was moved."""
