"""Generates the files of a package from definitions: names, plans, renders and formats them."""
