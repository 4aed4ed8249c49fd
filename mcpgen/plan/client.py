"""The client: one method for each tool, prompt, resource and resource template."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mcpgen import __version__, literal, naming
from mcpgen.api import Api, Argument, Prompt, Resource, Tool
from mcpgen.jsontext import Json
from mcpgen.needs import described, needs
from mcpgen.plan import documentation, models
from mcpgen.plan.package import Import, Method, Module, Package, Parameter, Shared
from mcpgen.plan.sharing import ARGUMENTS, RESULT, Place, Types, share
from mcpgen.plan.sides import Side, arguments, result
from mcpgen.plan.spelling import Imports, Spelling, Style

_ERRORS = (
    "AuthorizationRequired",
    "CallTimeout",
    "ClientError",
    "ConnectionFailed",
    "ConnectionLost",
    "ContractDrift",
    "HttpError",
    "InvalidArguments",
    "InvalidResult",
    "NotConfirmed",
    "ProtocolError",
    "ToolError",
    "UnknownTool",
)


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
    sides = {
        tool.name: (arguments(tool, names[tool.name]), result(tool, names[tool.name]))
        for tool in api.tools
    }
    types = share(sides, classes)
    modules = tuple(models.module(tool, names[tool.name], types, style) for tool in api.tools)
    shared = models.shared(types, style)
    imports, typing_imports = Imports("."), Imports(".")
    tools = tuple(
        _tool(tool, names[tool.name], types, style, (imports, typing_imports)) for tool in api.tools
    )
    prefix = naming.prefix(name)
    prompts = tuple(_prompts(api.prompts, imports, typing_imports))
    resources = tuple(_resources(api, imports, typing_imports))
    _runtime(imports, typing_imports, tools=tools, prompts=prompts, resources=resources)
    return Package(
        name=name,
        prefix=prefix,
        style=style,
        version=__version__,
        hash=digest,
        summary=_summary(api),
        about=f"{_summary(api)}\n\n{_needed(origin, name)}".strip(),
        doc=_doc(api),
        imports=imports.lines(),
        typing_imports=typing_imports.lines(),
        tools=tools,
        prompts=prompts,
        resources=resources,
        modules=modules,
        shared=shared,
        exports=tuple(_exports(prefix, modules, shared)),
    )


def _runtime(
    imports: Imports,
    late: Imports,
    *,
    tools: Sequence[Method],
    prompts: Sequence[Method],
    resources: Sequence[Method],
) -> None:
    """Note what the client module needs of the runtime."""
    imports.use("typing", "ClassVar")
    imports.runtime("client", "McpClient")
    imports.runtime("faces", "RawFace")
    imports.runtime("sync", "SyncClient")
    imports.runtime("sync", "SyncFace")
    if tools:
        imports.runtime("faces", "raw")
        late.runtime("tool", "OnProgress")
    if prompts:
        imports.runtime("faces", "PromptFace")
    if resources:
        imports.runtime("faces", "ResourceFace")
    imports.runtime("sync", "blocking")
    if tools or prompts or resources:
        late.runtime("tool", "Meta")
    if late.names:
        imports.use("typing", "TYPE_CHECKING")


def _summary(api: Api) -> str:
    named = literal.plain(api.title or api.server) or "without a name"
    version = literal.plain(api.version)
    return f"Client of the MCP server {named}{f', version {version}' if version else ''}."


def _needed(origin: Mapping[str, Json], name: str) -> str:
    """Return what must be in the environment to reach the recorded server, if anything must."""
    found = needs(origin, name)
    if not found:
        return ""
    told = literal.plain(described(origin))
    lines = [f"- {literal.plain(f'{need.variable}: {need.what}')}" for need in found]
    said = "Without a target `connect()` reads from the environment, to reach what was recorded:"
    return "\n".join([said, "", f"    {told}", "", *lines])


def _doc(api: Api) -> str:
    """Return the text of the client class: what the server says of itself."""
    said = api.instructions.strip()
    return f"{_summary(api)}\n\n{said}" if said else _summary(api)


def _tool(
    tool: Tool,
    name: str,
    types: Types,
    style: Style,
    into: tuple[Imports, Imports],
) -> Method:
    given, received = types.sides[tool.name]
    _, late = into
    module = naming.module(name)
    kind = "tool" if given else "plain"
    taken = Place(tool.name, ARGUMENTS, "")
    parameters = tuple(_parameters(given, taken, types, style, into, module)) if given else ()
    if given is None or is_free(tool, given):
        kind = "free" if given else "plain"
        parameters = (_plain(late, is_free=given is not None),)
    if received:
        returns = _Noted(types, Place(tool.name, RESULT, ""), late, module)[""]
    else:
        returns = late.runtime("results", "ToolResult")
    return Method(
        name=name,
        wire=literal.string(tool.name),
        kind=kind,
        doc=documentation.tool(tool, name),
        parameters=parameters,
        returns=returns,
        module=module,
    )


def is_free(tool: Tool, given: Side) -> bool:
    """Say whether a tool takes arguments that its schema neither names nor rules out."""
    record = given.record()
    if record is None:
        return True
    is_silent = tool.input is not None and "properties" not in tool.input.raw
    return is_silent and not (record.members or record.closed)


def _plain(late: Imports, *, is_free: bool) -> Parameter:
    late.use("collections.abc", "Mapping")
    late.use("typing", "Any")
    if is_free:
        doc = "The arguments by their names on the wire; the tool's schema names none."
        return Parameter("arguments", "", "Mapping[str, Any] | None", "None", doc)
    doc = "The arguments as plain JSON; the tool has no usable input schema."
    return Parameter("arguments", "", "Mapping[str, Any]", "", doc)


def _parameters(  # noqa: PLR0913, PLR0917 - all that decides about a signature
    side: Side,
    root: Place,
    types: Types,
    style: Style,
    into: tuple[Imports, Imports],
    module: str,
) -> Iterable[Parameter]:
    imports, late = into
    record = side.record()
    members = record.members if record else ()
    names = naming.members((member.wire for member in members), style)
    partners = {
        at: [(f".models.{naming.SHARED}", partner.name) for partner in found]
        for at in side.shape.definitions
        if (found := types.partners(root.near(at)))
    }
    spelling = Spelling(_Noted(types, root, late, module), late, exact=False, partners=partners)
    # Python wants no order of keyword-only parameters; a reader wants the required ones first.
    for member in members:
        told = member.told or member.node
        annotation, default = spelling.given(told, required=member.required)
        if default:
            late.names.get("pydantic", set()).discard(default)
            imports.use("pydantic", default)
        name = names[member.wire]
        doc = documentation.member(member.description, member.facts, member.wire, name)
        yield Parameter(name, literal.string(member.wire), annotation, default, doc)


class _Noted(dict[str, str]):
    """The class names of a schema, noting each that is used as an import of its module."""

    def __init__(self, types: Types, root: Place, imports: Imports, module: str) -> None:
        super().__init__(types.side(root).names)
        self._types, self._root, self._imports, self._module = types, root, imports, module

    def __getitem__(self, pointer: str) -> str:
        one = self._types.at(self._root.near(pointer))
        if one.is_named:
            return self._imports.use(f".models.{naming.SHARED}", one.name)
        return self._imports.use(f".models.{self._module}", super().__getitem__(pointer))


def _prompts(prompts: Iterable[Prompt], imports: Imports, late: Imports) -> Iterable[Method]:
    listed = list(prompts)
    names = naming.chosen((p.name for p in listed), fallback="prompt", reserved=naming.METHODS)
    for prompt in listed:
        late.use("mcp.types", "GetPromptResult")
        text = prompt.description.strip() or prompt.title or f"Get the prompt {prompt.name}."
        yield Method(
            name=names[prompt.name],
            wire=literal.string(prompt.name),
            kind="prompt",
            doc=renamed(text, prompt.name, names[prompt.name]),
            parameters=tuple(_strings(prompt.arguments, imports, late)),
            returns="GetPromptResult",
        )


def _resources(api: Api, imports: Imports, late: Imports) -> Iterable[Method]:
    for resource, name in resource_names(api):
        yield _resource(resource, name, api, imports, late)


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


def _resource(said: Resource, name: str, api: Api, imports: Imports, late: Imports) -> Method:
    return Method(
        name=name,
        wire=literal.string(said.uri),
        kind="template" if said in api.templates else "resource",
        doc=documentation.resource(said),
        parameters=tuple(_strings(said.variables, imports, late)),
        returns=late.runtime("results", "ResourceResult"),
    )


def _strings(arguments: Iterable[Argument], imports: Imports, late: Imports) -> Iterable[Parameter]:
    listed = sorted(arguments, key=lambda argument: not argument.required)
    names = naming.members(argument.name for argument in listed)
    for argument in listed:
        annotation = "str"
        if argument.repeated:
            late.use("collections.abc", "Sequence")
            annotation = "str | Sequence[str]"
        default = ""
        if not argument.required:
            default = imports.use("pydantic", "MISSING")
            annotation = f"{annotation} | {default}"
        name = names[argument.name]
        doc = documentation.member(argument.description, (), argument.name, name)
        yield Parameter(name, literal.string(argument.name), annotation, default, doc)


def renamed(text: str, wire: str, name: str) -> str:
    """Add to a text what its subject is called on the wire, where that is another name."""
    return text if name == wire else f"{text}\n\n{documentation.member('', (), wire, name)}"


def _exports(prefix: str, modules: Iterable[Module], shared: Shared | None) -> Iterable[Import]:
    """Yield the package's public names by the modules that they are loaded from."""
    yield Import(2, "._runtime.errors", _ERRORS)
    yield Import(2, "._runtime.law", ("ToolInfo",))
    yield Import(2, "._runtime.results", ("ResourceResult", "ToolResult"))
    yield Import(2, "._runtime.types", ("extras", "raw_json"))
    yield Import(2, ".client", (f"{prefix}Client", f"Sync{prefix}Client"))
    for module in modules:
        names = tuple(name for name in (module.arguments, module.result) if name)
        if names:
            yield Import(2, f".models.{module.name}", names)
    if shared and shared.named:
        own = {f"{prefix}Client", f"Sync{prefix}Client"}
        yield Import(2, f".models.{shared.name}", tuple(sorted({*shared.named} - own)))
