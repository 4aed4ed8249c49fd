"""How a node of the typed tree is written in Python, and what must be imported for it."""

from __future__ import annotations

from collections.abc import Mapping as Names
from collections.abc import Sequence as Listed
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from mcpgen.codegen import escaping, naming
from mcpgen.codegen.plan.package import Import
from mcpgen.types import Definition, Member, Record, discriminator
from mcpgen.types.nodes import (
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

Style = Literal["dataclass", "basemodel", "typeddict"]
Partners: TypeAlias = "Listed[tuple[str, str]]"
"""Classes by module and name; one without a module stands in the same."""

_EXACT = {"integer": "Integer", "number": "Number", "boolean": "Boolean"}
_STATIC = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_MARKERS = {"integer": "Whole", "number": "Numeric"}
_FORMATS = {"date": "Date", "date-time": "DateTime", "uuid": "Uuid", "uri": "Uri"}


@dataclass(slots=True)
class Imports:
    """Collects what a module uses; an import that is not used is never written."""

    local: str
    names: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])

    def use(self, module: str, name: str) -> str:
        """Note that ``name`` of ``module`` is used, and return it."""
        self.names.setdefault(module, set()).add(name)
        return name

    def runtime(self, module: str, name: str) -> str:
        """Note the use of a name of the package's own runtime."""
        return self.use(f"{self.local}_runtime.{module}", name)

    def add(self, other: Imports) -> None:
        """Note all that another file uses: one in the same folder, or in that above this one's."""
        nearer = self.local.removeprefix(other.local)
        for module, names in other.names.items():
            local = f"{nearer}{module}" if module.startswith(".") else module
            self.names.setdefault(local, set()).update(names)

    def lines(self) -> tuple[Import, ...]:
        """Return the imports in the order of the standard library, packages, this package."""
        found = [
            Import(_group(module), module, tuple(sorted(names, key=_import_order)))
            for module, names in self.names.items()
            if names
        ]
        return tuple(sorted(found, key=lambda line: (line.group, line.module)))


def _group(module: str) -> int:
    if module.startswith("."):
        return 2
    return 1 if module.split(".", maxsplit=1)[0] in ("pydantic", "mcp", "typing_extensions") else 0


def _import_order(name: str) -> tuple[int, str]:
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2, name)


@dataclass(frozen=True, slots=True)
class Spelling:
    """Writes nodes as annotations: in models with their exact checks, in signatures without.

    In plain dicts, the style ``typeddict``, members keep their names on the wire, and a date is a
    text. ``definitions`` are those that references lead to, for unions that a member tells apart;
    ``partners`` what may be given besides, for each of them, by module and name. Where a value is
    ``taken`` and not given, any sequence will do for a list, any mapping for a dict.
    """

    names: Names[str, str]
    imports: Imports
    exact: bool = True
    taken: bool = False
    style: Style = "dataclass"
    definitions: Names[str, Definition] = field(default_factory=dict[str, Definition])
    partners: Names[str, Partners] = field(default_factory=dict[str, "Partners"])

    def of(self, node: Node) -> str:
        """Return the annotation of a node."""
        if isinstance(node, Reference):
            return " | ".join([*self._partners(node), self.names[node.pointer]])
        if isinstance(node, Union):
            return self._union(node)
        return self._simple(node) or self._container(node)

    def _partners(self, node: Node) -> list[str]:
        """Return what else may be given for a definition; in a model only if it is that already."""
        if not isinstance(node, Reference):
            return []
        partners = self.partners.get(node.pointer, ())
        if not partners or (self.exact and self.plain):
            return []
        names = [self.imports.use(module, name) if module else name for module, name in partners]
        if not self.exact:
            return names
        instance = self.imports.use("pydantic", "InstanceOf")
        return [f"{instance}[{name}]" for name in names]

    def _union(self, node: Union) -> str:
        field = self._tag(node) if self.exact else ""
        null = [self.of(member) for member in node.members if member == NULL]
        members = [member for member in node.members if member != NULL]
        partners = [name for member in members for name in self._partners(member)]
        own = [
            self.names[each.pointer] if isinstance(each, Reference) else self.of(each)
            for each in members
        ]
        if field:
            note = (
                f"{self.imports.use('pydantic', 'Field')}(discriminator={escaping.string(field)})"
            )
            own = [f"{self.imports.use('typing', 'Annotated')}[{' | '.join(own)}, {note}]"]
        return " | ".join(dict.fromkeys([*partners, *own, *null]))

    def _tag(self, node: Union) -> str:
        """Return the field that tells the classes of a union apart, where all spell it alike."""
        wire = discriminator(node.members, self.definitions)
        fields = {
            self._field(member.pointer, wire)
            for member in node.members
            if wire and isinstance(member, Reference)
        }
        return wire if self.plain else fields.pop() if len(fields) == 1 else ""

    def _field(self, pointer: str, wire: str) -> str:
        body = self.definitions[pointer].body
        names = [member.wire for member in body.members] if isinstance(body, Record) else []
        return naming.members(names, self.style)[wire]

    @property
    def plain(self) -> bool:
        """Whether objects are plain dicts."""
        return self.style == "typeddict"

    def _simple(self, node: Node) -> str:
        if isinstance(node, Scalar):
            return self._scalar(node)
        if isinstance(node, Choice):
            values = ", ".join(escaping.scalar(value) for value in node.values)
            choice = f"{self.imports.use('typing', 'Literal')}[{values}]"
            if not self.exact or all(isinstance(value, str) for value in node.values):
                return choice
            exactly = self.imports.runtime("types", "Exactly")
            return f"{self.imports.use('typing', 'Annotated')}[{choice}, {exactly}()]"
        return ""

    def _container(self, node: Node) -> str:
        if isinstance(node, Sequence):
            # As a sequence of ``Any`` Pydantic takes a text too.
            item = "object" if self.taken and self._is_any(node.item) else self.of(node.item)
            return self._bounded(f"{self._list()}[{item}]", node.bounds)
        if isinstance(node, Fixed):
            items = ", ".join(self.of(item) for item in node.items)
            return f"tuple[{items or '()'}]"
        if isinstance(node, Mapping):
            return f"{self._dict()}[str, {self.of(node.value)}]"
        if isinstance(node, Never):
            return self.imports.runtime("types", "Nothing")
        return self.imports.use("typing", "Any")

    def _is_any(self, node: Node) -> bool:
        body: Node | Record = node
        seen: set[str] = set()
        while isinstance(body, Reference) and body.pointer in self.definitions.keys() - seen:
            seen.add(body.pointer)
            body = self.definitions[body.pointer].body
        return isinstance(body, Anything)

    def _list(self) -> str:
        return self.imports.use("collections.abc", "Sequence") if self.taken else "list"

    def _dict(self) -> str:
        return self.imports.use("collections.abc", "Mapping") if self.taken else "dict"

    def _scalar(self, node: Scalar) -> str:
        if node.format and not node.bounds and not self.plain:
            return self.imports.runtime("types", _FORMATS[node.format])
        static = _STATIC[node.kind]
        if not self.exact:
            return static
        if node.bounds:
            return self._bounded(static, node.bounds, _MARKERS.get(node.kind, ""))
        named = _EXACT.get(node.kind)
        return self.imports.runtime("types", named) if named else static

    def _bounded(self, static: str, bounds: Bounds, marker: str = "") -> str:
        if not bounds or not self.exact:
            return static
        keywords = ", ".join(f"{name}={value!r}" for name, value in bounds)
        parts = [static, f"{self.imports.use('pydantic', 'Field')}({keywords})"]
        if marker:
            parts.append(f"{self.imports.runtime('types', marker)}()")
        return f"{self.imports.use('typing', 'Annotated')}[{', '.join(parts)}]"

    def given(self, node: Node, *, required: bool) -> tuple[str, str]:
        """Return annotation and default of what a caller gives: absent is ``MISSING``."""
        if required:
            return self.of(node), ""
        missing = self.imports.use("pydantic", "MISSING")
        return f"{self.of(node)} | {missing}", missing

    def received(self, node: Node, *, required: bool) -> tuple[str, str]:
        """Return annotation and default of what a server sends: absent reads as ``None``."""
        if required:
            return self.of(node), ""
        if isinstance(node, Anything) or node == NULL:
            return self.of(node), "None"
        if self._may_be_null(node, set()):
            return self.of(union([node, NULL])), "None"
        return f"{self.imports.runtime('types', 'Maybe')}[{self.of(node)}]", "None"

    def is_sparse(self, member: Member) -> bool:
        """Say whether a member that a server sends may be absent, and may be null instead."""
        return not member.required and self._may_be_null(member.node, set())

    def _may_be_null(self, node: Node, seen: set[str]) -> bool:
        """Say whether a type has ``null`` in it, whatever names it has."""
        if isinstance(node, Reference):
            body = self.definitions[node.pointer].body
            if isinstance(body, Record) or node.pointer in seen:
                return False
            return self._may_be_null(body, seen | {node.pointer})
        if isinstance(node, Union):
            return any(self._may_be_null(member, seen) for member in node.members)
        return isinstance(node, Anything) or node == NULL

    def aliased(self, annotation: str, wire: str) -> str:
        """Return an annotation that reads and writes the member under its wire name."""
        field_call = f"{self.imports.use('pydantic', 'Field')}(alias={escaping.string(wire)})"
        return f"{self.imports.use('typing', 'Annotated')}[{annotation}, {field_call}]"
