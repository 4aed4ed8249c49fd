"""Definitions become the files of a package: named, planned, rendered, formatted."""
