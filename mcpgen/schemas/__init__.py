"""JSON schemas: validation, inferred types and example values."""
