"""Tools at the command line: called, listed and read without a generated package."""
