"""Files that models read about a server, and their size in tokens."""
