"""Finds the values that a view allows by ``type``, ``enum`` and ``const``."""

from __future__ import annotations

from typing import TypeAlias

from mcpgen.compare.schemas.views.kinds import Kind, equality_key, kind_of
from mcpgen.compare.schemas.views.view import View
from mcpgen.jsontext import Json, is_array

Enumeration: TypeAlias = "dict[str, Json]"
"""Values by their equality key."""


def enumeration(view: View) -> Enumeration | None:
    """Return the values of ``enum`` and ``const``, or None without either."""
    allowed: Enumeration | None = None
    lists = [value for value, _ in view.occurrences("enum") if is_array(value)]
    lists += [[value] for value, _ in view.occurrences("const")]
    for values in lists:
        listed = {equality_key(value): value for value in values}
        allowed = listed if allowed is None else {k: allowed[k] for k in allowed if k in listed}
    return allowed


def enumeration_of(kind: Kind, view: View) -> Enumeration | None:
    """Return the enumerated values of a type, or None if the type isn't limited to them."""
    allowed = enumeration(view)
    if allowed is None or kind == "null":
        return None
    of_kind = {key: value for key, value in allowed.items() if kind_of(value) == kind}
    return None if kind == "boolean" and len(of_kind) == 2 else of_kind


def allows(view: View, kind: Kind) -> bool:
    """Return True if a value of this type may be valid."""
    for value, _ in view.occurrences("type"):
        types = value if is_array(value) else [value]
        if kind not in types and not (kind == "number" and "integer" in types):
            return False
    allowed = enumeration(view)
    return allowed is None or any(kind_of(value) == kind for value in allowed.values())


def is_integer(view: View) -> bool:
    """Return True if the numbers of a view are integers."""
    for value, _ in view.occurrences("type"):
        types = value if is_array(value) else [value]
        if "integer" in types and "number" not in types:
            return True
    numbers = [v for v in (enumeration(view) or {}).values() if kind_of(v) == "number"]
    return bool(numbers) and all(value == value // 1 for value in numbers)
