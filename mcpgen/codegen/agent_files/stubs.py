"""Generates stubs: the tools of a server as typed functions over plain JSON, for scripts.

A stub expresses the schema as far as types can. It is deliberately narrower in one way: it has no
properties beyond the named ones, because an unlisted property is usually a model's mistake.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from mcpgen.codegen import allowlist, escaping, naming, reserved_names
from mcpgen.codegen.paragraphs import dedent
from mcpgen.codegen.plan import documentation, tool_types
from mcpgen.codegen.plan.client import is_free
from mcpgen.codegen.plan.imports import Imports
from mcpgen.codegen.plan.package import Class, Field, Import, Method, Parameter, in_dependency_order
from mcpgen.codegen.plan.tool_types import ToolType
from mcpgen.codegen.plan.type_expressions import TypeExpressions
from mcpgen.contract.definitions import Api, Tool, read, server_name
from mcpgen.contract.document import Contract
from mcpgen.errors import BugError
from mcpgen.isolation import isolate
from mcpgen.jsontext import Json
from mcpgen.schemas.types import Definition, Record
from mcpgen.schemas.types.nodes import Node, references

TEXT = "str"
"""The result of a tool without an output schema: its text."""

_INDENT = "    "
_LONGEST_DEFAULT = 30
_LARGEST_DEFAULT = 10**15


@dataclass(frozen=True, slots=True)
class ToolStub:
    """A tool as Python: its function, and the types that it needs.

    ``wire`` is the tool's name, ``name`` the function's. ``arguments`` are the JSON names of the
    parameters, or None if a single parameter takes all arguments. ``signature`` is the function on
    one line, without its docstring.
    """

    wire: str
    name: str
    arguments: dict[str, str] | None
    signature: str
    function: str
    types: tuple[str, ...]
    imports: tuple[Import, ...]

    def text(self) -> str:
        """Return the stub of this tool with everything that it needs."""
        return _validate(_module("", self.imports, [self.function, *self.types]), self.name)


def tool_stubs(contract: Contract, *, documented: bool = True) -> tuple[ToolStub, ...]:
    """Return the stub of each tool, sorted by name. A tool that fails is left out.

    If not ``documented``, a stub has a signature and types, and no text from the server.
    """
    result, _ = isolate(partial(_stubs, contract.names, documented=documented), contract)
    return result


def tool_stub(contract: Contract, tool: str) -> str:
    """Return the self-contained ``.pyi`` of one tool, by the tool's own name."""
    return next(stub.text() for stub in tool_stubs(contract) if stub.wire == tool)


def package_stub(contract: Contract, *, documented: bool = True) -> str:
    """Return the ``.pyi`` of all tools of a server."""
    stubs = tool_stubs(contract, documented=documented)
    return join_stubs(contract, stubs, documented=documented)


def join_stubs(contract: Contract, stubs: Iterable[ToolStub], *, documented: bool = True) -> str:
    """Return a ``.pyi`` file with stubs of a server's tools."""
    stubs = list(stubs)
    imports = Imports("")
    for stub in stubs:
        for line in stub.imports:
            imports.names.setdefault(line.module, set()).update(line.names)
    parts = [part for stub in stubs for part in (stub.function, *stub.types)]
    about = f"Tools of the {documentation.server(read(contract.only([])))}."
    text = f"{about}\n\n{dedent(contract.instructions)}".strip() if documented else about
    heading = documentation.docstring(text, 0)
    return _validate(
        _module(heading, imports.lines(), parts), naming.package(server_name(contract))
    )


def _module(heading: str, imports: Iterable[Import], parts: Iterable[str]) -> str:
    """Join the parts of a stub. A part may precede its dependencies."""
    lines = "\n".join(f"from {line.module} import {', '.join(line.names)}" for line in imports)
    return "\n\n".join([part for part in (heading, lines, *parts) if part]) + "\n"


def _validate(text: str, name: str) -> str:
    """Raise ``BugError`` if remote text became code in a stub."""
    path = f"{name}.pyi"
    try:
        allowlist.check(ast.parse(text, path), path)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BugError(f"the stub is not Python: {error}", path, "please report this") from error
    return text


def _stubs(
    pins: Mapping[str, str], contract: Contract, *, documented: bool
) -> tuple[ToolStub, ...]:
    api: Api = read(contract)
    names = naming.methods((tool.name for tool in api.tools), pins)
    return tuple(_Writing(documented).stub(tool, names[tool.name]) for tool in api.tools)


class _Imports(Imports):
    """The imports of a stub, which has no package around it."""

    def runtime(self, module: str, name: str) -> str:
        """Return the standard type that replaces a type of the runtime."""
        if name != "Nothing":
            raise BugError(f"a stub would need {module}.{name}", "", "please report this")
        return self.use("typing_extensions", "Never")


@dataclass(frozen=True, slots=True)
class _Writing:
    """Writes a tool and collects its imports."""

    documented: bool
    imports: Imports = field(default_factory=lambda: _Imports(""))

    def stub(self, tool: Tool, name: str) -> ToolStub:
        argument_type, result = tool_types.arguments(tool, name), tool_types.result(tool, name)
        is_named = argument_type is not None and not is_free(tool, argument_type)
        parameters = (
            list(self._parameters(argument_type))
            if argument_type and is_named
            else [self._all(argument_type)]
        )
        types = (
            list(self._types(argument_type, self._roots(argument_type)))
            if argument_type and is_named
            else []
        )
        returns = TEXT
        if result:
            types += self._types(result, [result.inferred.root])
            returns = self._expressions(result).annotation(result.inferred.root)
        signatures = [
            f"{parameter.name}: {parameter.annotation}{parameter.default}"
            for parameter in parameters
        ]
        if is_named and signatures:
            signatures.insert(0, "*")
        head = f"async def {name}({', '.join(signatures)}) -> {returns}:"
        method = Method(
            name=name,
            wire="",
            kind="tool",
            doc=documentation.tool(tool, tool.name),  # scripts don't need JSON names
            parameters=tuple(parameters),
            returns=returns,
            hints=documentation.hints(tool, "Hints, unverified"),
        )
        return ToolStub(
            wire=tool.name,
            name=name,
            arguments={parameter.name: parameter.wire for parameter in parameters}
            if is_named
            else None,
            signature=f"{head} ...",
            function=self._function(head, signatures, method),
            types=tuple(types),
            imports=self.imports.lines(),
        )

    def _function(self, head: str, parameters: Sequence[str], method: Method) -> str:
        if len(head) > escaping.WIDTH and parameters:
            inner = "".join(f"{_INDENT}{text},\n" for text in parameters)
            head = f"async def {method.name}(\n{inner}) -> {method.returns}:"
        if not self.documented:
            return f"{head} ..."
        return f"{head}\n{_INDENT}{documentation.method(method, len(_INDENT))}"

    def _parameters(self, tool_type: ToolType) -> Iterator[Parameter]:
        record = tool_type.record()
        members = record.members if record else ()
        names = naming.members(member.wire for member in members)
        expressions = self._expressions(tool_type)
        for member in members:
            node = member.documented or member.node
            name = names[member.wire]
            yield Parameter(
                name,
                member.wire,
                expressions.annotation(node),
                "" if member.required else f" = {_default(dict(member.facts).get('default'))}",
                documentation.member(member.description, member.facts, name, name, node),
            )

    def _all(self, tool_type: ToolType | None) -> Parameter:
        """Return the single parameter of a tool whose schema names no arguments."""
        self.imports.use("collections.abc", "Mapping")
        self.imports.use("typing", "Any")
        doc = "The arguments by their names on the wire; the tool's schema names none."
        return Parameter("arguments", "", "Mapping[str, Any]", " = ..." if tool_type else "", doc)

    def _roots(self, tool_type: ToolType) -> list[Node]:
        record = tool_type.record()
        return [member.documented or member.node for member in record.members] if record else []

    def _expressions(self, tool_type: ToolType) -> TypeExpressions:
        return TypeExpressions(
            tool_type.names,
            self.imports,
            exact=False,
            is_parameter=tool_type.is_parameter,
            style="typeddict",
            definitions=tool_type.inferred.definitions,
        )

    def _types(self, tool_type: ToolType, roots: Iterable[Node]) -> Iterator[str]:
        """Write the types that nodes refer to, each before those it refers to."""
        definitions = tool_type.inferred.definitions
        used: dict[str, list[str]] = {}
        waiting = [pointer for node in roots for pointer in references(node)]
        while waiting:
            pointer = waiting.pop()
            if pointer not in used:
                used[pointer] = sorted(set(references(definitions[pointer].body)))
                waiting += used[pointer]
        for pointer in reversed(in_dependency_order({at: used[at] for at in sorted(used)})):
            yield self._type(tool_type, definitions[pointer])

    def _type(self, tool_type: ToolType, definition: Definition) -> str:
        name, body = tool_type.names[definition.pointer], definition.body
        doc = definition.description.strip() if self.documented else ""
        if isinstance(body, Record):
            return self._record(tool_type, body, name, doc)
        self.imports.use("typing", "TypeAlias")
        text = f"{name}: TypeAlias = {self._expressions(tool_type).annotation(body)}"
        return f"{text}\n{documentation.docstring(doc, 0)}" if doc else text

    def _record(self, tool_type: ToolType, record: Record, name: str, doc: str) -> str:
        self.imports.use("typing", "TypedDict")
        is_block = all(_is_key(member.wire) for member in record.members)
        fields = tuple(self._fields(tool_type, record, is_block=is_block))
        if not is_block:
            return self._functional(Class(name, "TypedDict", record.closed, doc, fields, True))
        lines = [documentation.docstring(doc, 4)] if doc else []
        for item in fields:
            lines.append(f"{item.name}: {item.annotation}")
            if item.doc:
                lines.append(documentation.docstring(item.doc, 4))
        return "\n".join(
            [f"class {name}(TypedDict):", *(_INDENT + line for line in lines or ["..."])]
        )

    def _fields(self, tool_type: ToolType, record: Record, *, is_block: bool) -> Iterator[Field]:
        expressions = self._expressions(tool_type)
        for member in record.members:
            annotation = expressions.annotation(member.node)
            if not member.required:
                annotation = f"{self.imports.use('typing_extensions', 'NotRequired')}[{annotation}]"
            identity = (member.description, member.facts, member.wire, member.wire, member.node)
            doc = documentation.member(*identity) if self.documented else ""
            if member.wire or is_block:
                yield Field(member.wire, escaping.string(member.wire), annotation, "", doc)

    def _functional(self, class_: Class) -> str:
        """Return a TypedDict in functional syntax, for keys that aren't identifiers."""
        keys = [f"{_INDENT * 2}{item.wire}: {item.annotation}," for item in class_.fields]
        inner = [f'{_INDENT}"{class_.name}",', f"{_INDENT}{{", *keys, f"{_INDENT}}},"]
        head = "\n".join([f"{class_.name} = TypedDict(", *inner, ")"])
        if class_.doc or any(item.doc for item in class_.fields):
            return f"{head}\n{documentation.keys(class_, 0)}"
        return head


def _default(value: Json) -> str:
    """Return a short default as source, or ``...`` if it is long or absent."""
    if isinstance(value, int | float):
        return repr(value) if abs(value) < _LARGEST_DEFAULT else "..."
    if isinstance(value, str) and len(value) <= _LONGEST_DEFAULT:
        return escaping.string(value)
    return "..."


def _is_key(wire: str) -> bool:
    """Return True if a TypedDict in class syntax can have this key."""
    is_name = wire.isascii() and wire.isidentifier() and not keyword.iskeyword(wire)
    is_other = wire[:1].isupper() or wire[:2] == "__" or wire in reserved_names.TYPES
    return is_name and not is_other
