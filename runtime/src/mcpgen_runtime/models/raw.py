"""Stores the JSON from which a result or a part of it was built."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cache
from typing import Any, ForwardRef, Literal, cast, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python
from typing_extensions import TypeAliasType

from .formats import text_of
from .objects import Closed, DataclassBase, Open, extras_of


def extras(value: object) -> dict[str, Any]:
    """Return the properties of an object that its schema doesn't name."""
    if isinstance(value, BaseModel):
        return dict(value.model_extra or {})
    if isinstance(value, Open):
        return extras_of(value)
    if isinstance(value, Closed):
        return {}
    raise TypeError(f"{type(value).__name__} isn't an object of this package")


def raw_json(value: object) -> Any:
    """Return the JSON from which a result, or a part of it, was built.

    For a model, or an object created by your code, this is its current content.
    """
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if isinstance(value, list | tuple):
        return [raw_json(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        return {key: raw_json(item) for key, item in cast("dict[str, object]", value).items()}
    if not isinstance(value, Open | Closed):
        return text_of(value)
    try:
        return object.__getattribute__(value, "_raw")
    except AttributeError:
        return to_jsonable_python(value, by_alias=True)


def remember(value: object, raw: Any) -> None:
    """Store the JSON of each part of a result, for :func:`raw_json`."""
    waiting: list[tuple[Any, Any]] = [(value, raw)]
    for part, part_json in waiting:  # which grows meanwhile: results may be deep
        kind = type(cast("object", part))
        if kind is list or kind is tuple:
            _remember_each(part, part_json, waiting)
        elif kind is dict:
            _remember_each(part.values(), [part_json[key] for key in part], waiting)
        elif issubclass(kind, DataclassBase):
            _set_raw(part, part_json)
            attributes = vars(cast("DataclassBase", part))
            for name, wire in _holding(cast("Hashable", kind)):
                if wire in part_json:
                    waiting.append((attributes[name], part_json[wire]))


_set_raw = vars(DataclassBase)["_raw"].__set__
_ATOMS = frozenset({str, int, float, bool, type(None)})


def _remember_each(
    parts: Iterable[Any], values: Iterable[Any], waiting: list[tuple[Any, Any]]
) -> None:
    """Store the JSON of objects without nested ones immediately, and queue the others."""
    simple: type | None = None
    for part, raw in zip(parts, values, strict=True):
        kind = type(cast("object", part))
        if kind is simple:
            _set_raw(part, raw)
        elif kind in _ATOMS:
            continue
        elif issubclass(kind, DataclassBase) and not _holding(cast("Hashable", kind)):
            simple = kind
            _set_raw(part, raw)
        else:
            waiting.append((part, raw))


@cache
def _holding(kind: Hashable) -> tuple[tuple[str, str], ...]:
    """Return the fields of a dataclass that may contain objects, with their JSON names."""
    fields: dict[str, FieldInfo] = vars(kind)["__pydantic_fields__"]
    return tuple(
        (name, name if field.alias is None else field.alias)
        for name, field in fields.items()
        if _may_hold(field.annotation)
    )


def _may_hold(annotation: Any) -> bool:
    """Return True if values of a type may contain objects. Assume so for a named type."""
    if get_origin(annotation) is Literal:
        return False
    inner = get_args(annotation)
    if inner:
        return any(map(_may_hold, inner))
    if isinstance(annotation, type):
        return issubclass(annotation, Open | Closed)
    return isinstance(annotation, str | ForwardRef | TypeAliasType)
