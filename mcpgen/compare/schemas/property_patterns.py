"""The names that ``patternProperties`` match, where that can be found out in bounded time."""

from __future__ import annotations

from mcpgen_runtime.validation.regexes import patterns


def is_slow(pattern: str) -> bool:
    """Say whether a pattern may take long to match, or cannot be read: it is never tried then."""
    return not patterns.is_linear(pattern)


def matches(pattern: str, name: str) -> bool:
    """Say whether a name matches a pattern that can be tried."""
    if is_slow(pattern):
        return False
    try:
        return patterns.matches(pattern, name)
    except patterns.UnrunnableError:
        return False
