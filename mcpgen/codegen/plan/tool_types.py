"""Names the inferred types of a tool's two schemas: each part that is a class or an alias."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from mcpgen.codegen import identifiers, naming
from mcpgen.contract.definitions import Schema, Tool
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.schemas.types import Definition, InferredType, Record, infer
from mcpgen.schemas.types.nodes import Anything, Reference, references

Role = Literal["client", "server"]
"""The owner of the package: a client sends arguments and receives results, a server the reverse."""


@dataclass(frozen=True, slots=True)
class ToolType:
    """A schema of a tool with its named type: its arguments or its result.

    If ``is_sent``, the package sends such values and doesn't only receive them. ``schema_names``
    are the schema's own names of its parts, by ``$defs`` or a title.
    """

    root: str
    inferred: InferredType
    names: Mapping[str, str]
    arguments: bool
    is_sent: bool
    schema_names: Mapping[str, str]

    @property
    def is_parameter(self) -> bool:
        """Whether a caller of the package passes such values to it."""
        return self.arguments and self.is_sent

    def record(self) -> Record | None:
        """Return the record at the root, if the root is one."""
        body = self.inferred.definitions[""].body if "" in self.inferred.definitions else None
        return body if isinstance(body, Record) else None


def arguments(tool: Tool, method: str, role: Role = "client") -> ToolType | None:
    """Infer and name the arguments of a tool, or return None if they are plain JSON."""
    if tool.input is None:
        return None
    inferred = infer(tool.input.raw, tool.input.dialect, arguments=True)
    is_sent = role == "client"
    root = f"{identifiers.pascal(method)}Input"
    return _side(root, inferred, tool.input.raw, arguments=True, is_sent=is_sent)


def result(tool: Tool, method: str, role: Role = "client") -> ToolType | None:
    """Infer and name the structured content of a tool, or return None without a schema.

    For clients, observed results take precedence. Text has no schema.
    """
    is_sent = role == "server"
    root = f"{identifiers.pascal(method)}Output"
    if tool.observed is not None and not is_sent:
        schema = tool.observed.schema
        if schema is None:
            return None
        inferred = infer(schema.raw, schema.dialect, arguments=False)
        return _side(root, inferred, schema.raw, arguments=False, is_sent=False)
    if tool.output is None:
        return None
    inferred = infer(tool.output.raw, tool.output.dialect, arguments=False)
    if tool.wrapped:
        inferred = _unwrap(inferred, tool.output)
    return _side(root, inferred, tool.output.raw, arguments=False, is_sent=is_sent)


def _unwrap(inferred: InferredType, schema: Schema) -> InferredType:
    """Return the inferred type of the property ``result`` of a wrapping object."""
    record = inferred.definitions[""].body if "" in inferred.definitions else None
    if not isinstance(record, Record):
        return InferredType(Anything(), exact=False)
    inner = next(member for member in record.members if member.wire == "result")
    used: dict[str, Definition] = {}
    waiting = list(references(inner.node))
    while waiting:
        pointer = waiting.pop()
        if pointer not in used:
            used[pointer] = inferred.definitions[pointer]
            waiting += references(used[pointer].body)
    if "" in used:  # the result contains such wrappers itself, and a location has one name
        return InferredType(Anything(), exact=False)
    # Unwrapping checks the constraints of a wrapper that only requires its one property.
    plain = len(record.members) == 1 and set(schema.raw) <= _PLAIN_WRAPPER and inner.required
    return InferredType(inner.node, used, inferred.exact and plain)


_PLAIN_WRAPPER = {"type", "properties", "required", "title", "description", "$defs"} | {
    "x-fastmcp-wrap-result",
    "$schema",
}


def _side(
    root: str, inferred: InferredType, raw: Json, *, arguments: bool, is_sent: bool
) -> ToolType:
    if inferred.root != Reference(""):
        # The root isn't a record, so it becomes an alias like any shared part.
        alias = Definition("", inferred.root, "", "", exact=True)
        inferred = replace(inferred, definitions={**inferred.definitions, "": alias})
    hints = {pointer: d.hint for pointer, d in inferred.definitions.items() if d.hint and pointer}
    hints = {p: hint for p, hint in hints.items() if "Option" in "".join(naming.parts(p)[-1:])}
    names = naming.classes(root, inferred.definitions, hints)
    return ToolType(
        root,
        inferred,
        names,
        arguments,
        is_sent,
        dict(_schema_names(inferred, raw, arguments=arguments)),
    )


def _schema_names(
    inferred: InferredType, raw: Json, *, arguments: bool
) -> Iterator[tuple[str, str]]:
    """Yield the subschemas with names of their own. Arguments are named after their tool."""
    for pointer, definition in inferred.definitions.items():
        if not pointer and (arguments or not isinstance(definition.body, Record)):
            continue
        if name := naming.definition(pointer) or _title(raw, pointer):
            yield pointer, name


def _title(schema: Json, pointer: str) -> str:
    """Return the title at a pointer, unless it is a sentence."""
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if is_array(schema) and key.isdecimal() and int(key) < len(schema):
            schema = schema[int(key)]
        else:
            schema = schema.get(key) if is_object(schema) else None
    title = schema.get("title") if is_object(schema) else None
    return title if isinstance(title, str) and len(title) <= _LONGEST_TITLE else ""


_LONGEST_TITLE = 60


Sides: TypeAlias = "Mapping[str, tuple[ToolType | None, ToolType | None]]"
"""The types of each tool's arguments and result, or None without a schema."""

Group: TypeAlias = "tuple[SchemaLocation, ...]"
"""The locations of one type, in order."""

ARGUMENTS = "inputSchema"
RESULT = "outputSchema"


@dataclass(frozen=True, slots=True)
class SchemaLocation:
    """A definition, identified by its tool, schema and JSON pointer."""

    tool: str
    key: str
    pointer: str

    def __str__(self) -> str:
        """Return the JSON pointer into the contract, as in notices."""
        return f"/tools/{escape(self.tool)}/{self.key}{self.pointer}"

    def near(self, pointer: str) -> SchemaLocation:
        """Return another location in the same schema."""
        return SchemaLocation(self.tool, self.key, pointer)

    @property
    def order(self) -> tuple[str, str, int, str]:
        """The sort key of a location: tools by name, outermost first."""
        return self.tool, self.key, self.pointer.count("/"), self.pointer


def is_result(location: SchemaLocation) -> bool:
    """Return True for the whole result of a tool."""
    return location.key == RESULT and not location.pointer


def side_of(tool_types: Sides, location: SchemaLocation) -> ToolType:
    tool_type = tool_types[location.tool][0 if location.key == ARGUMENTS else 1]
    assert tool_type is not None, location
    return tool_type


def definition_of(tool_types: Sides, location: SchemaLocation) -> Definition:
    return side_of(tool_types, location).inferred.definitions[location.pointer]


def own_name(tool_types: Sides, location: SchemaLocation) -> str:
    """Return the name of a type in its own tool."""
    return side_of(tool_types, location).names[location.pointer]
