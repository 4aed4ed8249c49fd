"""Regular expressions of remote text, compiled without a word and never run for long."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

_LONGEST_TEXT = 2000
"""How much of a text is searched by what only Python's engine can run."""


def compiled(pattern: str) -> re.Pattern[str] | None:
    """Return a pattern as Python reads it, ``None`` if it cannot; it warns of nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return None


def found(pattern: str, text: str) -> bool | None:
    """Say whether a pattern is found in a text, ``None`` where it cannot be run."""
    search = _search(pattern)
    return search(text) if search else None


@cache
def _search(pattern: str) -> Callable[[str], bool] | None:
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    expression = compiled(pattern)
    if expression is None:
        return None
    try:
        # Its engine takes no longer than the text is; Python's may take for ever to find nothing.
        linear: Any = SchemaValidator(core_schema.str_schema(pattern=pattern))
    except (SchemaError, UnicodeError):
        return lambda text: expression.search(text[:_LONGEST_TEXT]) is not None
    return lambda text: bool(linear.isinstance_python(text))
