"""Schemas that cannot be used as they stand, read as the older dialect that they seem to be in."""

from __future__ import annotations

from mcpgen.contract.definitions import Schema
from mcpgen.jsontext import Json, is_object
from mcpgen.schemas.validation import schemas

_OLDER = ("http://json-schema.org/draft-07/schema", "http://json-schema.org/draft-04/schema")


def in_older_dialect(raw: Json) -> Schema | None:
    """Read a schema that names no dialect as an older one, ``None`` where none fits.

    A tuple as an array in ``items``, or a boolean ``exclusiveMinimum``, is such a schema: it is not
    valid where no dialect is named, and its author meant something by it.
    """
    if not is_object(raw) or "$schema" in raw:
        return None
    for uri in _OLDER:
        schema = {**raw, "$schema": uri}
        if schemas.problem(schema) is None:
            return Schema(schema, uri)
    return None
