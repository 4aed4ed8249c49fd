"""Calls as they are recorded, one a line: written, read, without secrets, found again.

Copied into generated packages, so nothing is imported but the standard library.
"""
