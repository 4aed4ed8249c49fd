"""The runtime of a generated server: from a request to a validated answer."""

PACKAGE = __name__.rpartition("._runtime")[0]
"""The package that this runtime belongs to, wherever it was moved."""
