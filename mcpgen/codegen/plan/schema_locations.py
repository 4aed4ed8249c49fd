"""The positions of types in a package: the definitions of all schemas of its tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from mcpgen.codegen.plan.tool_types import ToolType
from mcpgen.jsonpointer import escape
from mcpgen.schemas.types import Definition

Sides: TypeAlias = "Mapping[str, tuple[ToolType | None, ToolType | None]]"
"""The arguments and the result of each tool, where a schema says them."""

Group: TypeAlias = "tuple[SchemaLocation, ...]"
"""The places of one type, the first of them first."""

ARGUMENTS = "inputSchema"
RESULT = "outputSchema"


@dataclass(frozen=True, slots=True)
class SchemaLocation:
    """A definition, by its tool, the schema of it and the JSON pointer in that."""

    tool: str
    key: str
    pointer: str

    def __str__(self) -> str:
        """Return the place as a JSON pointer into the contract, as notices have it."""
        return f"/tools/{escape(self.tool)}/{self.key}{self.pointer}"

    def near(self, pointer: str) -> SchemaLocation:
        """Return another place of the same schema."""
        return SchemaLocation(self.tool, self.key, pointer)

    @property
    def order(self) -> tuple[str, str, int, str]:
        """Sort key of a position: tools by name, outermost first."""
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
    """Return the name that a tool itself has for a type."""
    return side_of(tool_types, location).names[location.pointer]
