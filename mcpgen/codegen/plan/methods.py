"""Plans the methods of tools, prompts and resources, and divides them into files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import TypeAlias

from mcpgen.codegen import escaping, naming, reserved_names
from mcpgen.codegen.paragraphs import dedent
from mcpgen.codegen.plan import documentation
from mcpgen.codegen.plan.imports import Imports
from mcpgen.codegen.plan.package import Method, MethodKind, Parameter
from mcpgen.contract.definitions import Api, Argument, Resource

LONGEST = 1_400
"""Maximum lines of methods in a file. This leaves a hundred lines for imports and the class."""

_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
_OTHERS = len(_LETTERS) + 1


def split(sizes: Mapping[str, int], extra: int = 0) -> dict[str, list[str]]:
    """Group methods by file. The key "" stands for the file of the class itself.

    ``sizes`` has the lines of each method, ``extra`` counts the lines around them.
    """
    names = sorted(sizes)
    if sum(sizes.values()) + extra <= LONGEST:
        return {"": names}
    return dict(_parts(names, sizes))


def _parts(names: Sequence[str], sizes: Mapping[str, int]) -> Iterator[tuple[str, list[str]]]:
    """Yield files of names with a common prefix."""
    shared = _common_length(names[0], names[-1])
    yield from _range(names[0][:shared], list(names), (0, _OTHERS), sizes)


def _common_length(first: str, last: str) -> int:
    """Return the length of the common prefix of two names."""
    pairs = zip(first, last, strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _range(
    beginning: str, names: list[str], letters: tuple[int, int], sizes: Mapping[str, int]
) -> Iterator[tuple[str, list[str]]]:
    """Yield one file of the names whose next letter is in a range, or several for its halves."""
    low, high = letters
    if len(names) == 1 or sum(sizes[name] for name in names) <= LONGEST:
        yield _label(beginning, letters, names), names
    elif low == high:
        for _, group in groupby(names, key=lambda name: name[: len(beginning) + 1]):
            yield from _parts(list(group), sizes)
    else:
        middle = (low + high) // 2
        for half in ((low, middle), (middle + 1, high)):
            inside = [name for name in names if half[0] <= _letter(name, beginning) <= half[1]]
            if inside:
                yield from _range(beginning, inside, half, sizes)


def _letter(name: str, beginning: str) -> int:
    """Return the index of the next letter of a name, or 0 at its end."""
    following = name[len(beginning) :].lstrip("_")[:1]
    return _LETTERS.find(following) + 1 or _OTHERS if following else 0


def _label(beginning: str, letters: tuple[int, int], names: Sequence[str]) -> str:
    """Return the prefix of the methods in a file: a letter more than others, or a range of
    letters.
    """
    low, high = letters
    first = _LETTERS[max(low - 1, 10 if high > 10 else 0)]
    last = _LETTERS[min(high, len(_LETTERS)) - 1]
    if first == last:
        return names[0][: len(beginning)] + _start(names[0][len(beginning) :])
    stem = beginning.rstrip("_")
    return f"{stem}_{first}_to_{last}" if stem else f"{first}_to_{last}"


def _start(rest: str) -> str:
    """Return the first letter of the rest of a name, and underscores before it."""
    return rest[: len(rest) - len(rest.lstrip("_")) + 1]


Planned: TypeAlias = "tuple[Method, Imports]"
"""A method, and the imports of its file. A server's file belongs to the user."""


def in_files(
    planned: Sequence[Planned], height: Callable[[Method], int], extra: int = 0
) -> tuple[Sequence[Planned], dict[str, list[Planned]]]:
    """Return the methods in the file of the class, and those in other files by file name.

    ``height`` counts the lines of a method, ``extra`` the lines around them.
    """
    groups = split({method.name: height(method) for method, _ in planned}, extra)
    own = _select(groups.pop("", []), planned)
    files = naming.files(groups)
    return own, {files[label]: _select(names, planned) for label, names in groups.items()}


def abstract_height(method: Method) -> int:
    """Return how many lines an abstract method of a server takes, or a few more."""
    # The docstring, plus the class and imports of an author's method.
    return documentation.method(method, 8).count("\n") + 14


def _select(names: Iterable[str], planned: Iterable[Planned]) -> list[Planned]:
    """Return the methods with these names, in the order of the tools."""
    names_left = set(names)
    return [item for item in planned if item[0].name in names_left]


def only(planned: Iterable[Planned]) -> tuple[Method, ...]:
    """Return the methods without their imports."""
    return tuple(method for method, _ in planned)


Expression: TypeAlias = Callable[[Imports], str]
"""Records the imports of an expression and returns the expression."""


@dataclass(frozen=True, slots=True)
class Conventions:
    """The differences between the methods of clients and servers.

    ``verb`` starts the description of a prompt's method. ``prompt`` and ``resource`` are return
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


def completions(planned: Iterable[Planned], *, is_server: bool = False) -> Iterator[Planned]:
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
        optional = ("", "") if is_server else (" | None", "None")
        parameters = (
            Parameter("argument", "", f"{literal}[{wires}]", "", "The argument to complete."),
            Parameter("value", "", "str", optional[1] and '""', "The beginning of its value."),
            Parameter(
                "known", "", f"{mapping}[str, str]{optional[0]}", optional[1], "Other arguments."
            ),
        )
        doc = f"Suggest values for an argument of `{method.name}`."
        if is_server:
            doc += "\n\nOverride it to return values, the best first."
            returns = f"{imports.use('collections.abc', 'Sequence')}[str]"
        else:
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
            if name in names_taken:  # two resources with one name are distinguished by their URIs
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
