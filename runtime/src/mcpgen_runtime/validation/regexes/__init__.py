"""Regular expressions of ECMA-262 in bounded time."""
