"""The models of one tool: its definitions as classes and aliases, those that others need first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from mcpgen.codegen import escaping, naming
from mcpgen.codegen.plan import documentation
from mcpgen.codegen.plan.package import Alias, Class, Field, Module
from mcpgen.codegen.plan.spelling import Imports, Spelling, Style
from mcpgen.contract.definitions import Schema, Tool
from mcpgen.jsontext import sha256
from mcpgen.types import Definition, Member, Record, Shape, shape
from mcpgen.types.nodes import Anything, Reference, references

Role = Literal["client", "server"]
"""Who runs the package: a client gives arguments and receives results, a server the reverse."""


@dataclass(frozen=True, slots=True)
class Side:
    """One schema of a tool, shaped and named: its arguments or its result.

    ``given`` says that the package makes such values, and does not only read them.
    """

    root: str
    shape: Shape
    names: Mapping[str, str]
    arguments: bool
    given: bool

    @property
    def taken(self) -> bool:
        """Whether a caller of the package passes such values to it."""
        return self.arguments and self.given

    def record(self) -> Record | None:
        """Return the record at the root, if the root is one."""
        body = self.shape.definitions[""].body if "" in self.shape.definitions else None
        return body if isinstance(body, Record) else None


def arguments(tool: Tool, method: str, role: Role = "client") -> Side | None:
    """Shape and name the arguments of a tool; ``None`` where they are plain JSON."""
    if tool.input is None:
        return None
    said = shape(tool.input.raw, tool.input.dialect, arguments=True)
    given = role == "client"
    return _side(f"{naming.pascal(method)}Input", said, arguments=True, given=given)


def result(tool: Tool, method: str, role: Role = "client") -> Side | None:
    """Shape and name the structured content of a tool; ``None`` where it promises none."""
    if tool.output is None:
        return None
    said = shape(tool.output.raw, tool.output.dialect, arguments=False)
    if tool.wrapped:
        said = _unwrapped(said, tool.output)
    given = role == "server"
    return _side(f"{naming.pascal(method)}Output", said, arguments=False, given=given)


def _unwrapped(said: Shape, schema: Schema) -> Shape:
    """Return the shape of the member ``result`` of a wrapping object."""
    record = said.definitions[""].body if "" in said.definitions else None
    if not isinstance(record, Record):
        return Shape(Anything(), exact=False)
    inner = next(member for member in record.members if member.wire == "result")
    used: dict[str, Definition] = {}
    waiting = list(references(inner.node))
    while waiting:
        pointer = waiting.pop()
        if pointer not in used:
            used[pointer] = said.definitions[pointer]
            waiting += references(used[pointer].body)
    if "" in used:  # the result holds such wrappers in turn, and one place has one name
        return Shape(Anything(), exact=False)
    # What the wrapper itself demands is checked by its being unwrapped, if it demands no more.
    plain = len(record.members) == 1 and set(schema.raw) <= _PLAIN_WRAPPER and inner.required
    return Shape(inner.node, used, said.exact and plain)


_PLAIN_WRAPPER = {"type", "properties", "required", "title", "description", "$defs"} | {
    "x-fastmcp-wrap-result",
    "$schema",
}


def _side(root: str, said: Shape, *, arguments: bool, given: bool) -> Side:
    if said.root != Reference(""):
        # The root is no record: it gets its name as an alias, like any shared part.
        whole = Definition("", said.root, "", "", exact=True)
        said = replace(said, definitions={**said.definitions, "": whole})
    hints = {pointer: d.hint for pointer, d in said.definitions.items() if d.hint and pointer}
    hints = {p: hint for p, hint in hints.items() if "Option" in "".join(naming.parts(p)[-1:])}
    return Side(root, said, naming.classes(root, said.definitions, hints), arguments, given)


def module(
    tool: Tool,
    method: str,
    sides: tuple[Side | None, Side | None],
    style: Style,
    role: Role = "client",
) -> Module:
    """Return the module that holds the models of a tool."""
    given, received = sides
    imports = Imports("..")
    imports.runtime("tool", "Tool")
    definitions = [d for side in sides if side for d in _definitions(side, tool, style, imports)]
    returns = received.root if received else _untyped(imports, role)
    if given or received:
        imports.use("pydantic", "TypeAdapter")
    inexact = style == "typeddict" and not all(_is_checked(side) for side in sides if side)
    return Module(
        name=naming.module(method),
        tool=escaping.string(tool.name),
        hash=_hash(tool),
        doc=f"The models of the tool {escaping.plain(tool.name) or 'without a name'}.",
        imports=imports.lines(),
        definitions=tuple(definitions),
        arguments=given.root if given else "",
        result=received.root if received else "",
        returns=returns,
        exact_arguments=given is not None and given.shape.exact and not inexact,
        exact_result=received is not None and received.shape.exact and not inexact,
        unwrap=tool.wrapped,
        plain=style == "typeddict" and received is not None,
        barred=escaping.string(tool.forbidden_reason)
        if tool.forbidden_reason and role == "client"
        else "",
    )


def _untyped(imports: Imports, role: Role) -> str:
    """Return the type of a result that no schema describes."""
    if role == "server":
        return imports.use("typing", "Any")
    return imports.runtime("results", "ToolResult")


def _is_checked(side: Side) -> bool:
    """Say whether ``TypedDict`` checks all: a functional one has no member ``""``."""
    records = [d.body for d in side.shape.definitions.values() if isinstance(d.body, Record)]
    return all(m.wire for record in records if _is_functional(record) for m in record.members)


def _is_functional(record: Record) -> bool:
    return not naming.are_keys(member.wire for member in record.members)


def _hash(tool: Tool) -> str:
    schemas = [side.raw if side else None for side in (tool.input, tool.output)]
    return sha256([tool.name, *schemas])


def _definitions(side: Side, tool: Tool, style: Style, imports: Imports) -> Iterator[Class | Alias]:
    definitions = side.shape.definitions
    spelling = Spelling(side.names, imports, style=style, definitions=definitions, taken=side.taken)
    for pointer in _ordered(side.shape):
        definition = side.shape.definitions[pointer]
        name = side.names[pointer]
        doc = definition.description.strip() or documentation.part(
            pointer, tool, is_of_arguments=side.arguments
        )
        if isinstance(definition.body, Record):
            yield _Classes(side, style, spelling).of(name, definition.body, doc)
        else:
            recursive = _is_recursive(side.shape, pointer)
            known = ("typing_extensions", "TypeAliasType") if recursive else ("typing", "TypeAlias")
            imports.use(*known)
            yield Alias(name, spelling.of(definition.body), doc, recursive)


def _ordered(said: Shape) -> list[str]:
    """Return definitions so that each comes after those it needs, the root last, as far as can be.

    Python reads aliases as it meets them, and Pydantic is fastest without forward references.
    """
    done: dict[str, None] = {}
    entered: set[str] = set()
    waiting = [(pointer, False) for pointer in sorted(said.definitions, reverse=True)]
    while waiting:
        pointer, left = waiting.pop()
        if left:
            done.setdefault(pointer)
        elif pointer not in entered:
            entered.add(pointer)
            waiting.append((pointer, True))
            needed = sorted(set(references(said.definitions[pointer].body)), reverse=True)
            waiting += [(other, False) for other in needed if other not in entered]
    return list(done)


def _is_recursive(said: Shape, pointer: str) -> bool:
    """Say whether an alias needs a name that is not yet there: its own, or one of a cycle."""
    seen: set[str] = set()
    waiting = list(references(said.definitions[pointer].body))
    while waiting:
        other = waiting.pop()
        if other == pointer:
            return True
        if other not in seen:
            seen.add(other)
            waiting += references(said.definitions[other].body)
    return False


@dataclass(frozen=True, slots=True)
class _Classes:
    """Writes the records of one schema as classes of one style."""

    side: Side
    style: Style
    spelling: Spelling

    def of(self, name: str, record: Record, doc: str) -> Class:
        is_plain = self.style == "typeddict"
        names = naming.members((member.wire for member in record.members), self.style)
        functional = is_plain and _is_functional(record)
        said = [member for member in record.members if member.wire or not functional]
        fields = tuple(
            self._field(member, member.wire if is_plain else names[member.wire]) for member in said
        )
        base = self._base(record)
        closed = record.closed and len(said) == len(record.members)
        self._import(base, "CLOSED" if closed else "OPEN")
        return Class(name, base, closed, doc, fields, functional)

    def _base(self, record: Record) -> str:
        """Return the class of the runtime that a class of this record derives from."""
        kind = "Closed" if record.closed else "Open"
        is_sparse = not self.side.given and any(map(self.spelling.is_sparse, record.members))
        if self.style == "typeddict":
            return "TypedDict"
        if self.style == "basemodel":
            return f"{kind}SparseModel" if is_sparse else f"{kind}Model"
        return f"{kind}Sparse" if is_sparse and record.closed else kind

    def _import(self, base: str, config: str) -> None:
        imports = self.spelling.imports
        if self.style == "basemodel":
            imports.runtime("types", base)
            return
        if self.style == "typeddict":
            imports.use("typing_extensions", base)
            imports.use("pydantic", "with_config")
        else:
            imports.use("pydantic.dataclasses", "dataclass")
            imports.runtime("types", base)
        imports.runtime("types", config)

    def _field(self, member: Member, name: str) -> Field:
        doc = documentation.member(
            member.description,
            member.facts,
            member.wire,
            name,
            member.node,
            is_typed=self.style != "typeddict",
        )
        if self.style == "typeddict":
            annotation, default = self._entry(member), ""
        else:
            spell = self.spelling.given if self.side.given else self.spelling.received
            annotation, default = spell(member.node, required=member.required)
            if name != member.wire:
                annotation = self.spelling.aliased(annotation, member.wire)
        return Field(name, escaping.string(member.wire), annotation, default, doc)

    def _entry(self, member: Member) -> str:
        inner = self.spelling.of(member.node)
        if member.required:
            return inner
        return f"{self.spelling.imports.use('typing_extensions', 'NotRequired')}[{inner}]"
