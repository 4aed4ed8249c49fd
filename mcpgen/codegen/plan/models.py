"""Plans the models of a package: its types as classes and aliases, in order of dependency."""

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
from mcpgen.codegen.plan.sharing import Types
from mcpgen.codegen.plan.tool_types import ARGUMENTS, RESULT, Role, SchemaLocation, ToolType
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
    arguments, result = types_of_tool = types.types_by_tool[tool.name]
    imports = Imports("..")
    imports.runtime("models", "Tool")
    writing = _Writing(types, style, imports, formats)
    definitions = [d for item in types_of_tool if item for d in writing.side(item, tool)]
    observed = tool.observed if role == "client" else None
    is_text = observed is not None and observed.schema is None
    returns = result.root if result else "str" if is_text else _untyped_result(imports, role)
    if arguments or result:
        imports.use("pydantic", "TypeAdapter")
    inexact = style == "typeddict" and not all(_is_checked(item) for item in types_of_tool if item)
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
        shared_aliases=tuple(
            sorted(_own_names(types_of_tool) - {definition.name for definition in definitions})
        ),
        observed=escaping.string(observed.source) if observed is not None else "",
        promises=observed is not None and tool.output is not None,
    )


def _own_names(tool_types: Iterable[ToolType | None]) -> set[str]:
    """Return a tool's own names for its types."""
    return {name for item in tool_types if item for name in item.names.values()}


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
    tool_names = {
        name for tool_types in types.types_by_tool.values() for name in _own_names(tool_types)
    }
    return Shared(
        name=reserved_names.SHARED,
        hash=sha256([definition.name for definition in definitions]),
        doc="Models shared by several tools, or named by a schema.",
        imports=imports.lines(),
        definitions=definitions,
        named=tuple(sorted(schema_names - tool_names)),
    )


def _untyped_result(imports: Imports, role: Role) -> str:
    """Return the type of a result without a schema."""
    if role == "server":
        return imports.use("typing", "Any")
    return imports.runtime("models", "ToolResult")


def _is_checked(tool_type: ToolType) -> bool:
    """Return True if the ``TypedDict`` is exact. Functional syntax allows no property ""."""
    records = [
        d.body for d in tool_type.inferred.definitions.values() if isinstance(d.body, Record)
    ]
    return all(m.wire for record in records if _is_functional(record) for m in record.members)


def _is_functional(record: Record) -> bool:
    return not naming.are_keys(member.wire for member in record.members)


def _hash(tool: Tool) -> str:
    schemas = [item.raw if item else None for item in (tool.input, tool.output)]
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

    def side(self, tool_type: ToolType, tool: Tool) -> Iterator[Class | Alias]:
        """Write the types of a tool's schema, in the order of their dependencies."""
        root = SchemaLocation(tool.name, ARGUMENTS if tool_type.arguments else RESULT, "")
        definitions = {at: root.near(at) for at in sorted(tool_type.inferred.definitions)}
        own_pointers = {
            at: self.types.first(item)
            for at, item in definitions.items()
            if not self._is_shared(item)
        }
        names = {at: self._name(tool_type, item) for at, item in definitions.items()}
        for at in (at for at in definitions if at not in own_pointers):
            yield from self._tool_alias(
                tool_type.names[at], self.types.type_at(definitions[at]).name
            )
        expressions = self._expressions(tool_type, root, names)
        for at in in_dependency_order(
            {
                at: self._dependencies(tool_type, at, own_pointers)
                for at in own_pointers
                if own_pointers[at] == at
            }
        ):
            definition = self._definition(tool_type, definitions[at])
            doc = definition.description.strip() or self._description(
                definitions[at], tool_type, tool
            )
            yield self._class_or_alias(definitions[at], definition, expressions, doc)
        for at, first in own_pointers.items():
            if at != first:
                yield self._alias(tool_type.names[at], tool_type.names[first])
        if title := self.types.titles.get(root):
            yield self._alias(title, tool_type.names[""])

    def _is_shared(self, location: SchemaLocation) -> bool:
        return self.types.type_at(location).is_shared

    def _name(self, tool_type: ToolType, location: SchemaLocation) -> str:
        """Return the name of a type in the tool's own module."""
        shared = self.types.type_at(location)
        if shared.is_named:
            return self.imports.use(_SHARED, shared.name)
        return tool_type.names[location.pointer if shared.is_shared else self.types.first(location)]

    def _dependencies(
        self, tool_type: ToolType, pointer: str, own_pointers: Mapping[str, str]
    ) -> list[str]:
        used = set(references(tool_type.inferred.definitions[pointer].body))
        return sorted({own_pointers[other] for other in used if other in own_pointers})

    def _definition(self, tool_type: ToolType, location: SchemaLocation) -> Definition:
        """Return a tool's own definition, with the descriptions that all its positions share."""
        # Other tools with the same arguments have descriptions of their own.
        return (
            self.types.type_at(location).definition
            if location.pointer
            else tool_type.inferred.definitions[""]
        )

    def _description(self, location: SchemaLocation, tool_type: ToolType, tool: Tool) -> str:
        """Describe a type without a description, if it is used once in the tool."""
        if location.pointer and len(self.types.type_at(location).locations) > 1:
            return ""
        return documentation.part(location.pointer, tool, is_of_arguments=tool_type.arguments)

    def shared_types(self, numbers: Iterable[int]) -> Iterator[Class | Alias]:
        """Write the types that several tools use, in the order of their dependencies."""
        by_name = sorted(numbers, key=lambda number: self.types.types[number].name)
        for number in in_dependency_order({n: self.types.dependencies(n) for n in by_name}):
            shared = self.types.types[number]
            first, tool_type = shared.locations[0], self.types.side(shared.locations[0])
            used = {first, *map(first.near, references(shared.definition.body))}
            names = {item.pointer: self.types.type_at(item).name for item in used}
            expressions = self._expressions(tool_type, first, names, module="")
            yield self._class_or_alias(
                first, shared.definition, expressions, shared.definition.description.strip()
            )
            yield from (self._alias(name, shared.name) for name in shared.names[1:])

    def _tool_alias(self, name: str, shared: str) -> Iterator[Alias]:
        """Yield an alias of a shared type with the tool's own name, if the names differ."""
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
        tool_type: ToolType,
        location: SchemaLocation,
        names: Mapping[str, str],
        module: str = _SHARED,
    ) -> TypeExpressions:
        partners = {
            at: [(module, partner.name) for partner in classes]
            for at in names
            if (classes := self.types.partners(location.near(at)))
        }
        return TypeExpressions(
            names,
            self.imports,
            style=self.style,
            definitions=tool_type.inferred.definitions,
            partners=partners,
            is_parameter=tool_type.is_parameter,
            parses_formats=self.formats == "assertion"
            and not (tool_type.arguments or tool_type.is_sent),
        )

    def _class_or_alias(
        self,
        location: SchemaLocation,
        definition: Definition,
        expressions: TypeExpressions,
        doc: str,
    ) -> Class | Alias:
        name = expressions.names[location.pointer]
        tool_type = self.types.side(location)
        if isinstance(definition.body, Record):
            if tool_type.arguments and not location.pointer:  # its values come only from JSON
                expressions = replace(expressions, partners={})
            return _Classes(tool_type, self.style, expressions).to_class(name, definition.body, doc)
        recursive = self.types.is_recursive(self.types.numbers[location])
        factory = ("typing_extensions", "TypeAliasType") if recursive else ("typing", "TypeAlias")
        self.imports.use(*factory)
        return Alias(name, expressions.annotation(definition.body), doc, recursive)


@dataclass(frozen=True, slots=True)
class _Classes:
    """Writes the records of one schema as classes of one style."""

    tool_type: ToolType
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
        is_sparse = not self.tool_type.is_sent and any(
            map(self.expressions.is_sparse, record.members)
        )
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
                if self.tool_type.is_sent
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
