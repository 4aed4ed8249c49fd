"""Plans the client: one method for each tool, prompt, resource and resource template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mcpgen import __version__
from mcpgen.codegen import escaping, naming
from mcpgen.codegen.environment import endpoint_text, needs
from mcpgen.codegen.paragraphs import dedent
from mcpgen.codegen.plan import documentation, methods, models
from mcpgen.codegen.plan.imports import Imports
from mcpgen.codegen.plan.methods import Planned, only
from mcpgen.codegen.plan.package import (
    ClientPackage,
    Formats,
    Import,
    Method,
    MethodKind,
    Parameter,
    Shared,
    Style,
)
from mcpgen.codegen.plan.sharing import Types, share
from mcpgen.codegen.plan.tool_types import (
    ARGUMENTS,
    RESULT,
    SchemaLocation,
    ToolType,
    arguments,
    result,
)
from mcpgen.codegen.plan.type_expressions import TypeExpressions
from mcpgen.contract.definitions import Api, Tool
from mcpgen.jsontext import Json


def plan(  # noqa: PLR0913 - all that decides about a package
    api: Api,
    *,
    name: str,
    style: Style,
    formats: Formats = "assertion",
    trust: bool = False,
    digest: str,
    pins: Mapping[str, str],
    classes: Mapping[str, str],
    origin: Mapping[str, Json],
) -> ClientPackage:
    """Plan a client package: everything in it in its final Python form."""
    names = naming.methods((tool.name for tool in api.tools), pins)
    prefix = naming.prefix(name)
    tool_types = {
        tool.name: (arguments(tool, names[tool.name]), result(tool, names[tool.name]))
        for tool in api.tools
    }
    types = share(tool_types, classes, naming.own_classes(prefix))
    modules = tuple(
        models.module(tool, names[tool.name], types, style, formats=formats) for tool in api.tools
    )
    shared = models.shared_module(types, style, formats)
    tools = [_tool(tool, names[tool.name], types, style) for tool in api.tools]
    prompts = list(methods.prompts(api, CONVENTIONS))
    resources = list(methods.resources(api, CONVENTIONS))
    completed = (prompts, resources) if api.has_completions else ((), ())
    completions = [list(methods.completions(planneds)) for planneds in completed]
    summary = f"Client of the {documentation.server(api)}."
    return ClientPackage(
        name=name,
        prefix=prefix,
        style=style,
        trust=trust,
        version=__version__,
        hash=digest,
        summary=summary,
        about=f"{summary}\n\n{_environment_note(origin, name)}".strip(),
        doc=f"{summary}\n\n{dedent(api.instructions)}".strip(),
        imports=_imports([*tools, *completions[0], *completions[1]], prompts, resources),
        parts=(),
        tools=only(tools),
        prompts=only(prompts),
        prompt_completions=only(completions[0]),
        resources=only(resources),
        resource_completions=only(completions[1]),
        modules=modules,
        shared=shared,
        types=tuple(_types(shared, prompts)),
        exports=tuple(_exports(prefix, bool(prompts), bool(resources))),
        fakes=(f"Fake{prefix}Client", f"SyncFake{prefix}Client"),
    )


def _imports(
    tools: Sequence[Planned],
    prompts: Sequence[Planned],
    resources: Sequence[Planned],
) -> tuple[Import, ...]:
    """Return the imports of the client module."""
    imports = Imports(".")
    for _, method_imports in (*tools, *prompts, *resources):
        imports.add(method_imports)
    imports.use("typing", "ClassVar")
    imports.use("typing", "TYPE_CHECKING")
    imports.runtime("client", "SyncClient")
    if prompts:
        imports.runtime("client", "PromptsView")
    if resources:
        imports.runtime("client", "ResourcesView")
    if prompts or resources:
        imports.runtime("client", "SyncView")
    if tools or prompts or resources:
        imports.runtime("client", "blocking")
    imports.runtime("client", "McpClient")
    return imports.lines()


def _environment_note(origin: Mapping[str, Json], name: str) -> str:
    """Describe the environment variables that the recorded server needs, if any."""
    variables = needs(origin, name)
    if not variables:
        return ""
    endpoint = escaping.plain(endpoint_text(origin))
    items = [f"- {escaping.plain(f'{need.variable}: {need.what}')}" for need in variables]
    lead = (
        "Without a target `connect()` reads from the environment to connect to the recorded server:"
    )
    return "\n".join([lead, "", f"    {endpoint}", "", *items])


def _tool(tool: Tool, name: str, types: Types, style: Style) -> Planned:
    tool_type, result_side = types.types_by_tool[tool.name]
    imports = Imports(".")
    kind = _kind(tool, tool_type)
    if tool_type and kind == "tool":
        root = SchemaLocation(tool.name, ARGUMENTS, "")
        parameters = tuple(_parameters(tool_type, root, types, style, imports))
    else:
        parameters = (_json_arguments(imports, is_free=kind == "free"),)
    if result_side:
        returns = _model(types.known_as(SchemaLocation(tool.name, RESULT, "")), imports)
    elif tool.observed is not None:
        returns = "str"
    else:
        returns = imports.runtime("client", "ToolResult")
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


def _kind(tool: Tool, tool_type: ToolType | None) -> MethodKind:
    """Return how a tool takes its arguments."""
    if tool_type is None:
        return "plain"
    return "free" if is_free(tool, tool_type) else "tool"


def _model(name: str, imports: Imports) -> str:
    """Return the lazy reference to a type of the models, such as ``models.SearchInput``."""
    return f"{imports.use('.', 'models')}.{name}"


def is_free(tool: Tool, tool_type: ToolType) -> bool:
    """Return True if a tool accepts arguments that its schema neither names nor forbids."""
    record = tool_type.record()
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
    tool_type: ToolType, root: SchemaLocation, types: Types, style: Style, imports: Imports
) -> Iterator[Parameter]:
    record = tool_type.record()
    members = record.members if record else ()
    names = naming.members((member.wire for member in members), style)
    class_names = {at: types.known_as(root.near(at)) for at in tool_type.inferred.definitions}
    partners = {
        at: [("", f"models.{partner.name}") for partner in types.partners(root.near(at))]
        for at in class_names
    }
    expressions = TypeExpressions(
        _Models(class_names, imports), imports, exact=False, is_parameter=True, partners=partners
    )
    # Python allows any order of keyword-only parameters. Readers expect required ones first.
    for member in members:
        node = member.documented or member.node
        annotation, default = expressions.sent_property(node, required=member.required)
        name = names[member.wire]
        doc = documentation.member(
            member.description, member.facts, member.wire, name, node, is_typed=True
        )
        yield Parameter(name, escaping.string(member.wire), annotation, default, doc)


CONVENTIONS = methods.Conventions(
    verb="Get",
    prompt=lambda imports: _model("GetPromptResult", imports),
    resource=lambda imports: imports.runtime("client", "ResourceResult"),
    absent=lambda imports: imports.use("pydantic", "MISSING"),
)


class _Models(dict[str, str]):
    """The classes of a tool by the names that a client's file has for them."""

    def __init__(self, names: Mapping[str, str], imports: Imports) -> None:
        super().__init__(names)
        self._imports = imports

    def __getitem__(self, pointer: str) -> str:
        return _model(super().__getitem__(pointer), self._imports)


def _types(shared: Shared | None, prompts: Sequence[Planned]) -> Iterator[Import]:
    """Yield the modules of types that don't belong to a tool."""
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
