"""Plans the client: one method for each tool, prompt, resource and resource template."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from mcpgen import __version__
from mcpgen.codegen import escaping, identifiers, naming, reserved_names
from mcpgen.codegen.environment import described, needs
from mcpgen.codegen.paragraphs import dedented
from mcpgen.codegen.plan import documentation, lines, models
from mcpgen.codegen.plan.imports import Imports
from mcpgen.codegen.plan.package import (
    ClientPackage,
    Import,
    Method,
    MethodKind,
    Parameter,
    Part,
    Shared,
    Style,
)
from mcpgen.codegen.plan.places import ARGUMENTS, RESULT, Place
from mcpgen.codegen.plan.sharing import Types, share
from mcpgen.codegen.plan.sides import Side, arguments, result
from mcpgen.codegen.plan.split import split
from mcpgen.codegen.plan.type_expressions import TypeExpressions
from mcpgen.contract.definitions import Api, Argument, Prompt, Resource, Tool
from mcpgen.jsontext import Json


def plan(  # noqa: PLR0913 - all that decides about a package
    api: Api,
    *,
    name: str,
    style: Style,
    digest: str,
    pins: Mapping[str, str],
    classes: Mapping[str, str],
    origin: Mapping[str, Json],
) -> ClientPackage:
    """Give everything its final Python expressions."""
    names = naming.methods((tool.name for tool in api.tools), pins)
    prefix = naming.prefix(name)
    sides = {
        tool.name: (arguments(tool, names[tool.name]), result(tool, names[tool.name]))
        for tool in api.tools
    }
    types = share(sides, classes, naming.faces(prefix))
    modules = tuple(models.module(tool, names[tool.name], types, style) for tool in api.tools)
    shared = models.shared(types, style)
    planned = [_tool(tool, names[tool.name], types, style) for tool in api.tools]
    rest = Imports(".")
    prompts = tuple(_prompts(api.prompts, rest))
    resources = tuple(_resources(api, rest))
    own_methods, parts = _parts(planned, sum(map(lines.height, (*prompts, *resources))))
    return ClientPackage(
        name=name,
        prefix=prefix,
        style=style,
        version=__version__,
        hash=digest,
        summary=_summary(api),
        about=f"{_summary(api)}\n\n{_needed(origin, name)}".strip(),
        doc=_doc(api),
        imports=_imports(own_methods, rest, prompts, resources, parts),
        parts=parts,
        own=tuple(method for method, _ in own_methods),
        tools=tuple(method for method, _ in planned),
        prompts=prompts,
        resources=resources,
        modules=modules,
        shared=shared,
        types=tuple(_types(prompts, shared)),
        exports=tuple(_exports(prefix, bool(prompts), bool(resources))),
    )


Planned: TypeAlias = "tuple[Method, Imports]"
"""A method, and what the file that holds it must import; a server's is its author's."""


def _parts(planned: Sequence[Planned], besides: int) -> tuple[Sequence[Planned], tuple[Part, ...]]:
    """Return the tools that are written in the client's own file, and the files of the others."""
    sizes = {method.name: lines.height(method) for method, _ in planned}
    groups = split(sizes, besides)
    own_methods = named(groups.pop("", []), planned)
    files = naming.files(groups)
    parts = (_part(files[label], named(names, planned)) for label, names in groups.items())
    return own_methods, tuple(parts)


def named(names: Iterable[str], planned: Iterable[Planned]) -> list[Planned]:
    """Return the methods of these names, in the order of the tools."""
    wanted = set(names)
    return [each for each in planned if each[0].name in wanted]


def _part(file: str, planned: Sequence[Planned]) -> Part:
    imports = Imports("..")
    imports.runtime("client", "McpClient")
    imports.runtime("sync", "blocking")
    for _, method_imports in planned:
        imports.add(method_imports)
    return Part(
        name=file,
        prefix=identifiers.pascal(file),
        imports=imports.lines(),
        methods=tuple(method for method, _ in planned),
    )


def _imports(
    tools: Sequence[Planned],
    imports: Imports,
    prompts: Sequence[Method],
    resources: Sequence[Method],
    parts: Sequence[Part],
) -> tuple[Import, ...]:
    """Return what the client module imports, besides what its methods do."""
    for _, method_imports in tools:
        imports.add(method_imports)
    imports.use("typing", "ClassVar")
    imports.runtime("sync", "SyncClient")
    if prompts:
        imports.runtime("views", "PromptsView")
    if resources:
        imports.runtime("views", "ResourcesView")
    if prompts or resources:
        imports.runtime("sync", "SyncView")
    if tools or prompts or resources:
        imports.runtime("sync", "blocking")
    for part in parts:
        imports.use(f".tools.{part.name}", part.tools)
        imports.use(f".tools.{part.name}", part.sync)
    if not parts:
        imports.runtime("client", "McpClient")
    return imports.lines()


def _summary(api: Api) -> str:
    title = escaping.plain(api.title or api.server) or "without a name"
    version = escaping.plain(api.version)
    return f"Client of the MCP server {title}{f', version {version}' if version else ''}."


def _needed(origin: Mapping[str, Json], name: str) -> str:
    """Return what must be in the environment to reach the recorded server, if anything must."""
    variables = needs(origin, name)
    if not variables:
        return ""
    endpoint = escaping.plain(described(origin))
    items = [f"- {escaping.plain(f'{need.variable}: {need.what}')}" for need in variables]
    lead = "Without a target `connect()` reads from the environment, to reach what was recorded:"
    return "\n".join([lead, "", f"    {endpoint}", "", *items])


def _doc(api: Api) -> str:
    """Return the text of the client class: what the server says of itself."""
    instructions = dedented(api.instructions)
    return f"{_summary(api)}\n\n{instructions}" if instructions else _summary(api)


def _tool(tool: Tool, name: str, types: Types, style: Style) -> Planned:
    side, result_side = types.sides[tool.name]
    imports = Imports(".")
    kind = _kind(tool, side)
    if side and kind == "tool":
        root = Place(tool.name, ARGUMENTS, "")
        parameters = tuple(_parameters(side, root, types, style, imports))
    else:
        parameters = (_json_arguments(imports, is_free=kind == "free"),)
    if result_side:
        returns = _model(types.known_as(Place(tool.name, RESULT, "")), imports)
    else:
        returns = imports.runtime("results", "ToolResult")
    method = Method(
        name=name,
        wire=escaping.string(tool.name),
        kind=kind,
        doc=documentation.tool(tool, name),
        parameters=parameters,
        returns=returns,
        module=naming.module(name),
        hints=documentation.hints(tool, "Hints, unverified"),
    )
    return method, imports


def _kind(tool: Tool, side: Side | None) -> MethodKind:
    """Return how a tool takes its arguments."""
    if side is None:
        return "plain"
    return "free" if is_free(tool, side) else "tool"


def _model(name: str, imports: Imports) -> str:
    """Return how a file names a type of the models, which then is loaded when it is looked at."""
    return f"{imports.use('.', 'models')}.{name}"


def is_free(tool: Tool, side: Side) -> bool:
    """Say whether a tool takes arguments that its schema neither names nor rules out."""
    record = side.record()
    if record is None:
        return True
    names_none = tool.input is not None and "properties" not in tool.input.raw
    return names_none and not (record.members or record.closed)


def _json_arguments(imports: Imports, *, is_free: bool) -> Parameter:
    imports.use("collections.abc", "Mapping")
    imports.use("typing", "Any")
    if is_free:
        doc = "The arguments by their names on the wire; the tool's schema names none."
        return Parameter("arguments", "", "Mapping[str, Any] | None", "None", doc)
    doc = "The arguments as plain JSON; the tool has no usable input schema."
    return Parameter("arguments", "", "Mapping[str, Any]", "", doc)


def _parameters(
    side: Side, root: Place, types: Types, style: Style, imports: Imports
) -> Iterator[Parameter]:
    record = side.record()
    members = record.members if record else ()
    names = naming.members((member.wire for member in members), style)
    class_names = {at: types.known_as(root.near(at)) for at in side.inferred.definitions}
    partners = {
        at: [("", f"models.{partner.name}") for partner in types.partners(root.near(at))]
        for at in class_names
    }
    expressions = TypeExpressions(
        _Models(class_names, imports), imports, exact=False, is_parameter=True, partners=partners
    )
    # Python wants no order of keyword-only parameters; a reader wants the required ones first.
    for member in members:
        node = member.documented or member.node
        annotation, default = expressions.sent(node, required=member.required)
        name = names[member.wire]
        doc = documentation.member(
            member.description, member.facts, member.wire, name, node, is_typed=True
        )
        yield Parameter(name, escaping.string(member.wire), annotation, default, doc)


class _Models(dict[str, str]):
    """The classes of a tool by the names that a client's file has for them."""

    def __init__(self, names: Mapping[str, str], imports: Imports) -> None:
        super().__init__(names)
        self._imports = imports

    def __getitem__(self, pointer: str) -> str:
        return _model(super().__getitem__(pointer), self._imports)


def _prompts(prompts: Iterable[Prompt], imports: Imports) -> Iterator[Method]:
    prompts = list(prompts)
    names = naming.chosen(
        (p.name for p in prompts), fallback="prompt", reserved=reserved_names.METHODS
    )
    for prompt in prompts:
        text = dedented(prompt.description) or prompt.title or f"Get the prompt {prompt.name}."
        yield Method(
            name=names[prompt.name],
            wire=escaping.string(prompt.name),
            kind="prompt",
            doc=renamed(text, prompt.name, names[prompt.name]),
            parameters=tuple(_strings(prompt.arguments, imports)),
            returns=_model("GetPromptResult", imports),
        )


def _resources(api: Api, imports: Imports) -> Iterator[Method]:
    for resource, name in resource_names(api):
        yield _resource(resource, name, imports, is_template=resource in api.templates)


def resource_names(api: Api) -> Iterator[tuple[Resource, str]]:
    """Yield every resource and resource template with the name of its method."""
    resources = [*api.resources, *api.templates]
    names = naming.chosen(
        (resource.name or resource.uri for resource in resources),
        fallback="resource",
        reserved=reserved_names.METHODS,
    )
    names_taken: set[str] = set()
    for resource in resources:
        name = names[resource.name or resource.uri]
        if name in names_taken:  # two resources with one name: told apart by their URIs
            name = naming.told_apart(name, resource.uri)
        names_taken.add(name)
        yield resource, name


def _resource(resource: Resource, name: str, imports: Imports, *, is_template: bool) -> Method:
    return Method(
        name=name,
        wire=escaping.string(resource.uri),
        kind="template" if is_template else "resource",
        doc=documentation.resource(resource),
        parameters=tuple(_strings(resource.variables, imports)),
        returns=imports.runtime("results", "ResourceResult"),
    )


def _strings(arguments: Iterable[Argument], imports: Imports) -> Iterator[Parameter]:
    arguments = sorted(arguments, key=lambda argument: not argument.required)
    names = naming.members(argument.name for argument in arguments)
    for argument in arguments:
        annotation = "str"
        if argument.repeated:
            imports.use("collections.abc", "Sequence")
            annotation = "str | Sequence[str]"
        default = ""
        if not argument.required:
            default = imports.use("pydantic", "MISSING")
            annotation = f"{annotation} | {default}"
        name = names[argument.name]
        doc = documentation.member(argument.description, (), argument.name, name)
        yield Parameter(name, escaping.string(argument.name), annotation, default, doc)


def renamed(text: str, wire: str, name: str) -> str:
    """Add to a text what its subject is called on the wire, where that is another name."""
    return text if name == wire else f"{text}\n\n{documentation.member('', (), wire, name)}"


def _types(prompts: Sequence[Method], shared: Shared | None) -> Iterator[Import]:
    """Yield the modules of the types that are no tool's."""
    if shared and shared.named:
        yield Import(2, f".{shared.name}", shared.named)
    if prompts:
        yield Import(1, "mcp.types", ("GetPromptResult",))


def _exports(prefix: str, prompts: bool, resources: bool) -> Iterator[str]:
    """Yield the classes of the client module."""
    yield from ("Client", f"{prefix}Client", f"Sync{prefix}Client")
    if prompts:
        yield from (f"{prefix}Prompts", f"Sync{prefix}Prompts")
    if resources:
        yield from (f"{prefix}Resources", f"Sync{prefix}Resources")
