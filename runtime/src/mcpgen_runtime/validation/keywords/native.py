"""Validation with jsonschema-rs, with messages of jsonschema for small values.

If installed, jsonschema-rs is used because it is about a hundred times as fast.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache, cached_property
from importlib import import_module
from itertools import islice
from typing import Any, NamedTuple

from ..regexes import patterns
from . import budgets as limits
from .dialect_translation import LARGEST, TranslatedSchema, numbers, translate

OLDEST = (0, 60, 3)
"""Oldest release whose verdicts were compared with those of jsonschema."""


MOST_ERRORS = 10
"""The maximum number of errors that are reported for a large value."""


class NativeProblem(NamedTuple):
    """An error in a value. ``path`` holds the keys and indexes from the root."""

    path: list[str | int]
    message: str


class NativeValidator:
    """Validator of a schema on which both libraries agree."""

    def __init__(self, schema: object) -> None:
        """Store a valid schema. It is compiled for the first value."""
        self._schema = schema

    def surely_allows(self, value: object) -> bool:
        """Return True if a value is valid. False means that this isn't known."""
        return self._verdict(value) is True

    def problems_of_large(self, value: object) -> list[NativeProblem] | None:
        """Return the errors of a large value, or None if jsonschema has to decide.

        The list is empty if the value is allowed, however small it is.
        """
        verdict = self._verdict(value)
        if verdict is not False:
            return [] if verdict else None
        assert self._ready is not None
        validator, translation = self._ready
        if not limits.is_large(value):
            return None
        errors = _call_library(lambda: [*islice(validator.iter_errors(value), MOST_ERRORS)])
        if not errors:
            return None
        problems: list[NativeProblem] = []
        for error in errors:
            message = _with_own_patterns(error.message, translation)
            problem = NativeProblem(error.instance_path, message)
            if problem not in problems:  # one pattern may have become several
                problems.append(problem)
        return problems

    def _verdict(self, value: object) -> bool | None:
        """Return whether a value is valid, or None if the library can't be trusted."""
        if self._ready is None:
            return None
        validator, translation = self._ready
        verdict: bool | None = _call_library(lambda: _allows(validator, translation, value))
        return verdict

    @cached_property
    def _ready(self) -> tuple[Any, TranslatedSchema] | None:
        library = _library()
        translation = None if library is None else _call_library(lambda: translate(self._schema))
        if translation is None:
            return None
        validator = _call_library(lambda: _build_validator(library, translation))
        return None if validator is None else (validator, translation)


def _with_own_patterns(message: str, translation: TranslatedSchema) -> str:
    """Return a message with the schema's own patterns."""
    for written, pattern in translation.patterns.items():
        forbidden = f'{{"pattern":{json.dumps(written)},"type":"string"}} is not allowed for '
        if message.startswith(forbidden):
            return f'{message.removeprefix(forbidden)} does not match "{pattern}"'
        message = message.replace(f'"{written}"', f'"{pattern}"')
    return message


def surely_covers(wide: object, narrow: object) -> bool:
    """Return True if a schema certainly allows every value that another one allows.

    False means unknown, for example because the library isn't installed.
    """
    library = _library()
    if library is None:
        return False
    return _call_library(lambda: _covers(library, wide, narrow)) is True


def _covers(library: Any, wide: object, narrow: object) -> bool:
    translations = translate(wide), translate(narrow)
    canonical = [
        library.canonicalize(
            translation.schema,
            draft=library.Draft202012 if translation.is_latest else library.Draft201909,
            validate_formats=False,
            offline=True,
            pattern_options=library.RegexOptions(),
        )
        for translation in translations
        if translation is not None
    ]
    if len(canonical) < len(translations):
        return False
    return bool(canonical[0].covers(canonical[1]).value == "yes")


def _allows(validator: Any, translation: TranslatedSchema, value: object) -> bool | None:
    from pydantic_core import to_json

    text = to_json(value)  # raises for strings that aren't text, and for too many levels
    if translation.max_depth is not None and limits.is_deeper(value, translation.max_depth):
        return None
    if not limits.spend(translation.weight * len(text) // patterns.QUICK, len(text)):
        return None
    if translation.compared or translation.whole or b"NaN" in text or b"Infinity" in text:
        for number in numbers(value):
            if isinstance(number, float) and (
                not abs(number) < LARGEST or (translation.whole and number.is_integer())
            ):
                return None
    return bool(validator.is_valid(value))


@cache
def _library() -> Any:
    """Return the library, or None if it is missing or too old."""
    try:
        library: Any = import_module("jsonschema_rs")
        release = import_module("importlib.metadata").version("jsonschema-rs")
        is_known = tuple(map(int, release.split(".")[:3])) >= OLDEST
    except (ImportError, ValueError):
        return None
    return library if is_known else None


def _build_validator(library: Any, translation: TranslatedSchema) -> Any:
    kinds = library.Draft201909Validator, library.Draft202012Validator
    return kinds[translation.is_latest](
        translation.schema,
        validate_formats=False,
        retriever=_refuse,
        pattern_options=library.RegexOptions(),
    )


def _refuse(uri: str) -> Any:
    """Reject a remote reference. By default the library fetches it."""
    raise LookupError(uri)


def _call_library(ask: Callable[[], Any]) -> Any:
    """Return the library's response, or None if it raises or panics."""
    try:
        return ask()
    except Exception:
        return None
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # a fault of its own, in Rust
            return None
        raise
