"""Keywords that take no longer than a schema and a value justify, for jsonschema.

Patterns run in bounded time. What a reference leads to is asked once for each value,
as two references that lead to two each, and so on, would take for ever.
"""

from __future__ import annotations

import inspect
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from itertools import islice
from typing import Any, TypeAlias, cast

from . import jsonschema_api, patterns
from .jsonschema_api import ValidationError

_Check: TypeAlias = Callable[..., "Iterator[ValidationError] | None"]
_Path: TypeAlias = "tuple[str | int, ...]"
_Answer: TypeAlias = "tuple[object, object, list[tuple[str, _Path]]]"

# What takes too long, is Python's alone or never ends, a number that no float can hold.
UNRUNNABLE = (patterns.UnrunnableError, re.error, OverflowError)
MOST_PROBLEMS = 10
MOST_REFERENCES = 20_000
MOST_NESTED = 10

_FULL = 0.75
_UNEVALUATED = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_TURNING = ("not", "oneOf", "if", "contains", "disallow", *sorted(_UNEVALUATED))
_DYNAMIC = frozenset({"$dynamicRef", "$recursiveRef"})


class _Answers:
    """What references led to while one value was checked.

    Each answer is kept by the identities of the schema that refers and of the value,
    and with both, as an identity is used again when its owner is gone.
    """

    def __init__(self) -> None:
        self.known: dict[tuple[int, int], _Answer] = {}
        self.open: set[tuple[int, int]] = set()
        self.left = MOST_REFERENCES


_answers: ContextVar[_Answers] = ContextVar("answers")


def errors(
    strict: Any, lenient: Callable[[], Any], value: object, most: int = MOST_PROBLEMS
) -> list[ValidationError]:
    """Return the first few ways in which a value breaks a schema.

    ``strict`` is a bounded validator; where it cannot say whether a value is valid, the
    lenient one is asked. Raises ``RecursionError`` of a schema or a value that is too
    deep.
    """
    try:
        return _first(strict, value, most)
    except UNRUNNABLE:
        return _first(lenient(), value, most)


def _first(validator: Any, value: object, most: int) -> list[ValidationError]:
    token = _answers.set(_Answers())
    try:
        return list(islice(validator.iter_errors(value), most))
    finally:
        _answers.reset(token)


def bounded(kind: Any, schema: object) -> Any:
    """Return a kind of validator for a schema that never takes long.

    It raises one of ``UNRUNNABLE`` where it cannot say whether a value is valid.
    """
    keywords: dict[str, Any] = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "$ref": _asked_once(kind.VALIDATORS["$ref"]),
    }
    nodes = list(_nodes(schema))
    if any(not _DYNAMIC.isdisjoint(node) for node, _ in nodes):
        # What these lead to depends on the way there.
        dynamic = ("$ref", *(_DYNAMIC & kind.VALIDATORS.keys()))
        keywords |= {name: _counted(kind.VALIDATORS[name]) for name in dynamic}
    longest = _longest_name(nodes)
    for name in _UNEVALUATED & kind.VALIDATORS.keys():
        keywords[name] = _limited(kind.VALIDATORS[name], longest)
    return jsonschema_api.extended(kind, keywords)


def lenient(kind: Any) -> Any:
    """Return a kind of validator that passes over what cannot be run.

    Nothing can then be said of what turns a verdict round.
    """
    checks: dict[str, _Check] = kind.VALIDATORS
    runnable = {name: _run(check) for name, check in checks.items()}
    silent = dict.fromkeys(_TURNING, _say_nothing)
    return jsonschema_api.extended(kind, runnable | silent)


def _nodes(schema: object) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield every object of a schema, and how many unevaluated... it stands within."""
    waiting = [(schema, 0)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, dict):
            node = cast("dict[str, Any]", value)
            yield node, depth
            depth += not _UNEVALUATED.isdisjoint(node)
            waiting += [(inner, depth) for inner in node.values()]
        elif isinstance(value, list):
            waiting += [(inner, depth) for inner in cast("list[object]", value)]


def _longest_name(nodes: list[tuple[dict[str, Any], int]]) -> float:
    """Return how long names may be where jsonschema is to find what was not evaluated.

    It runs patterns in Python's engine then, and asks each part again at each level.
    """
    if any(depth > MOST_NESTED for _, depth in nodes):
        return -1
    named: list[object] = [node.get("patternProperties") for node, _ in nodes]
    by_pattern = [cast("dict[str, object]", n) for n in named if isinstance(n, dict)]
    longest = [patterns.longest(pattern) for each in by_pattern for pattern in each]
    return min(longest, default=math.inf)


# jsonschema calls these with a validator, a keyword's value, a value and the schema.


def _asked_once(follow: _Check) -> _Check:
    def ref(validator: Any, ref: str, value: Any, schema: Any) -> Iterator[Any]:
        answers, key = _answers.get(), (id(schema), id(value))
        if key in answers.known:
            for message, path in answers.known[key][-1]:
                yield jsonschema_api.error(message, path)
            return
        if key in answers.open:
            raise patterns.UnrunnableError  # what applies itself to the same value
        _refuse_depth()
        answers.open.add(key)
        try:
            found = list(
                islice(follow(validator, ref, value, schema) or (), MOST_PROBLEMS)
            )
        finally:
            answers.open.remove(key)
        said = [(error.message, tuple(error.relative_path)) for error in found]
        answers.known[key] = (schema, value, said)
        yield from found

    return ref


def _counted(follow: _Check) -> _Check:
    def ref(*arguments: Any) -> Iterator[Any]:
        answers = _answers.get()
        answers.left -= 1
        if answers.left < 0:
            raise patterns.UnrunnableError
        _refuse_depth()
        yield from follow(*arguments) or ()

    return ref


def _refuse_depth() -> None:
    """Raise ``RecursionError`` while there is room left.

    Where there is none, what is not written in Python panics instead of raising it.
    """
    frame, depth = inspect.currentframe(), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    if depth > _FULL * sys.getrecursionlimit():
        raise RecursionError("a schema or a value that is nested too deeply")


def _run(check: _Check) -> _Check:
    def run(*arguments: Any) -> Iterator[ValidationError]:
        try:
            yield from check(*arguments) or ()
        except UNRUNNABLE:
            return

    return run


def _say_nothing(*_: Any) -> Iterator[ValidationError]:
    return iter(())


def _limited(check: _Check, longest: float) -> _Check:
    def limited(
        validator: Any, wanted: object, value: Any, schema: object
    ) -> Iterator[Any]:
        names = value if validator.is_type(value, "object") else [""]
        if any(len(name) > longest for name in names):
            raise patterns.UnrunnableError
        yield from check(validator, wanted, value, schema) or ()

    return limited


def _pattern(
    validator: Any, pattern: str, value: Any, schema: object
) -> Iterator[ValidationError]:
    del schema
    is_text = validator.is_type(value, "string") and isinstance(value, str)
    if is_text and not patterns.matches(pattern, value):
        yield jsonschema_api.error(f"{value!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Any, by_pattern: Mapping[str, object], value: Any, schema: object
) -> Iterator[ValidationError]:
    del schema
    if validator.is_type(value, "object"):
        for pattern, inner in by_pattern.items():
            for name, item in value.items():
                if patterns.matches(pattern, name):
                    yield from validator.descend(
                        item, inner, path=name, schema_path=pattern
                    )


def _additional_properties(
    validator: Any, allowed: object, value: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    if not validator.is_type(value, "object"):
        return
    by_pattern = schema.get("patternProperties", {})
    known = schema.get("properties", {})
    others = [
        name
        for name in value
        if name not in known
        and not any(patterns.matches(pattern, name) for pattern in by_pattern)
    ]
    if validator.is_type(allowed, "object"):
        for name in others:
            yield from validator.descend(value[name], allowed, path=name)
    elif allowed is False and others:
        named = f"{', '.join(map(repr, others))} {'were' if others[1:] else 'was'}"
        yield jsonschema_api.error(
            f"Additional properties are not allowed ({named} unexpected)"
        )
