"""Describes the constraints of a schema in sentences, unless its type expresses them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TypeAlias

from mcpgen.jsontext import Json, Written
from mcpgen.schemas.types.nodes import Node, Scalar, Union

Facts: TypeAlias = "Iterable[tuple[str, Json]]"
"""Keywords with what they say."""

_LONGEST = 120
_SAFE = 2**53 - 1
"""The largest number that every reader of JSON keeps: as a bound, it says nothing of a value."""

_WIDTHS = frozenset({"int32", "int64", "float", "double"})


def sentences(facts: Facts, node: Node | None, *, is_typed: bool) -> str:
    """Return a sentence for each constraint beyond the type. Long ones are left out.

    If ``is_typed``, the annotation expresses the format that ``node`` has.
    """
    keywords = dict(facts)
    if "format" in keywords and _is_stated(keywords["format"], node, is_typed=is_typed):
        del keywords["format"]
    return _join_sentences(Written.from_value(keywords)) if keywords else ""


@lru_cache(maxsize=1_000)
def _join_sentences(keywords: Written) -> str:
    return " ".join(text for text in _sentences(keywords.value) if len(text) <= _LONGEST)


def _is_stated(form: Json, node: Node | None, *, is_typed: bool) -> bool:
    """Return True if the annotation expresses a format, or the format is only a width."""
    scalars = [
        alternative for alternative in _alternatives(node) if isinstance(alternative, Scalar)
    ]
    is_number = any(scalar.kind in ("integer", "number") for scalar in scalars)
    if is_number and form in _WIDTHS:
        return True
    return is_typed and any(scalar.format == form and not scalar.bounds for scalar in scalars)


def _alternatives(node: Node | None) -> tuple[Node | None, ...]:
    return node.members if isinstance(node, Union) else (node,)


def _sentences(keywords: Mapping[str, Json]) -> Iterator[str]:
    """Yield a sentence for each constraint, the default last."""
    if keywords.get("deprecated") is True:
        yield "Deprecated."
    if isinstance(keywords.get("pattern"), str):
        yield f"Pattern: {keywords['pattern']}."
    if isinstance(keywords.get("format"), str):
        yield f"Format: {keywords['format']}."
    yield from _bounds(keywords)
    yield from _count_sentences(keywords, "Length", "character")
    yield from _count_sentences(keywords, "Items", "item")
    if "multipleOf" in keywords:
        yield f"A multiple of {_json(keywords['multipleOf'])}."
    # A default of null only means that the argument may be absent.
    if keywords.get("default") is not None:
        yield f"Default: {_json(keywords['default'])}."


def _bounds(keywords: Mapping[str, Json]) -> Iterator[str]:
    low, over = _number(keywords.get("minimum")), _number(keywords.get("exclusiveMinimum"))
    high, under = _number(keywords.get("maximum")), _number(keywords.get("exclusiveMaximum"))
    if keywords.get("exclusiveMinimum") is True:  # in draft-04, the bound itself is then excluded
        low, over = None, low
    if keywords.get("exclusiveMaximum") is True:
        high, under = None, high
    if low is not None and high is not None and over is under is None:
        yield f"{_range_text(low, high)}."
        return
    bounds = {"at least": low, "more than": over, "at most": high, "less than": under}
    text = ", ".join(
        f"{token} {_json(bound)}" for token, bound in bounds.items() if bound is not None
    )
    if text:
        yield f"{text[0].upper()}{text[1:]}."


def _number(value: Json) -> int | float | None:
    """Return a bound, or None if it is invalid or always satisfied."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if -_SAFE < value < _SAFE else None


def _range_text(low: int | float, high: int | float) -> str:
    return f"Exactly {_json(low)}" if low == high else f"{_json(low)} to {_json(high)}"


def _count_sentences(keywords: Mapping[str, Json], what: str, noun: str) -> Iterator[str]:
    low, high = _number(keywords.get(f"min{what}")), _number(keywords.get(f"max{what}"))
    nouns = noun if (high or low) == 1 else f"{noun}s"
    if low and high is not None:
        yield f"{_range_text(low, high)} {nouns}."
    elif low:
        yield f"At least {_json(low)} {nouns}."
    elif high is not None:
        yield f"At most {_json(high)} {nouns}."


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
