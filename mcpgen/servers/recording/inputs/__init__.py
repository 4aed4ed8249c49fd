"""Reads the files that people pass to commands: arguments, recorded calls, observed results."""
