"""Resolves, records, calls and logs in to the servers named on the command line."""
