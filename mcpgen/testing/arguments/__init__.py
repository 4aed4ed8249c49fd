"""Arguments for tools: known and made up, near the limits of a schema, and only safe ones."""
