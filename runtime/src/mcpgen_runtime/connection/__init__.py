"""Transports, sessions and reconnecting."""
