"""Compares generated Python: the names and types that user code depends on."""
