"""Describes an observed schema position by position, for review and for changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mcpgen.contract.observation.document import Observed, ObservedTool
from mcpgen.jsontext import Json, is_array, is_object

_OPTIONAL = ", optional"
_ROOT = "the answer"


def places(schema: Mapping[str, Json]) -> dict[str, str]:
    """Describe each position, such as ``rows[].note`` as ``string or null, optional``."""
    return dict(_walk(schema, "", is_optional=False))


def _walk(schema: Json, at: str, *, is_optional: bool) -> Iterator[tuple[str, str]]:
    yield at or _ROOT, _words(schema) + (_OPTIONAL if is_optional else "")
    for way in _ways(schema):
        if is_object(items := way.get("items")):
            yield from _walk(items, f"{at}[]", is_optional=False)
        if is_object(values := way.get("additionalProperties")):
            yield from _walk(values, f"{at}{{}}", is_optional=False)
        members: dict[str, Json] = way.get("properties") or {}
        required = way.get("required") or ()
        for name, member in members.items():
            inner = f"{at}.{name}" if at else name
            yield from _walk(member, inner, is_optional=name not in required)


def _ways(schema: Json) -> list[dict[str, Any]]:
    ways = schema.get("anyOf")
    return ways if is_array(ways) else [schema]


def _words(schema: Json) -> str:
    kinds = [kind for way in _ways(schema) for kind in _kinds(way)]
    return " or ".join(sorted(dict.fromkeys(kinds), key=lambda kind: kind == "null"))


def _kinds(way: dict[str, Any]) -> list[str]:
    kinds = way.get("type")
    if kinds is None:
        return ["anything"]
    named: list[str] = kinds if is_array(kinds) else [kinds]
    type_names = {
        "array": "list",
        "object": "map" if "additionalProperties" in way else "object",
        "string": str(way.get("format", "string")),
    }
    return [type_names.get(kind, kind) for kind in named]


def changes(before: ObservedTool, after: ObservedTool) -> list[str]:
    """Describe the changes of a tool's results since an earlier observation."""
    if before.source != after.source:
        return [f"{after.source}, before {before.source}"]
    old, new = places(before.schema or {}), places(after.schema or {})
    result: list[str] = []
    always = 0
    for key in sorted(old.keys() | new.keys()):
        if old.get(key) == new.get(key):
            continue
        if key not in old:
            result.append(f"{key}: new, {new[key]}")
        elif key not in new:
            result.append(f"{key}: removed, previously {old[key]}")
        elif old[key] == new[key] + _OPTIONAL:
            always += 1
        else:
            result.append(f"{key}: {new[key]}, before {old[key]}")
    if always:
        result.append(f"{always} member{'s are' if always > 1 else ' is'} always there")
    return result


def drift(before: Observed, after: Observed) -> list[str]:
    """Describe the differences of two observed files, one line per tool and position."""
    result: list[str] = []
    for name in sorted(before.tools.keys() | after.tools.keys()):
        old, new = before.tools.get(name), after.tools.get(name)
        if old is None and new is not None:
            result.append(f"{name}: observed now, {_answers(new)}")
        elif new is None:
            result.append(f"{name}: no longer observed")
        elif old is not None:
            rests = f"{_answers(new)}, before {old.answers}"
            result += [f"{name}: {change} ({rests})" for change in changes(old, new)]
            if old.definition != new.definition:
                result.append(f"{name}: observed again, as its definition changed ({rests})")
    return result


def expired_entries(observed: Observed, definitions: Mapping[str, str]) -> list[str]:
    """Describe entries that no longer count because their tool has changed."""
    return [
        f"{name}: {'its definition changed' if name in definitions else 'the tool was removed'}, "
        f"so its observations from {_answers(tool)} expire"
        for name, tool in observed.tools.items()
        if definitions.get(name) != tool.definition
    ]


def _answers(tool: ObservedTool) -> str:
    return f"{tool.answers} result{'s' if tool.answers != 1 else ''}"
