"""What every generated server runs on: from a request to a checked answer."""

PACKAGE = __name__.rpartition("._runtime")[0]
"""The package that this runtime belongs to, wherever it was moved."""
