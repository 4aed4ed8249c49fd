"""Builds and writes the packages of a project, from the cache or anew."""
