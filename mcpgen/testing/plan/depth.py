"""Plans calls with recursive values of many levels."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.testing.arguments.value_paths import Path, places, with_value
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.plan.subjects import Subject, Subjects


def deep(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield recursive values of 5, 20 and 60 levels, if the schema allows them."""
    schema = subjects.schema(subject)
    for base in subject.good[:1]:
        for path, value, nodes in places(schema.schema, base):
            inner = _nest(schema, base, path, value, nodes)
            for levels in (5, 20, 60) if inner is not None else ():
                changed: Json = base
                for _ in range(levels):
                    changed = inner(changed) if inner else changed
                if is_object(changed) and schema.allows(changed):
                    yield subject.call(changed, f"{levels} levels deep")
            if inner is not None:
                return


def _nest(
    schema: Schema, base: dict[str, Json], path: Path, value: Json, nodes: list[dict[str, Json]]
) -> _Wrap | None:
    """Return a function that nests a value again, if the schema is recursive there."""
    if not path or not is_object(value):
        return None
    for node in nodes:
        properties = node.get("properties")
        for name in properties if is_object(properties) else ():
            for wrapped in ({name: value}, {name: [value]}, {**value, name: [value]}):
                for more in (wrapped, *_complete(wrapped, node)):
                    changed = with_value(base, path, more)
                    if is_object(changed) and schema.allows(changed) and more != value:
                        return _Wrap(path, name, more, value)
    return None


def _complete(wrapped: dict[str, Json], node: dict[str, Json]) -> Iterator[dict[str, Json]]:
    """Yield an object with a value for the single missing property."""
    required, properties = node.get("required"), node.get("properties")
    missing = [name for name in required or () if name not in wrapped] if required else []
    if len(missing) == 1 and is_object(properties):
        part = properties.get(missing[0])
        listed = part.get("enum") if is_object(part) else None
        if is_object(part) and "const" in part:
            yield {**wrapped, missing[0]: part["const"]}
        for value in listed[:3] if is_array(listed) else ():
            yield {**wrapped, missing[0]: value}


class _Wrap:
    """Wraps the value at a path in another value of the same type."""

    def __init__(self, path: Path, name: str, example: dict[str, Json], value: Json) -> None:
        self._path, self._name, self._example = path, name, example
        self._is_list = is_array(example[name]) and not is_array(value)

    def __call__(self, arguments: Json) -> Json:
        changed = arguments
        for step in self._path:
            changed = changed[step]
        inner = [changed] if self._is_list else changed
        return with_value(arguments, self._path, {**self._example, self._name: inner})
