"""Adapters that offer a client's tools to models."""
