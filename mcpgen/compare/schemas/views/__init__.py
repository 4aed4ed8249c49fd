"""Views of a value by one schema: its parts, types, properties and branches."""
