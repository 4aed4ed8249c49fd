"""Reads the files that users pass to commands: arguments, recorded calls, observed results."""
