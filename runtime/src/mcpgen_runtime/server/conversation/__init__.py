"""Requests to the client: a form for its user, or sampling with its model."""
