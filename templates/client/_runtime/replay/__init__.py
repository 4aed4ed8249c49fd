"""Calls that are written into a file as they are made, or answered out of one."""
