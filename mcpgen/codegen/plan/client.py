"""The client: one method for each tool, prompt, resource and resource template."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from mcpgen import __version__
from mcpgen.codegen import escaping, naming
from mcpgen.codegen.environment import described, needs
from mcpgen.codegen.paragraphs import dedented
from mcpgen.codegen.plan import documentation, lines, models
from mcpgen.codegen.plan.package import Import, Method, Package, Parameter, Part, Shared
from mcpgen.codegen.plan.sharing import ARGUMENTS, RESULT, Place, Types, share
from mcpgen.codegen.plan.sides import Side, arguments, result
from mcpgen.codegen.plan.spelling import Imports, Spelling, Style
from mcpgen.codegen.plan.split import split
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
) -> Package:
    """Give everything its final Python spelling."""
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
    own, parts = _parts(planned, sum(map(lines.height, (*prompts, *resources))))
    return Package(
        name=name,
        prefix=prefix,
        style=style,
        version=__version__,
        hash=digest,
        summary=_summary(api),
        about=f"{_summary(api)}\n\n{_needed(origin, name)}".strip(),
        doc=_doc(api),
        imports=_imports(own, rest, prompts, resources, parts),
        parts=parts,
        own=tuple(method for method, _ in own),
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
    own = named(groups.pop("", []), planned)
    files = naming.files(groups)
    parts = (_part(files[label], named(names, planned)) for label, names in groups.items())
    return own, tuple(parts)


def named(names: Iterable[str], planned: Iterable[Planned]) -> list[Planned]:
    """Return the methods of these names, in the order of the tools."""
    chosen = set(names)
    return [each for each in planned if each[0].name in chosen]


def _part(file: str, planned: Sequence[Planned]) -> Part:
    imports = Imports("..")
    imports.runtime("client", "McpClient")
    imports.runtime("sync", "blocking")
    for _, used in planned:
        imports.add(used)
    return Part(
        name=file,
        prefix=naming.pascal(file),
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
    for _, used in tools:
        imports.add(used)
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
    named = escaping.plain(api.title or api.server) or "without a name"
    version = escaping.plain(api.version)
    return f"Client of the MCP server {named}{f', version {version}' if version else ''}."


def _needed(origin: Mapping[str, Json], name: str) -> str:
    """Return what must be in the environment to reach the recorded server, if anything must."""
    found = needs(origin, name)
    if not found:
        return ""
    told = escaping.plain(described(origin))
    listed = [f"- {escaping.plain(f'{need.variable}: {need.what}')}" for need in found]
    said = "Without a target `connect()` reads from the environment, to reach what was recorded:"
    return "\n".join([said, "", f"    {told}", "", *listed])


def _doc(api: Api) -> str:
    """Return the text of the client class: what the server says of itself."""
    said = dedented(api.instructions)
    return f"{_summary(api)}\n\n{said}" if said else _summary(api)


def _tool(tool: Tool, name: str, types: Types, style: Style) -> Planned:
    given, received = types.sides[tool.name]
    imports = Imports(".")
    kind = "tool" if given else "plain"
    taken = Place(tool.name, ARGUMENTS, "")
    parameters = tuple(_parameters(given, taken, types, style, imports)) if given else ()
    if given is None or is_free(tool, given):
        kind = "free" if given else "plain"
        parameters = (_plain(imports, is_free=given is not None),)
    if received:
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


def _model(name: str, imports: Imports) -> str:
    """Return how a file names a type of the models, which then is loaded when it is looked at."""
    return f"{imports.use('.', 'models')}.{name}"


def is_free(tool: Tool, given: Side) -> bool:
    """Say whether a tool takes arguments that its schema neither names nor rules out."""
    record = given.record()
    if record is None:
        return True
    is_silent = tool.input is not None and "properties" not in tool.input.raw
    return is_silent and not (record.members or record.closed)


def _plain(imports: Imports, *, is_free: bool) -> Parameter:
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
    known = {at: types.known_as(root.near(at)) for at in side.shape.definitions}
    partners = {
        at: [("", f"models.{partner.name}") for partner in types.partners(root.near(at))]
        for at in known
    }
    spelling = Spelling(
        _Models(known, imports), imports, exact=False, taken=True, partners=partners
    )
    # Python wants no order of keyword-only parameters; a reader wants the required ones first.
    for member in members:
        told = member.documented or member.node
        annotation, default = spelling.given(told, required=member.required)
        name = names[member.wire]
        doc = documentation.member(
            member.description, member.facts, member.wire, name, told, is_typed=True
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
    listed = list(prompts)
    names = naming.chosen((p.name for p in listed), fallback="prompt", reserved=naming.METHODS)
    for prompt in listed:
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
        yield _resource(resource, name, api, imports)


def resource_names(api: Api) -> Iterator[tuple[Resource, str]]:
    """Yield every resource and resource template with the name of its method."""
    listed = [*api.resources, *api.templates]
    names = naming.chosen(
        (resource.name or resource.uri for resource in listed),
        fallback="resource",
        reserved=naming.METHODS,
    )
    taken: set[str] = set()
    for resource in listed:
        name = names[resource.name or resource.uri]
        if name in taken:  # two resources with one name: told apart by their URIs
            name = naming.told_apart(name, resource.uri)
        taken.add(name)
        yield resource, name


def _resource(said: Resource, name: str, api: Api, imports: Imports) -> Method:
    return Method(
        name=name,
        wire=escaping.string(said.uri),
        kind="template" if said in api.templates else "resource",
        doc=documentation.resource(said),
        parameters=tuple(_strings(said.variables, imports)),
        returns=imports.runtime("results", "ResourceResult"),
    )


def _strings(arguments: Iterable[Argument], imports: Imports) -> Iterator[Parameter]:
    listed = sorted(arguments, key=lambda argument: not argument.required)
    names = naming.members(argument.name for argument in listed)
    for argument in listed:
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
