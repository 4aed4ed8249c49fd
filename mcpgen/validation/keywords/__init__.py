"""Keywords of jsonschema in bounded time; copied into packages, so that both agree."""
