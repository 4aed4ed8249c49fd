"""Validators for the values of `[tool.mcpgen]`. Errors name the key."""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Any, Literal, TypeAlias

from mcpgen.errors import UsageError

Kind: TypeAlias = Callable[[Any, str], Any]


def members(value: Any, kinds: Mapping[str, Kind], at: str) -> dict[str, Any]:
    """Validate each value of a table. Unknown keys are rejected."""
    entries = table(value, at)
    for key in entries:
        if key not in kinds:
            close = difflib.get_close_matches(key.replace("_", "-").lower(), kinds, 1)
            guess = f"did you mean {close[0]!r}? " if close else ""
            hint = f"{guess}known here: {', '.join(kinds)}"
            raise UsageError(f"unknown key {key!r}", at, hint)
    return {key: kinds[key](inner, f"{at}.{key}") for key, inner in entries.items()}


def table(value: Any, at: str) -> dict[str, Any]:
    """Validate a table."""
    if not isinstance(value, dict):
        raise UsageError("expected a table", at)
    return value  # type: ignore[unused-ignore] # pyright: ignore[reportUnknownVariableType]


def text(value: Any, at: str) -> str:
    """Validate a non-empty string."""
    if not isinstance(value, str) or not value or "\0" in value:
        raise UsageError("expected a string", at)
    return value


def flag(value: Any, at: str) -> bool:
    """Validate a boolean."""
    if not isinstance(value, bool):
        raise UsageError("expected true or false", at)
    return value


def text_or_false(value: Any, at: str) -> str | Literal[False]:
    """Validate a non-empty string, or false for none."""
    return False if value is False else text(value, at)


def seconds(value: Any, at: str) -> float:
    """Validate a time limit in seconds, of up to a day."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 86400:
        raise UsageError("expected a number of seconds up to 86400", at)
    return float(value)


def day(value: Any, at: str) -> date:
    """Validate a date, as a TOML date or a string."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            return date.fromisoformat(value)
    if not isinstance(value, date) or isinstance(value, datetime):
        raise UsageError("expected a date", at, "such as: until = 2027-01-31")
    return value


def fingerprint(value: Any, at: str) -> str:
    """Validate the fingerprint of a finding."""
    if not isinstance(value, str) or not re.fullmatch(r"[0-9a-f]{12}", value):
        raise UsageError("expected twelve hexadecimal digits", at, "mcpgen check --live shows it")
    return value


def list_of(kind: Kind) -> Kind:
    """Return the validator of a list whose items have one kind."""

    def items(value: Any, at: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise UsageError("expected a list", at)
        values: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        return tuple(kind(item, f"{at}[{n}]") for n, item in enumerate(values))

    return items


def texts_by_key(value: Any, at: str) -> dict[str, str]:
    """Validate a table of strings."""
    return {key: text(inner, f"{at}.{key}") for key, inner in table(value, at).items()}


def source(value: Any, at: str) -> str | tuple[str, ...]:
    """Validate a source: a string as on the command line, or the words of a command."""
    if isinstance(value, str):
        return text(value, at)
    result: tuple[str, ...] = list_of(text)(value, at)
    if not result:
        raise UsageError("the command has no words", at, 'such as: ["npx", "-y", "some-server"]')
    return result


def one_of(args: Iterable[str]) -> Kind:
    """Return the validator of a string that is one of ``args``."""
    parts = tuple(args)

    def choice(value: Any, at: str) -> str:
        if value not in parts:
            close = difflib.get_close_matches(str(value), parts, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"choose one of: {', '.join(parts)}"
            raise UsageError(f"{value!r} is not known here", at, hint)
        return str(value)

    return choice
