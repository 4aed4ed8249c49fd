"""Converts tools for each agent framework, imported on first use."""
