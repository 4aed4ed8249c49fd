"""Schemas and messages judged exactly, and what in definitions no specification allows."""
