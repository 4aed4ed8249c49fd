"""One tool call: confirmation, limits, middleware, retries and tasks."""
