"""Compares the definitions of two contracts: tools, prompts, resources, and the server itself."""
