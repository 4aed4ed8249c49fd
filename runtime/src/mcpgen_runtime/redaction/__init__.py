"""The owner of secrets: known credentials, and the names and patterns of unknown ones."""
