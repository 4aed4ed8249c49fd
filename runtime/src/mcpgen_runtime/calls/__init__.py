"""Calls: confirmation, limits, middleware, retries and tasks."""
