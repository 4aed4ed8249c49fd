"""What one schema says of a value: its parts, types, properties and branches."""
