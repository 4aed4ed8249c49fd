"""Compares a tool of both contracts: descriptions, hints, execution and schemas."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.compare.definitions import descriptions, hints, metadata, tool_schemas
from mcpgen.compare.definitions.tool_schemas import SIDES, Side, ToolSchema
from mcpgen.compare.definitions.versions import Versions
from mcpgen.contract.definitions import Schema, Tool
from mcpgen.findings.change import ABSENT, Change, is_same
from mcpgen.jsontext import Json, is_object
from mcpgen.schemas.validation import schemas

_OLDER = ("http://json-schema.org/draft-07/schema", "http://json-schema.org/draft-04/schema")


def in_older_dialect(raw: Json) -> Schema | None:
    """Parse a schema without a declared dialect in an older dialect, or return None if it isn't
    valid in any.

    A tuple as an array in ``items``, or a boolean ``exclusiveMinimum``, is invalid in the default
    dialect, but has a meaning in an older one.
    """
    if not is_object(raw) or "$schema" in raw:
        return None
    for uri in _OLDER:
        schema = {**raw, "$schema": uri}
        if schemas.problem(schema) is None:
            return Schema(schema, uri)
    return None


_KNOWN = frozenset(
    "name title description inputSchema outputSchema annotations execution icons _meta".split()
)
_OF_READING = frozenset({"I24", "O24", "U02"})
"""Rules about the chosen dialect, and about descriptions, which another rule covers."""


def compare(tool: Versions) -> Iterator[Change]:
    """Compare everything in a tool except its schemas."""
    yield from _texts(tool)
    yield from hints.compare(tool.inner("annotations"))
    yield from _execution(tool.inner("execution"))
    yield from metadata.compare(tool, _KNOWN)
    yield from descriptions.misleading_in(tool)


def _texts(tool: Versions) -> Iterator[Change]:
    names = [name for raw in (tool.old, tool.new) if isinstance(name := raw.get("name"), str)]
    yield from descriptions.text("D01", tool, "description")
    yield from descriptions.title(tool, names)
    yield from descriptions.title(tool.inner("annotations"), names)


def _execution(execution: Versions) -> Iterator[Change]:
    for key in execution.changed_keys():
        rule = _task_rule(*execution.values(key)) if key == "taskSupport" else "D09"
        yield execution.change(rule, key)


def _task_rule(old: Json, new: Json) -> str:
    if (old, new) in ((ABSENT, "forbidden"), ("forbidden", ABSENT)):
        return "T05d"
    if new is ABSENT:
        return "T05c"
    if new == "optional":
        return "T05b"
    return "T05"


def compare_schemas(tool: Versions, old: Tool, new: Tool, *, channels: bool) -> Iterator[Change]:
    """Compare the schemas of a tool. See ``compare.contracts`` for ``channels``."""
    for item in SIDES:
        read = (old.input, new.input) if item == "input" else (old.output, new.output)
        yield from _schemas(item, tool, read, channels=channels)
    if old.wrapped != new.wrapped and old.output is not None and new.output is not None:
        pointers, values = tool.pointers_of("outputSchema"), (old.wrapped, new.wrapped)
        yield Change("O15", tool.subject, "output", *pointers, *values)


def _schemas(
    tool_type: Side, tool: Versions, read: tuple[Schema | None, Schema | None], *, channels: bool
) -> Iterator[Change]:
    """Compare the input or output schemas. A missing or invalid schema is None."""
    key = f"{tool_type}Schema"
    schema = ToolSchema(tool_type, tool.subject, *tool.pointers_of(key))
    old, new = read
    raws = tool.old.get(key), tool.new.get(key)
    if old is not None and new is not None:
        yield from tool_schemas.compare(schema, old, new, channels=channels)
    elif raws != (None, None) and not is_same(*raws):
        yield _unusable(schema, read, raws)
        yield from _reread(schema, read, raws)


def _unusable(
    schema: ToolSchema, read: tuple[Schema | None, Schema | None], raws: tuple[Json, Json]
) -> Change:
    """Return the change of a schema that exists, or is usable, in only one version."""
    subject, tool_type = schema.subject, schema.tool_type
    pointers = schema.old_pointer, schema.new_pointer
    if tool_type == "output" and None in raws:
        if raws[1] is None:
            return Change("O01", subject, tool_type, pointers[0], "", raws[0])
        return Change("O02", subject, tool_type, "", pointers[1], ABSENT, raws[1])
    if read == (None, None):
        detail = "both schemas are invalid"
        return Change("U01", subject, tool_type, *pointers, *raws, detail)
    return Change("T07" if read[1] is None else "T07b", subject, tool_type, *pointers, *raws)


def _reread(
    schema: ToolSchema, read: tuple[Schema | None, Schema | None], raws: tuple[Json, Json]
) -> Iterator[Change]:
    """Compare schemas that are only valid in an older dialect that they don't declare."""
    if None in raws:
        return
    old, new = (schema_ or in_older_dialect(raw) for schema_, raw in zip(read, raws, strict=True))
    if old is None or new is None:
        return
    for change in tool_schemas.compare(schema, old, new):
        if change.rule not in _OF_READING:
            yield change
