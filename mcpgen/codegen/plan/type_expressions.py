"""Writes a node of an inferred type as a Python type expression, and collects its imports."""

from __future__ import annotations

from collections.abc import Mapping as Names
from collections.abc import Sequence as Listed
from dataclasses import dataclass, field
from typing import TypeAlias

from mcpgen.codegen import escaping, naming
from mcpgen.codegen.plan.imports import Imports
from mcpgen.codegen.plan.package import Style
from mcpgen.errors import unforeseen
from mcpgen.schemas.types import Definition, Member, Record, contains_itself, discriminator
from mcpgen.schemas.types.nodes import (
    NULL,
    Anything,
    Bounds,
    Choice,
    Fixed,
    Mapping,
    Never,
    Node,
    Reference,
    Scalar,
    Sequence,
    Union,
    union,
)

Partners: TypeAlias = "Listed[tuple[str, str]]"
"""Classes by module and name. The module is empty for the current one."""

_EXACT = {"integer": "Integer", "number": "Number", "boolean": "Boolean"}
_STATIC = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_MARKERS = {"integer": "Whole", "number": "Numeric"}
_FORMATS = {"date": "Date", "date-time": "DateTime", "uuid": "Uuid", "uri": "Uri"}
_OR_TEXT = {"date": "DateOrText", "date-time": "DateTimeOrText", "uuid": "UuidOrText"}


@dataclass(frozen=True, slots=True)
class TypeExpressions:
    """Writes nodes as annotations: with exact constraints in models, without in signatures.

    With the style ``typeddict``, properties keep their JSON names and dates are strings.
    ``definitions`` are the targets of references, for discriminated unions. ``partners`` maps each
    of them to types that can be passed instead, by module and name. If ``is_parameter``, a list can
    be any sequence, and a dict any mapping. With ``parses_formats``, a string with a format never
    stays a string.
    """

    names: Names[str, str]
    imports: Imports
    exact: bool = True
    is_parameter: bool = False
    style: Style = "dataclass"
    definitions: Names[str, Definition] = field(default_factory=dict[str, Definition])
    partners: Names[str, Partners] = field(default_factory=dict[str, "Partners"])
    parses_formats: bool = False

    def annotation(self, node: Node) -> str:  # noqa: PLR0911 - one for each kind of node
        """Return the annotation of a node."""
        match node:
            case Anything():
                return self.imports.use("typing", "Any")
            case Never():
                return self.imports.runtime("models", "Nothing")
            case Scalar():
                return self._scalar(node)
            case Choice():
                return self._choice(node)
            case Sequence():
                return self._sequence(node)
            case Fixed():
                return f"tuple[{', '.join(map(self.annotation, node.items)) or '()'}]"
            case Mapping():
                return f"{self._dict()}[str, {self.annotation(node.value)}]"
            case Reference():
                return " | ".join([*self._partners(node), self.names[node.pointer]])
            case Union():
                return self._union(node)
            case _:
                raise unforeseen(node)

    def _partners(self, node: Node) -> list[str]:
        """Return alternatives to pass for a definition. In a model only instances are accepted."""
        if not isinstance(node, Reference):
            return []
        partners = self.partners.get(node.pointer, ())
        if not partners or (self.exact and self.has_dict_objects):
            return []
        names = [self.imports.use(module, name) if module else name for module, name in partners]
        if not self.exact:
            return names
        instance = self.imports.use("pydantic", "InstanceOf")
        return [f"{instance}[{name}]" for name in names]

    def _union(self, node: Union) -> str:
        discriminator = self._discriminator(node) if self.exact else ""
        null = [self.annotation(member) for member in node.members if member == NULL]
        members = [member for member in node.members if member != NULL]
        partners = [name for member in members for name in self._partners(member)]
        annotations = [
            self.names[item.pointer] if isinstance(item, Reference) else self.annotation(item)
            for item in members
        ]
        if discriminator:
            value = escaping.string(discriminator)
            field_call = f"{self.imports.use('pydantic', 'Field')}(discriminator={value})"
            annotated = self.imports.use("typing", "Annotated")
            annotations = [f"{annotated}[{' | '.join(annotations)}, {field_call}]"]
        elif self.exact and len(annotations) > 1 and contains_itself(node, self.definitions):
            annotated = self.imports.use("typing", "Annotated")
            by_members = self.imports.runtime("models", "ByMembers")
            annotations = [f"{annotated}[{' | '.join(annotations)}, {by_members}()]"]
        return " | ".join(dict.fromkeys([*partners, *annotations, *null]))

    def _discriminator(self, node: Union) -> str:
        """Return the discriminator of a union of classes, if all have the same name for it."""
        wire = discriminator(node.members, self.definitions)
        fields = {
            self._field_name(member.pointer, wire)
            for member in node.members
            if wire and isinstance(member, Reference)
        }
        return wire if self.has_dict_objects else fields.pop() if len(fields) == 1 else ""

    def _field_name(self, pointer: str, wire: str) -> str:
        body = self.definitions[pointer].body
        names = [member.wire for member in body.members] if isinstance(body, Record) else []
        return naming.members(names, self.style)[wire]

    @property
    def has_dict_objects(self) -> bool:
        """Whether objects are plain dicts."""
        return self.style == "typeddict"

    def _choice(self, node: Choice) -> str:
        values = ", ".join(escaping.scalar(value) for value in node.values)
        choice = f"{self.imports.use('typing', 'Literal')}[{values}]"
        if not self.exact or all(isinstance(value, str) for value in node.values):
            return choice
        exactly = self.imports.runtime("models", "Exactly")
        return f"{self.imports.use('typing', 'Annotated')}[{choice}, {exactly}()]"

    def _sequence(self, node: Sequence) -> str:
        # Pydantic would accept a string as a sequence of ``Any``.
        is_any = self.is_parameter and self._is_any(node.item)
        item = "object" if is_any else self.annotation(node.item)
        return self._with_bounds(f"{self._list()}[{item}]", node.bounds)

    def _is_any(self, node: Node) -> bool:
        body: Node | Record = node
        visited: set[str] = set()
        while isinstance(body, Reference) and body.pointer in self.definitions.keys() - visited:
            visited.add(body.pointer)
            body = self.definitions[body.pointer].body
        return isinstance(body, Anything)

    def _list(self) -> str:
        if not self.is_parameter:
            return "list"
        if self.exact:
            return self.imports.runtime("models", "Sequence")
        return self.imports.use("collections.abc", "Sequence")

    def _dict(self) -> str:
        return self.imports.use("collections.abc", "Mapping") if self.is_parameter else "dict"

    def _scalar(self, node: Scalar) -> str:
        if node.format and not node.bounds and not self.has_dict_objects:
            # A signature needs only the format. A model needs the other types, too.
            names = _FORMATS if self.parses_formats else _FORMATS | _OR_TEXT
            return self.imports.runtime("models", names[node.format])
        static = _STATIC[node.kind]
        if not self.exact:
            return static
        if node.bounds:
            return self._with_bounds(static, node.bounds, _MARKERS.get(node.kind, ""))
        exact = _EXACT.get(node.kind)
        return self.imports.runtime("models", exact) if exact else static

    def _with_bounds(self, static: str, bounds: Bounds, marker: str = "") -> str:
        if not bounds or not self.exact:
            return static
        keywords = ", ".join(f"{name}={value!r}" for name, value in bounds)
        parts = [static, f"{self.imports.use('pydantic', 'Field')}({keywords})"]
        if marker:
            parts.append(f"{self.imports.runtime('models', marker)}()")
        return f"{self.imports.use('typing', 'Annotated')}[{', '.join(parts)}]"

    def sent_property(self, node: Node, *, required: bool) -> tuple[str, str]:
        """Return annotation and default of a property to send. Absent is ``MISSING``."""
        if required:
            return self.annotation(node), _constant(node)
        missing = self.imports.use("pydantic", "MISSING")
        return f"{self.annotation(node)} | {missing}", missing

    def received_property(self, node: Node, *, required: bool) -> tuple[str, str]:
        """Return annotation and default of a received property. Absent is ``None``."""
        if required:
            return self.annotation(node), _constant(node)
        if isinstance(node, Anything) or node == NULL:
            return self.annotation(node), "None"
        if self._may_be_null(node, set()):
            return self.annotation(union([node, NULL])), "None"
        return f"{self.imports.runtime('models', 'Maybe')}[{self.annotation(node)}]", "None"

    def is_sparse(self, member: Member) -> bool:
        """Return True if a received property may be absent and may also be null."""
        return not member.required and self._may_be_null(member.node, set())

    def _may_be_null(self, node: Node, visited: set[str]) -> bool:
        """Return True if a type includes ``null``, even through names."""
        if isinstance(node, Reference):
            body = self.definitions[node.pointer].body
            if isinstance(body, Record) or node.pointer in visited:
                return False
            return self._may_be_null(body, visited | {node.pointer})
        if isinstance(node, Union):
            return any(self._may_be_null(member, visited) for member in node.members)
        return isinstance(node, Anything) or node == NULL

    def with_alias(self, annotation: str, wire: str) -> str:
        """Return an annotation that reads and writes the property by its JSON name."""
        field_call = f"{self.imports.use('pydantic', 'Field')}(alias={escaping.string(wire)})"
        return f"{self.imports.use('typing', 'Annotated')}[{annotation}, {field_call}]"


def _constant(node: Node) -> str:
    """Return the only value of a ``const``, which a constructor fills in, or ``""``."""
    if isinstance(node, Choice) and len(node.values) == 1:
        return escaping.scalar(node.values[0])
    return ""
