"""Plans the models of a package: its types as classes and aliases, needed ones first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from mcpgen.codegen import escaping, naming, reserved_names
from mcpgen.codegen.plan import documentation
from mcpgen.codegen.plan.imports import Imports
from mcpgen.codegen.plan.package import (
    Alias,
    Class,
    Field,
    Formats,
    Module,
    Shared,
    Style,
    in_dependency_order,
)
from mcpgen.codegen.plan.places import ARGUMENTS, RESULT, Place
from mcpgen.codegen.plan.sharing import Types
from mcpgen.codegen.plan.sides import Role, Side
from mcpgen.codegen.plan.type_expressions import TypeExpressions
from mcpgen.contract.definitions import Tool
from mcpgen.jsontext import sha256
from mcpgen.schemas.types import Definition, Member, Record
from mcpgen.schemas.types.nodes import references


def module(  # noqa: PLR0913 - what decides about its types
    tool: Tool,
    method: str,
    types: Types,
    style: Style,
    *,
    role: Role = "client",
    formats: Formats = "annotation",
) -> Module:
    """Return the module that holds the models of a tool."""
    arguments, result = sides = types.sides[tool.name]
    imports = Imports("..")
    imports.runtime("models", "Tool")
    writing = _Writing(types, style, imports, formats)
    definitions = [d for side in sides if side for d in writing.side(side, tool)]
    observed = tool.observed if role == "client" else None
    is_text = observed is not None and observed.schema is None
    returns = result.root if result else "str" if is_text else _untyped_result(imports, role)
    if arguments or result:
        imports.use("pydantic", "TypeAdapter")
    inexact = style == "typeddict" and not all(_is_checked(side) for side in sides if side)
    return Module(
        name=naming.module(method),
        tool=escaping.string(tool.name),
        hash=_hash(tool),
        doc=f"The models of the tool {escaping.plain(tool.name) or 'without a name'}.",
        imports=imports.lines(),
        definitions=tuple(definitions),
        arguments=arguments.root if arguments else "",
        result=result.root if result else "",
        returns=returns,
        exact_arguments=arguments is not None and arguments.inferred.exact and not inexact,
        exact_result=result is not None
        and result.inferred.exact
        and not (inexact or observed is not None),
        unwrap=tool.wrapped,
        plain=style == "typeddict" and result is not None,
        forbidden_reason=escaping.string(tool.forbidden_reason)
        if tool.forbidden_reason and role == "client"
        else "",
        known=tuple(sorted(_own_names(sides) - {definition.name for definition in definitions})),
        observed=escaping.string(observed.source) if observed is not None else "",
        promises=observed is not None and tool.output is not None,
    )


def _own_names(sides: Iterable[Side | None]) -> set[str]:
    """Return a tool's own names for its types."""
    return {name for side in sides if side for name in side.names.values()}


def shared_module(types: Types, style: Style, formats: Formats = "annotation") -> Shared | None:
    """Return the module of shared classes, if there are any."""
    numbers = [number for number, item in enumerate(types.types) if item.is_shared]
    if not numbers:
        return None
    imports = Imports("..")
    definitions = tuple(_Writing(types, style, imports, formats).shared_types(numbers))
    schema_names = {
        name for n in numbers if types.types[n].is_named for name in types.types[n].names
    }
    tool_names = {name for sides in types.sides.values() for name in _own_names(sides)}
    return Shared(
        name=reserved_names.SHARED,
        hash=sha256([definition.name for definition in definitions]),
        doc="The models that several tools have in common, or that a schema names.",
        imports=imports.lines(),
        definitions=definitions,
        named=tuple(sorted(schema_names - tool_names)),
    )


def _untyped_result(imports: Imports, role: Role) -> str:
    """Return the type of a result without a schema."""
    if role == "server":
        return imports.use("typing", "Any")
    return imports.runtime("models", "ToolResult")


def _is_checked(side: Side) -> bool:
    """Return True if the ``TypedDict`` is exact. Functional syntax allows no property ""."""
    records = [d.body for d in side.inferred.definitions.values() if isinstance(d.body, Record)]
    return all(m.wire for record in records if _is_functional(record) for m in record.members)


def _is_functional(record: Record) -> bool:
    return not naming.are_keys(member.wire for member in record.members)


def _hash(tool: Tool) -> str:
    schemas = [side.raw if side else None for side in (tool.input, tool.output)]
    if tool.observed is None:
        return sha256([tool.name, *schemas])
    schema = tool.observed.schema
    return sha256([tool.name, *schemas, tool.observed.source, schema.raw if schema else None])


_SHARED = f".{reserved_names.SHARED}"


@dataclass(frozen=True, slots=True)
class _Writing:
    """Writes the types of a package into one of its modules."""

    types: Types
    style: Style
    imports: Imports
    formats: Formats

    def side(self, side: Side, tool: Tool) -> Iterator[Class | Alias]:
        """Write the types of a tool's schema, in the order of their dependencies."""
        root = Place(tool.name, ARGUMENTS if side.arguments else RESULT, "")
        definitions = {at: root.near(at) for at in sorted(side.inferred.definitions)}
        own_pointers = {
            at: self.types.first(item)
            for at, item in definitions.items()
            if not self._is_shared(item)
        }
        names = {at: self._name(side, item) for at, item in definitions.items()}
        for at in (at for at in definitions if at not in own_pointers):
            yield from self._tool_alias(side.names[at], self.types.type_at(definitions[at]).name)
        expressions = self._expressions(side, root, names)
        for at in in_dependency_order(
            {
                at: self._dependencies(side, at, own_pointers)
                for at in own_pointers
                if own_pointers[at] == at
            }
        ):
            definition = self._definition(side, definitions[at])
            doc = definition.description.strip() or self._description(definitions[at], side, tool)
            yield self._class_or_alias(definitions[at], definition, expressions, doc)
        for at, first in own_pointers.items():
            if at != first:
                yield self._alias(side.names[at], side.names[first])
        if title := self.types.titles.get(root):
            yield self._alias(title, side.names[""])

    def _is_shared(self, place: Place) -> bool:
        return self.types.type_at(place).is_shared

    def _name(self, side: Side, place: Place) -> str:
        """Return the name of a type in the tool's own module."""
        one = self.types.type_at(place)
        if one.is_named:
            return self.imports.use(_SHARED, one.name)
        return side.names[place.pointer if one.is_shared else self.types.first(place)]

    def _dependencies(self, side: Side, pointer: str, own_pointers: Mapping[str, str]) -> list[str]:
        used = set(references(side.inferred.definitions[pointer].body))
        return sorted({own_pointers[other] for other in used if other in own_pointers})

    def _definition(self, side: Side, place: Place) -> Definition:
        """Return a tool's own definition, with the descriptions that all its positions share."""
        # Others take the same arguments as a whole, and have their own words for them.
        return (
            self.types.type_at(place).definition if place.pointer else side.inferred.definitions[""]
        )

    def _description(self, place: Place, side: Side, tool: Tool) -> str:
        """Describe a type without a description, if it is used once in the tool."""
        if place.pointer and len(self.types.type_at(place).places) > 1:
            return ""
        return documentation.part(place.pointer, tool, is_of_arguments=side.arguments)

    def shared_types(self, numbers: Iterable[int]) -> Iterator[Class | Alias]:
        """Write the types that several tools use, in the order of their dependencies."""
        by_name = sorted(numbers, key=lambda number: self.types.types[number].name)
        for number in in_dependency_order({n: self.types.dependencies(n) for n in by_name}):
            one = self.types.types[number]
            first, side = one.places[0], self.types.side(one.places[0])
            used = {first, *map(first.near, references(one.definition.body))}
            names = {place.pointer: self.types.type_at(place).name for place in used}
            expressions = self._expressions(side, first, names, module="")
            yield self._class_or_alias(
                first, one.definition, expressions, one.definition.description.strip()
            )
            yield from (self._alias(name, one.name) for name in one.names[1:])

    def _tool_alias(self, name: str, shared: str) -> Iterator[Alias]:
        """Alias a shared type to the tool's name for it."""
        if name == shared:
            self.imports.use(_SHARED, name)
        else:
            self.imports.use(_SHARED, shared)
            yield self._alias(name, shared)

    def _alias(self, name: str, target: str) -> Alias:
        self.imports.use("typing", "TypeAlias")
        return Alias(name, target, "", recursive=False)

    def _expressions(
        self,
        side: Side,
        place: Place,
        names: Mapping[str, str],
        module: str = _SHARED,
    ) -> TypeExpressions:
        partners = {
            at: [(module, partner.name) for partner in classes]
            for at in names
            if (classes := self.types.partners(place.near(at)))
        }
        return TypeExpressions(
            names,
            self.imports,
            style=self.style,
            definitions=side.inferred.definitions,
            partners=partners,
            is_parameter=side.is_parameter,
            parses_formats=self.formats == "assertion" and not (side.arguments or side.is_sent),
        )

    def _class_or_alias(
        self, place: Place, definition: Definition, expressions: TypeExpressions, doc: str
    ) -> Class | Alias:
        name = expressions.names[place.pointer]
        side = self.types.side(place)
        if isinstance(definition.body, Record):
            if side.arguments and not place.pointer:  # it is only ever made of JSON
                expressions = replace(expressions, partners={})
            return _Classes(side, self.style, expressions).to_class(name, definition.body, doc)
        recursive = self.types.is_recursive(self.types.numbers[place])
        factory = ("typing_extensions", "TypeAliasType") if recursive else ("typing", "TypeAlias")
        self.imports.use(*factory)
        return Alias(name, expressions.annotation(definition.body), doc, recursive)


@dataclass(frozen=True, slots=True)
class _Classes:
    """Writes the records of one schema as classes of one style."""

    side: Side
    style: Style
    expressions: TypeExpressions

    def to_class(self, name: str, record: Record, doc: str) -> Class:
        is_plain = self.style == "typeddict"
        names = naming.members((member.wire for member in record.members), self.style)
        functional = is_plain and _is_functional(record)
        members = [member for member in record.members if member.wire or not functional]
        fields = tuple(
            self._field(member, member.wire if is_plain else names[member.wire])
            for member in members
        )
        base = self._base(record)
        closed = record.closed and len(members) == len(record.members)
        self._import(base, "CLOSED" if closed else "OPEN")
        return Class(name, base, closed, doc, fields, functional)

    def _base(self, record: Record) -> str:
        """Return the class of the runtime that a class of this record derives from."""
        kind = "Closed" if record.closed else "Open"
        is_sparse = not self.side.is_sent and any(map(self.expressions.is_sparse, record.members))
        if self.style == "typeddict":
            return "TypedDict"
        if self.style == "basemodel":
            return f"{kind}SparseModel" if is_sparse else f"{kind}Model"
        return f"{kind}Sparse" if is_sparse and record.closed else kind

    def _import(self, base: str, config: str) -> None:
        imports = self.expressions.imports
        if self.style == "basemodel":
            imports.runtime("models", base)
            return
        if self.style == "typeddict":
            imports.use("typing_extensions", base)
            imports.use("pydantic", "with_config")
        else:
            imports.use("pydantic.dataclasses", "dataclass")
            imports.runtime("models", base)
        imports.runtime("models", config)

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
            spell = (
                self.expressions.sent_property
                if self.side.is_sent
                else self.expressions.received_property
            )
            annotation, default = spell(member.node, required=member.required)
            if name != member.wire:
                annotation = self.expressions.with_alias(annotation, member.wire)
        return Field(name, escaping.string(member.wire), annotation, default, doc)

    def _entry(self, member: Member) -> str:
        inner = self.expressions.annotation(member.node)
        if member.required:
            return inner
        return f"{self.expressions.imports.use('typing_extensions', 'NotRequired')}[{inner}]"
