"""Shortens schemas: defines repeated subschemas once, and refers to them."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.schemas.validation.references import subschemas

_TO_DEFINITION = re.compile(r"#/(?:\$defs|definitions)/[^/]+")
_ANCHORS = ("$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef")
_LEAST = 60
"""Minimum length of a subschema for which a reference is shorter."""


def hoist(schema: Json) -> Json:
    """Define each repeated subschema once. The schema allows the same values.

    A schema whose parts can't be moved is returned unchanged.
    """
    if not is_object(schema) or not _can_be_moved(schema):
        return schema
    own = schema.get("$defs")
    definitions = own if is_object(own) else {}
    names = (name for n in itertools.count(1) if (name := f"P{n}") not in definitions)
    repeated = {text: next(names) for text in _repeated_subschemas(schema)}
    if not repeated:
        return schema
    candidates = {id(part) for _, part in subschemas(schema)} - {id(schema)}
    sharing = _Sharing(candidates, repeated)
    root: dict[str, Json] = sharing.inside(schema)
    return {**root, "$defs": {**root.get("$defs", {}), **sharing.definitions}}


def _can_be_moved(schema: Json) -> bool:
    """Return True if all references lead to definitions, so that subschemas can move."""
    for pointer, part in subschemas(schema):
        ref = part.get("$ref")
        if isinstance(ref, str) and not _TO_DEFINITION.fullmatch(ref):
            return False
        if (pointer and "$id" in part) or not part.keys().isdisjoint(_ANCHORS):
            return False
    # In dialects older than 2020-12, the siblings of $ref are ignored.
    return "definitions" not in schema


def _repeated_subschemas(schema: Json) -> list[str]:
    """Return repeated subschemas as JSON. Nested repetitions aren't counted again."""
    repeated_ids = {id(part) for _, part in subschemas(schema)} - {id(schema)}
    counts: Counter[str] = Counter()
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if is_object(value):
            if id(value) in repeated_ids:
                text = compact(value)
                counts[text] += 1
                if counts[text] > 1:
                    continue
            waiting += reversed(value.values())
        elif is_array(value):
            waiting += reversed(value)
    return [text for text, count in counts.items() if count > 1 and len(text) >= _LEAST]


@dataclass(slots=True)
class _Sharing:
    """Copies a schema, replacing repeated subschemas by references."""

    candidates: Set[int]
    names: Mapping[str, str]
    definitions: dict[str, Json] = field(default_factory=dict[str, Json])

    def copy(self, value: Json) -> Json:
        """Return a copy of a value, or a reference to its definition."""
        name = self.names.get(compact(value)) if id(value) in self.candidates else None
        if name is None:
            return self.inside(value)
        if name not in self.definitions:
            self.definitions[name] = self.inside(value)
        return {"$ref": f"#/$defs/{name}"}

    def inside(self, value: Json) -> Json:
        """Return a value whose parts are copied so."""
        if is_object(value):
            return {key: self.copy(inner) for key, inner in value.items()}
        if is_array(value):
            return [self.copy(inner) for inner in value]
        return value


def compact(value: Json) -> str:
    """Return a value as the shortest JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
