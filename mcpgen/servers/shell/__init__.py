"""Calls and lists tools at the command line, without a generated package."""
