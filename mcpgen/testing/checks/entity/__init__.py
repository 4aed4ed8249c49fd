"""Checks of tools that create, show, list, change and delete one kind of entity."""
