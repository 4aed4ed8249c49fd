"""Keywords of jsonschema in bounded time."""
