"""Validation of values by schemas, of messages by the protocol, and checks of definitions."""
