"""Finds safe arguments for tools: known, made up, and near the limits of a schema."""
