"""Plans the methods for prompts, resources and resource templates: their arguments are strings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from mcpgen.codegen import escaping, naming, reserved_names
from mcpgen.codegen.paragraphs import dedent
from mcpgen.codegen.plan import documentation
from mcpgen.codegen.plan.imports import Imports
from mcpgen.codegen.plan.methods import Planned
from mcpgen.codegen.plan.package import Method, MethodKind, Parameter
from mcpgen.contract.definitions import Api, Argument, Resource

Expression: TypeAlias = Callable[[Imports], str]
"""Notes what an expression needs, and returns it."""


@dataclass(frozen=True, slots=True)
class Conventions:
    """The differences between the methods of clients and servers.

    ``verb`` describes what a method does with a prompt. ``prompt`` and ``resource`` are return
    types, ``absent`` is the default of optional arguments. ``parameter`` precedes the arguments.
    """

    verb: str
    prompt: Expression
    resource: Expression
    absent: Expression
    parameter: str = ""


def prompts(api: Api, conventions: Conventions) -> Iterator[Planned]:
    """Yield a method for each prompt."""
    names = naming.choose(
        (prompt.name for prompt in api.prompts),
        fallback="prompt",
        reserved=reserved_names.METHODS,
    )
    for prompt in api.prompts:
        imports = Imports(".")
        name = names[prompt.name]
        described = dedent(prompt.description) or prompt.title
        text = described or f"{conventions.verb} the prompt {prompt.name}."
        renamed = "" if name == prompt.name else documentation.member("", (), prompt.name, name)
        method = Method(
            name=name,
            wire=escaping.string(prompt.name),
            kind="prompt",
            doc=f"{text}\n\n{renamed}" if renamed else text,
            parameters=tuple(_strings(prompt.arguments, conventions, imports)),
            returns=conventions.prompt(imports),
        )
        yield method, imports


def resources(api: Api, conventions: Conventions) -> Iterator[Planned]:
    """Yield a method for each resource, then one for each resource template."""
    for kind, resource, name in _named_resources(api):
        imports = Imports(".")
        method = Method(
            name=name,
            wire=escaping.string(resource.uri),
            kind=kind,
            doc=documentation.resource(resource),
            parameters=tuple(_strings(resource.variables, conventions, imports)),
            returns=conventions.resource(imports),
        )
        yield method, imports


def completions(planned: Iterable[Planned]) -> Iterator[Planned]:
    """Yield a method for each prompt or resource template with arguments, which completes one."""
    methods = [method for method, _ in planned]
    names = {method.name for method in methods}
    for method in methods:
        if not method.parameters:
            continue
        name = f"complete_{method.name}"
        while name in names:
            name = f"{name}_"
        names.add(name)
        imports = Imports(".")
        literal = imports.use("typing", "Literal")
        mapping = imports.use("collections.abc", "Mapping")
        wires = ", ".join(parameter.wire for parameter in method.parameters)
        parameters = (
            Parameter("argument", "", f"{literal}[{wires}]", "", "The argument to complete."),
            Parameter("value", "", "str", '""', "The beginning of its value."),
            Parameter("known", "", f"{mapping}[str, str] | None", "None", "Other arguments."),
        )
        doc = f"Suggest values for an argument of `{method.name}`."
        returns = imports.runtime("client", "Completion")
        yield Method(name, method.wire, "completion", doc, parameters, returns), imports


def _named_resources(api: Api) -> Iterator[tuple[MethodKind, Resource, str]]:
    """Yield every resource and resource template with the name of its method."""
    kinds: tuple[tuple[MethodKind, tuple[Resource, ...]], ...]
    kinds = (("resource", api.resources), ("template", api.templates))
    names = naming.choose(
        (resource.name or resource.uri for _, listed in kinds for resource in listed),
        fallback="resource",
        reserved=reserved_names.OF_RESOURCES,
    )
    names_taken: set[str] = set()
    for kind, listed in kinds:
        for resource in listed:
            name = names[resource.name or resource.uri]
            if name in names_taken:  # two resources with one name: told apart by their URIs
                name = naming.distinguish(name, resource.uri)
            names_taken.add(name)
            yield kind, resource, name


def _strings(
    arguments: Iterable[Argument], conventions: Conventions, imports: Imports
) -> Iterator[Parameter]:
    arguments = sorted(arguments, key=lambda argument: not argument.required)
    names = naming.members(
        (argument.name for argument in arguments), parameter=conventions.parameter
    )
    for argument in arguments:
        annotation = "str"
        if argument.repeated:
            imports.use("collections.abc", "Sequence")
            annotation = "str | Sequence[str]"
        default = ""
        if not argument.required:
            default = conventions.absent(imports)
            annotation = f"{annotation} | {default}"
        name = names[argument.name]
        doc = documentation.member(argument.description, (), argument.name, name)
        yield Parameter(name, escaping.string(argument.name), annotation, default, doc)
