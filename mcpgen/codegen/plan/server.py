"""Plans the server: one abstract method for each tool, prompt, resource and template."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from mcpgen import __version__
from mcpgen.codegen import escaping, identifiers, naming, reserved_names
from mcpgen.codegen.former import LEGACY, FormerServer
from mcpgen.codegen.paragraphs import dedent
from mcpgen.codegen.plan import documentation, methods, models
from mcpgen.codegen.plan.imports import RUNTIME, Imports, line
from mcpgen.codegen.plan.methods import Planned, in_files, only
from mcpgen.codegen.plan.package import (
    STRUCTURED,
    Base,
    BaseKind,
    Group,
    Import,
    Method,
    MethodFile,
    Parameter,
    ServerPackage,
)
from mcpgen.codegen.plan.sharing import Types, share
from mcpgen.codegen.plan.tool_types import ARGUMENTS, RESULT, SchemaLocation, arguments, result
from mcpgen.contract.definitions import Api, Tool
from mcpgen.contract.document import Contract


def plan(
    api: Api,
    *,
    name: str,
    contract: Contract,
    runs_tasks: bool,
    former: FormerServer | None = None,
) -> ServerPackage:
    """Plan a server package: everything in it in its final Python form."""
    pins, classes = contract.names, contract.classes
    names = naming.methods((tool.name for tool in api.tools), pins)
    prefix = naming.prefix(name)
    tool_types = {
        tool.name: (
            arguments(tool, names[tool.name], "server"),
            result(tool, names[tool.name], "server"),
        )
        for tool in api.tools
    }
    types = share(tool_types, classes, naming.own_classes(prefix))
    shared = models.shared_module(types, "dataclass")
    tools = [
        _calling(_tool(tool, names[tool.name], types), tool.name, former) for tool in api.tools
    ]
    rest, files = in_files(tools, methods.abstract_height)
    uses_override = _uses_override(tools)
    parts = tuple(
        _part(file, methods, f"{prefix}Tools", uses_override=uses_override)
        for file, methods in files.items()
    )
    bases = tuple(_bases(api, prefix, tools, rest, former))
    summary = f"The {documentation.server(api)}."
    return ServerPackage(
        name=name,
        prefix=prefix,
        distribution=naming.distribution(name),
        style="dataclass",
        version=__version__,
        hash=contract.digest(),
        server=escaping.plain(api.server) or "server",
        released=escaping.plain(api.version),
        summary=summary,
        doc=f"{summary}\n\n{dedent(api.instructions)}".strip(),
        imports=_imports(bases, parts),
        typing_imports=_typing_imports(bases),
        register_imports=_register(bases),
        bases=bases,
        parts=parts,
        registered=tuple(_registered_groups(bases)),
        modules=tuple(
            models.module(tool, names[tool.name], types, "dataclass", role="server")
            for tool in api.tools
        ),
        shared=shared,
        types=(Import(2, f".{shared.name}", shared.named),) if shared and shared.named else (),
        exports=tuple(_exports(bases)),
        shared_names=_SHARED,
        runs_tasks=runs_tasks,
    )


_OVERRIDE = "override"
_ANNOTATIONS = frozenset({"ToolOutput", "Context", "PromptOutput", "ResourceOutput"})
"""Names of the runtime that the annotations of an author's methods use."""


def _typing_imports(bases: Iterable[Base]) -> tuple[Import, ...]:
    """Return the imports for annotations of the abstract classes."""
    late = Imports(".")
    for base in bases:
        _add_annotations(base.rest, base.rest_imports, late)
        if base.completions:
            late.use("collections.abc", "Mapping")
            late.use("collections.abc", "Sequence")
            late.use("typing", "Literal")
    return late.lines()


def _add_annotations(methods: Sequence[Method], used: Iterable[Import], late: Imports) -> None:
    """Add the imports for annotations of abstract methods."""
    if any(method.returns.endswith(STRUCTURED) for method in methods):
        late.use("mcp.types", "CallToolResult")
    for item in used:
        _, _, inside = item.module.partition("_generated.")
        for name in item.names:
            if name in _ANNOTATIONS:
                late.runtime("server", name)
            elif inside:
                late.use(f"{late.local}{inside}", name)
            elif item.group < 2 and name != _OVERRIDE:
                late.use(item.module, name)


def _bases(
    api: Api,
    prefix: str,
    tools: Sequence[Planned],
    rest: Sequence[Planned],
    former: FormerServer | None,
) -> Iterator[Base]:
    yield _base("tools", prefix, tools, rest)
    completes = api.has_completions
    keys = [prompt.name for prompt in api.prompts]
    if prompts := _all_calling(methods.prompts(api, _CONVENTIONS), keys, former):
        yield _base("prompts", prefix, prompts, prompts, completes=completes)
    keys = [resource.uri for resource in (*api.resources, *api.templates)]
    if resources := _all_calling(methods.resources(api, _CONVENTIONS), keys, former):
        yield _base("resources", prefix, resources, resources, completes=completes)


def _all_calling(
    planned: Iterable[Planned], keys: Sequence[str], former: FormerServer | None
) -> list[Planned]:
    return [_calling(item, key, former) for item, key in zip(planned, keys, strict=True)]


def _calling(planned: Planned, key: str, former: FormerServer | None) -> Planned:
    """Return a method that calls its former function, if there is one."""
    method, imports = planned
    call = former.calls.get((method.kind, key)) if former else None
    if call is None:
        return planned
    imports.use("._generated", call.function)
    imports.use(".", LEGACY)
    if method.returns.endswith(STRUCTURED):
        imports.use("mcp.types", "CallToolResult")
    arguments = "arguments"
    if method.kind != "tool":
        items = ", ".join(f"{item.wire}: {item.name}" for item in method.parameters)
        arguments = f"{{{items}}}" if items or method.kind == "prompt" else ""
    return replace(method, body=call.code(arguments)), imports


def _base(
    kind: BaseKind,
    prefix: str,
    planned: Sequence[Planned],
    rest: Sequence[Planned],
    *,
    completes: bool = False,
) -> Base:
    name = f"{prefix}{kind.title()}"
    uses_override = _uses_override(planned)
    nouns = "resources and resource templates" if kind == "resources" else kind
    local = "." if len(rest) == len(planned) else ".."
    return Base(
        kind=kind,
        name=name,
        doc=f"The {nouns} that the server must have.",
        methods=only(planned),
        imports=_author_imports(planned, name, ".", uses_override=uses_override),
        rest=only(rest),
        rest_imports=_author_imports(rest, name, local, uses_override=uses_override),
        uses_override=uses_override,
        completions={
            method.wire: method
            for method in only(methods.completions(planned if completes else (), is_server=True))
        },
    )


def _uses_override(planned: Sequence[Planned]) -> bool:
    """Return True if type checkers should report methods of removed tools."""
    return bool(planned) and not any(method.name == _OVERRIDE for method, _ in planned)


def _author_imports(
    planned: Iterable[Planned], base: str, local: str, *, uses_override: bool
) -> tuple[Import, ...]:
    """Return the imports of an author's file with these methods."""
    imports = Imports(local)
    imports.use(f"{local}_generated", base)
    for _, method_imports in planned:
        imports.add(method_imports)
        imports.use(f"{local}_generated", "Context")
        if uses_override:
            imports.use("typing_extensions", _OVERRIDE)
    return imports.lines()


def _part(file: str, planned: Sequence[Planned], base: str, *, uses_override: bool) -> MethodFile:
    methods = only(planned)
    own_imports = _author_imports(planned, base, "..", uses_override=uses_override)
    late = Imports("..")
    _add_annotations(methods, own_imports, late)
    return MethodFile(
        name=file,
        prefix=identifiers.pascal(file),
        imports=_ABSTRACT,
        methods=methods,
        typing_imports=late.lines(),
        own_imports=own_imports,
    )


_ABSTRACT = (
    Import(0, "abc", ("ABC", "abstractmethod")),
    Import(0, "typing", ("TYPE_CHECKING",)),
)


def _tool(tool: Tool, name: str, types: Types) -> Planned:
    tool_type, result_side = types.types_by_tool[tool.name]
    imports = Imports(".")
    module = naming.module(name)
    if tool_type:
        annotation = _class(types, SchemaLocation(tool.name, ARGUMENTS, ""), module, imports)
    else:
        imports.use("collections.abc", "Mapping")
        imports.use("typing", "Any")
        annotation = "Mapping[str, Any]"
    if result_side:
        returns = _class(types, SchemaLocation(tool.name, RESULT, ""), module, imports) + STRUCTURED
    else:
        returns = imports.use("._generated", "ToolOutput")
    method = Method(
        name=name,
        wire=escaping.string(tool.name),
        kind="tool",
        doc=documentation.tool(tool, name),
        parameters=(Parameter("arguments", "", annotation, "", ""),),
        returns=returns,
        module=module,
        hints=documentation.hints(tool, "Hints to clients"),
    )
    return method, imports


def _class(types: Types, root: SchemaLocation, module: str, imports: Imports) -> str:
    """Return the class of a tool's complete arguments or result."""
    name, shared = types.known_as(root), types.type_at(root)
    home = reserved_names.SHARED if shared.is_named and shared.name == name else module
    return imports.use(f"._generated.models.{home}", name)


_CONVENTIONS = methods.Conventions(
    verb="Fill in",
    prompt=lambda imports: imports.use("._generated", "PromptOutput"),
    resource=lambda imports: imports.use("._generated", "ResourceOutput"),
    absent=lambda _: "None",
    parameter="context",
)


def _imports(bases: Sequence[Base], parts: Sequence[MethodFile]) -> tuple[Import, ...]:
    """Return the imports that the module of abstract classes needs at run time."""
    imports = Imports(".")
    if len(bases) > 1 or not parts:
        imports.use("abc", "ABC")
    if any(base.rest for base in bases):
        imports.use("abc", "abstractmethod")
        imports.use("typing", "TYPE_CHECKING")
    for part in parts:
        imports.use(f".tools.{part.name}", part.base)
    return imports.lines()


def _register(bases: Iterable[Base]) -> tuple[Import, ...]:
    """Return the imports of the module that registers the methods."""
    imports = Imports(".")
    imports.runtime("server", "ContractServer")
    imports.runtime("server", "build")
    imports.runtime("server", "Policy")
    for base in bases:
        imports.use(".base", base.name)
        if base.methods and base.kind != "tools":
            imports.runtime("server", "Handler")
    return imports.lines()


def _registered_groups(bases: Iterable[Base]) -> Iterator[Group]:
    methods = [(base, method) for base in bases for method in base.methods]
    for kind in ("tool", "prompt", "resource", "template"):
        entries = [(m.wire, _call(base, m)) for base, m in methods if m.kind == kind]
        yield Group(f"{kind}s", tuple(entries))


def _call(base: Base, method: Method) -> str:
    if method.kind == "tool":
        return f"{base.kind}.{method.name}"
    arguments = [f"{base.kind}.{method.name}"]
    names = ", ".join(
        f"{parameter.wire}: {escaping.string(parameter.name)}" for parameter in method.parameters
    )
    if names:
        arguments.append(f"{{{names}}}")
    if completion := base.completions.get(method.wire):
        arguments.append(f"{base.kind}.{completion.name}")
    return f"Handler({', '.join(arguments)})"


_SHARED = (
    "Authorize",
    "Complete",
    "Context",
    "HttpLimits",
    "Introspection",
    "JwtAuth",
    "Limits",
    "NotFound",
    "Policy",
    "PromptOutput",
    "Rate",
    "RedisStore",
    "ResourceOutput",
    "SamplingResult",
    "SamplingTool",
    "Sanitize",
    "Subscriptions",
    "Tasks",
    "TooManyRounds",
    "ToolError",
    "ToolInfo",
    "ToolOutput",
    "Unanswered",
    "app",
    "call_former_prompt",
    "call_former_resource",
    "call_former_server",
    "call_former_tool",
    "extras",
    "raw_json",
    "requires",
    "run",
)
"""Names of the runtime that a generated server re-exports."""


def _exports(bases: Iterable[Base]) -> Iterator[Import]:
    """Yield the public names by the modules that they are loaded from."""
    yield line(f"{RUNTIME}.server", *_SHARED)
    yield line(".base", *(base.name for base in bases))
    yield line(".register", "create")
