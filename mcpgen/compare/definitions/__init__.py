"""What a server offers, definition by definition: tools, prompts, resources, itself."""
