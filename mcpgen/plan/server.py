"""The server: one abstract method for each tool, prompt, resource and resource template."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mcpgen import __version__, literal, naming
from mcpgen.api import Api, Argument, Prompt, Resource, Tool
from mcpgen.plan import documentation, models
from mcpgen.plan.client import renamed, resource_names
from mcpgen.plan.package import Base, Group, Import, Method, Parameter, Skeleton
from mcpgen.plan.sharing import ARGUMENTS, RESULT, Place, Types, share
from mcpgen.plan.sides import arguments, result
from mcpgen.plan.spelling import Imports

_CLAIMS = "Clients are told"
_STRUCTURED = " | CallToolResult"
"""What a tool with an output schema may return besides, for more than its JSON."""


def plan(
    api: Api, *, name: str, digest: str, pins: Mapping[str, str], classes: Mapping[str, str]
) -> Skeleton:
    """Give everything its final Python spelling."""
    names = naming.methods((tool.name for tool in api.tools), pins)
    sides = {
        tool.name: (
            arguments(tool, names[tool.name], "server"),
            result(tool, names[tool.name], "server"),
        )
        for tool in api.tools
    }
    types = share(sides, classes)
    prefix = naming.prefix(name)
    bases = tuple(_bases(api, prefix, names, types))
    late = _late(bases)
    return Skeleton(
        name=name,
        prefix=prefix,
        distribution=naming.distribution(name),
        style="dataclass",
        version=__version__,
        hash=digest,
        server=literal.plain(api.server) or "server",
        released=literal.plain(api.version),
        summary=_summary(api),
        doc=f"{_summary(api)}\n\n{api.instructions.strip()}".strip(),
        imports=_imports(bool(late.names)),
        typing_imports=late.lines(),
        register_imports=_register(bases),
        bases=bases,
        registered=tuple(_registered(bases)),
        modules=tuple(
            models.module(tool, names[tool.name], types, "dataclass", "server")
            for tool in api.tools
        ),
        shared=models.shared(types, "dataclass"),
        exports=tuple(_exports(bases)),
    )


_OVERRIDE = "override"
_HOMES = {
    "Context": "context",
    "Answer": "results",
    "PromptAnswer": "results",
    "ResourceAnswer": "results",
}


def _late(bases: Iterable[Base]) -> Imports:
    """Return what the annotations of the abstract classes need: as their authors' files do."""
    late = Imports(".")
    for base in bases:
        if any(method.returns.endswith(_STRUCTURED) for method in base.methods):
            late.use("mcp.types", "CallToolResult")
        for line in base.imports:
            for name in line.names:
                if name in _HOMES:
                    late.runtime(_HOMES[name], name)
                elif name not in (base.name, _OVERRIDE):
                    late.use(line.module.replace("._generated.", "."), name)
    return late


def _summary(api: Api) -> str:
    named = literal.plain(api.title or api.server) or "without a name"
    version = literal.plain(api.version)
    return f"The MCP server {named}{f', version {version}' if version else ''}."


def _bases(api: Api, prefix: str, names: Mapping[str, str], types: Types) -> Iterator[Base]:
    own = Imports(".")
    tools = [_tool(tool, names[tool.name], types, own) for tool in api.tools]
    yield _base("tools", prefix, tools, own)
    if api.prompts:
        own = Imports(".")
        yield _base("prompts", prefix, list(_prompts(api.prompts, own)), own)
    if api.resources or api.templates:
        own = Imports(".")
        yield _base("resources", prefix, list(_resources(api, own)), own)


def _base(kind: str, prefix: str, methods: list[Method], own: Imports) -> Base:
    name = f"{prefix}{kind.title()}"
    own.use("._generated", name)
    if methods:
        own.use("._generated", "Context")
    # So that a type checker points at a method whose tool is no longer in the contract.
    marked = bool(methods) and not any(method.name == _OVERRIDE for method in methods)
    if marked:
        own.use("typing_extensions", _OVERRIDE)
    said = "resources and resource templates" if kind == "resources" else kind
    return Base(
        kind=kind,
        name=name,
        doc=f"The {said} that the server must have.",
        methods=tuple(methods),
        returns=tuple(method.returns.removesuffix(_STRUCTURED) for method in methods),
        imports=own.lines(),
        marked=marked,
    )


def _tool(tool: Tool, name: str, types: Types, own: Imports) -> Method:
    received, given = types.sides[tool.name]
    module = naming.module(name)
    if received:
        annotation = _class(types, Place(tool.name, ARGUMENTS, ""), module, own)
    else:
        own.use("collections.abc", "Mapping")
        own.use("typing", "Any")
        annotation = "Mapping[str, Any]"
    if given:
        returns = _class(types, Place(tool.name, RESULT, ""), module, own) + _STRUCTURED
    else:
        returns = own.use("._generated", "Answer")
    return Method(
        name=name,
        wire=literal.string(tool.name),
        kind="tool",
        doc=documentation.tool(tool, name, _CLAIMS),
        parameters=(Parameter("arguments", "", annotation, "", ""),),
        returns=returns,
        module=module,
    )


def _class(types: Types, root: Place, module: str, own: Imports) -> str:
    """Return the class of the whole of what a tool takes or gives."""
    if (one := types.at(root)).is_named:
        return own.use(f"._generated.models.{naming.SHARED}", one.name)
    return own.use(f"._generated.models.{module}", types.side(root).names[""])


def _prompts(prompts: Iterable[Prompt], own: Imports) -> Iterator[Method]:
    listed = list(prompts)
    names = naming.chosen((p.name for p in listed), fallback="prompt", reserved=naming.METHODS)
    for prompt in listed:
        text = prompt.description.strip() or prompt.title or f"Fill in the prompt {prompt.name}."
        yield Method(
            name=names[prompt.name],
            wire=literal.string(prompt.name),
            kind="prompt",
            doc=renamed(text, prompt.name, names[prompt.name]),
            parameters=tuple(_strings(prompt.arguments, own)),
            returns=own.use("._generated", "PromptAnswer"),
        )


def _resources(api: Api, own: Imports) -> Iterator[Method]:
    for resource, name in resource_names(api):
        yield _resource(resource, name, "template" if resource in api.templates else "", own)


def _resource(resource: Resource, name: str, kind: str, own: Imports) -> Method:
    return Method(
        name=name,
        wire=literal.string(resource.uri),
        kind=kind or "resource",
        doc=documentation.resource(resource),
        parameters=tuple(_strings(resource.variables, own)),
        returns=own.use("._generated", "ResourceAnswer"),
    )


def _strings(arguments: Iterable[Argument], own: Imports) -> Iterator[Parameter]:
    listed = sorted(arguments, key=lambda argument: not argument.required)
    names = naming.members((argument.name for argument in listed), taken="context")
    for argument in listed:
        annotation = "str"
        if argument.repeated:
            own.use("collections.abc", "Sequence")
            annotation = "str | Sequence[str]"
        default = "" if argument.required else "None"
        name = names[argument.name]
        doc = documentation.member(argument.description, (), argument.name, name)
        wanted = annotation if argument.required else f"{annotation} | None"
        yield Parameter(name, literal.string(argument.name), wanted, default, doc)


def _imports(late: bool) -> tuple[Import, ...]:
    """Return what the module of the abstract classes needs when it is loaded."""
    imports = Imports(".")
    imports.use("abc", "ABC")
    imports.use("abc", "abstractmethod")
    if late:
        imports.use("typing", "TYPE_CHECKING")
    return imports.lines()


def _register(bases: Iterable[Base]) -> tuple[Import, ...]:
    """Return what the module that registers the methods needs."""
    imports = Imports(".")
    imports.use("typing", "Any")
    imports.use("mcp.server", "Server")
    imports.runtime("build", "build")
    imports.runtime("policy", "Policy")
    for base in bases:
        imports.use(".base", base.name)
        if base.methods and base.kind != "tools":
            imports.runtime("documents", "Page")
    return imports.lines()


def _registered(bases: Iterable[Base]) -> Iterator[Group]:
    methods = [(base.kind, method) for base in bases for method in base.methods]
    for kind in ("tool", "prompt", "resource", "template"):
        entries = [(m.wire, _call(base, m)) for base, m in methods if m.kind == kind]
        yield Group(f"{kind}s", tuple(entries))


def _call(base: str, method: Method) -> str:
    if method.kind == "tool":
        return f"{base}.{method.name}"
    names = ", ".join(f"{each.wire}: {literal.string(each.name)}" for each in method.parameters)
    return f"Page({base}.{method.name}{f', {{{names}}}' if names else ''})"


_POLICY = ("Authorize", "Complete", "Limits", "Policy", "Rate", "Sanitize")


def _exports(bases: Iterable[Base]) -> Iterator[Import]:
    """Yield the public names by the modules that they are loaded from."""
    yield Import(2, "._runtime.context", ("Context",))
    yield Import(2, "._runtime.errors", ("NotFound", "ToolError"))
    yield Import(2, "._runtime.law", ("ToolInfo",))
    yield Import(2, "._runtime.policy", _POLICY)
    yield Import(2, "._runtime.results", ("Answer", "PromptAnswer", "ResourceAnswer"))
    yield Import(2, "._runtime.run", ("app", "run"))
    yield Import(2, "._runtime.subscriptions", ("Subscriptions",))
    yield Import(2, "._runtime.types", ("extras", "raw_json"))
    yield Import(2, ".base", tuple(sorted(base.name for base in bases)))
    yield Import(2, ".register", ("create",))
