"""Checks of tools that list in pages, or up to a limit."""
