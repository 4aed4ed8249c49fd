"""Schemas for a reader: what references lead to stands in their place."""

from __future__ import annotations

from dataclasses import dataclass

from mcpgen.jsontext import Json, is_array, is_object, sha256
from mcpgen.schemas.types.resolution import Document

MAX_VALUES = 2000
MAX_FOLLOWED = 20


def inlined(document: Document, schemas: list[Json]) -> Json:
    """Return schemas that all hold as one, with what references lead to in their place."""
    inlining = _Inlining(document)
    complete = [inlining.of(schema, ()) for schema in schemas]
    return complete[0] if len(complete) == 1 else {"allOf": complete} if complete else True


@dataclass(slots=True)
class _Inlining:
    """Follows references while there are few; then a hash of the whole schema stands for them."""

    document: Document
    values_left: int = MAX_VALUES

    def of(self, value: Json, ancestors: tuple[str, ...]) -> Json:
        self.values_left -= 1
        if is_array(value):
            return [self.of(item, ancestors) for item in value]
        if not is_object(value):
            return value
        siblings = {k: self.of(v, ancestors) for k, v in value.items() if k != "$ref"}
        if "$ref" not in value:
            return siblings
        target = self._target(value["$ref"], ancestors)
        return {"allOf": [target, siblings]} if siblings else target

    def _target(self, ref: Json, ancestors: tuple[str, ...]) -> Json:
        target = self.document.resolve(ref) if isinstance(ref, str) else None
        if target is None:
            return {"$ref": ref}
        schema, pointer = target
        if pointer in ancestors:
            return {"$ref": f"{len(ancestors) - ancestors.index(pointer)} up"}
        if self.values_left < 0 or len(ancestors) > MAX_FOLLOWED:
            return {"$ref": f"{ref} of {sha256(self.document.raw)[:12]}"}
        return self.of(schema, (*ancestors, pointer))
