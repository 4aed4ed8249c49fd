"""Asks a running server what it offers, and keeps its raw answers as a contract."""
