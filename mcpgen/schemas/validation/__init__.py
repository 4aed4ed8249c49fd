"""Validates values by schemas, messages by the protocol, and definitions."""
