"""Requests to the client: a form for its user, or a message of its model."""
