"""Builds and writes the packages of a project, or takes them from the cache."""
