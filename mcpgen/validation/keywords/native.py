"""Validates with jsonschema-rs; jsonschema writes the messages about small values.

It is some hundred times as fast as jsonschema, and is used where it is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from importlib import import_module
from itertools import islice
from typing import Any, NamedTuple

from ..regexes import patterns
from . import limits
from .restated import LARGEST, Restated, numbers, restated

OLDEST = (0, 60, 3)
"""The first release whose verdicts were compared with those of jsonschema."""


MOST_ERRORS = 10
"""How many errors of a large value are read."""


class NativeProblem(NamedTuple):
    """One error; ``path`` leads to it from the root of the value."""

    path: list[str | int]
    message: str


class Judge:
    """A schema as jsonschema-rs reads it, if it reads it as jsonschema does."""

    def __init__(self, schema: object) -> None:
        """Take a schema that is valid; no library is asked before there is a value."""
        self._schema = schema

    def surely_allows(self, value: object) -> bool:
        """Say whether a value is surely allowed; ``False`` says nothing."""
        return self._verdict(value) is True

    def problems_of_large(self, value: object) -> list[NativeProblem] | None:
        """Return the errors of a large value, or None if jsonschema has to decide.

        The list is empty if the value is allowed, however small it is.
        """
        verdict = self._verdict(value)
        if verdict is not False:
            return [] if verdict else None
        assert self._ready is not None
        validator, _ = self._ready
        if not limits.is_large(value):
            return None
        errors = _said(lambda: [*islice(validator.iter_errors(value), MOST_ERRORS)])
        return errors and [NativeProblem(e.instance_path, e.message) for e in errors]

    def _verdict(self, value: object) -> bool | None:
        """Return whether a value is allowed, or None if that is not sure."""
        if self._ready is None:
            return None
        validator, said = self._ready
        verdict: bool | None = _said(lambda: _allows(validator, said, value))
        return verdict

    @cached_property
    def _ready(self) -> tuple[Any, Restated] | None:
        library = _library()
        said = None if library is None else _said(lambda: restated(self._schema))
        if said is None:
            return None
        validator = _said(lambda: _built(library, said))
        return None if validator is None else (validator, said)


def surely_covers(wide: object, narrow: object) -> bool:
    """Say whether a schema surely allows all that another one does.

    ``False`` says nothing, as where the library is not installed.
    """
    library = _library()
    if library is None:
        return False
    return _said(lambda: _covers(library, wide, narrow)) is True


def _covers(library: Any, wide: object, narrow: object) -> bool:
    said = restated(wide), restated(narrow)
    canonical = [
        library.canonicalize(
            each.schema,
            draft=library.Draft202012 if each.is_latest else library.Draft201909,
            validate_formats=False,
            offline=True,
            pattern_options=library.RegexOptions(),
        )
        for each in said
        if each is not None
    ]
    if len(canonical) < len(said):
        return False
    return bool(canonical[0].covers(canonical[1]).value == "yes")


def _allows(validator: Any, said: Restated, value: object) -> bool | None:
    from pydantic_core import to_json

    text = to_json(value)  # which raises of what is no text, and of too many levels
    if said.max_depth is not None and limits.is_deeper(value, said.max_depth):
        return None
    if not limits.spend(said.weight * len(text) // patterns.QUICK, len(text)):
        return None
    if said.compared or b"NaN" in text or b"Infinity" in text:
        floats = (n for n in numbers(value) if isinstance(n, float))
        if any(not abs(number) < LARGEST for number in floats):
            return None
    return bool(validator.is_valid(value))


@cache
def _library() -> Any:
    """Return the library, ``None`` where it is not there, or is too old."""
    try:
        library: Any = import_module("jsonschema_rs")
        release = import_module("importlib.metadata").version("jsonschema-rs")
        is_known = tuple(map(int, release.split(".")[:3])) >= OLDEST
    except (ImportError, ValueError):
        return None
    return library if is_known else None


def _built(library: Any, said: Restated) -> Any:
    kinds = library.Draft201909Validator, library.Draft202012Validator
    return kinds[said.is_latest](
        said.schema,
        validate_formats=False,
        retriever=_refuse,
        pattern_options=library.RegexOptions(),
    )


def _refuse(uri: str) -> Any:
    """Fetch nothing: without this the library would."""
    raise LookupError(uri)


def _said(ask: Callable[[], Any]) -> Any:
    """Return what the library says, ``None`` where it fails."""
    try:
        return ask()
    except Exception:
        return None
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # a fault of its own, in Rust
            return None
        raise
