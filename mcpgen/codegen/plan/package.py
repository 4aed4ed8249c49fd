"""The packages to render. Each string is final Python code, not JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

Style = Literal["dataclass", "basemodel", "typeddict"]
Formats = Literal["assertion", "annotation"]
"""Whether a string with an invalid format makes a result invalid, or stays a string."""
BaseKind = Literal["tools", "prompts", "resources"]
MethodKind = Literal["tool", "free", "plain", "prompt", "resource", "template", "completion"]
"""The origin of a method. A ``free`` tool has unnamed arguments, a ``plain`` one takes plain
JSON.
"""

STRUCTURED = " | CallToolResult"
"""Alternative return type of a server's tool with an output schema, for more than its JSON."""


@dataclass(frozen=True, slots=True)
class Import:
    """A statement ``from module import names``.

    ``group`` sets its position: 0 standard library, 1 third party, 2 this package.
    """

    group: int
    module: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a class. ``doc`` is plain text, not yet a literal."""

    name: str
    wire: str
    annotation: str
    default: str
    doc: str


@dataclass(frozen=True, slots=True)
class Class:
    """A model class. ``functional`` means a TypedDict whose keys aren't identifiers."""

    name: str
    base: str
    closed: bool
    doc: str
    fields: tuple[Field, ...]
    functional: bool = False


@dataclass(frozen=True, slots=True)
class Alias:
    """A named type. A recursive one needs ``TypeAliasType``."""

    name: str
    annotation: str
    doc: str
    recursive: bool


@dataclass(frozen=True, slots=True)
class Module:
    """The models of a tool, and its ``TOOL``.

    If the type of the result is observed, ``observed`` is the part of the result with the data, and
    ``promises`` is True if the tool has an output schema, too. ``shared_aliases`` are the tool's
    own names of types in the shared module.
    """

    name: str
    tool: str
    hash: str
    doc: str
    imports: tuple[Import, ...]
    definitions: tuple[Class | Alias, ...]
    arguments: str
    result: str
    returns: str
    exact_arguments: bool
    exact_result: bool
    unwrap: bool
    plain: bool
    forbidden_reason: str
    shared_aliases: tuple[str, ...]
    observed: str = ""
    promises: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its types, sorted."""
        return tuple(
            sorted([*(definition.name for definition in self.definitions), *self.shared_aliases])
        )


@dataclass(frozen=True, slots=True)
class Shared:
    """The models that several tools share. ``named`` are those with names from schemas."""

    name: str
    hash: str
    doc: str
    imports: tuple[Import, ...]
    definitions: tuple[Class | Alias, ...]
    named: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A keyword parameter. ``wire`` is the literal of its JSON name."""

    name: str
    wire: str
    annotation: str
    default: str
    doc: str


@dataclass(frozen=True, slots=True)
class Method:
    """A method for a tool, prompt, resource or resource template.

    ``wire`` is the literal of its name, URI or template. ``kind`` decides which call it makes.
    ``hints`` are the server's claims about a tool, on one line. ``body`` is the first code of the
    author's method, if it calls a former server.
    """

    name: str
    wire: str
    kind: MethodKind
    doc: str
    parameters: tuple[Parameter, ...]
    returns: str
    module: str = ""
    hints: str = ""
    body: str = ""

    @property
    def answer(self) -> str:
        """The return type of an author's method, which may be wider than ``returns``."""
        return self.returns.removesuffix(STRUCTURED)


@dataclass(frozen=True, slots=True)
class MethodFile:
    """A file with methods of a server's tools, named after their common prefix.

    The author's file starts with ``own_imports``.
    """

    name: str
    prefix: str
    imports: tuple[Import, ...]
    methods: tuple[Method, ...]
    typing_imports: tuple[Import, ...] = ()
    own_imports: tuple[Import, ...] = ()

    @property
    def base(self) -> str:
        """The name of its abstract class. No other class of a server ends like this."""
        return f"{self.prefix}Base"

    @property
    def author_class(self) -> str:
        """The name of the author's class."""
        return f"{self.prefix}Methods"


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """The common part of client and server packages.

    ``parts`` are the files of the tools' methods, if they need several. ``types`` are the modules
    of types that don't belong to a tool.
    """

    name: str
    prefix: str
    style: Style
    version: str
    hash: str
    summary: str
    doc: str
    imports: tuple[Import, ...]
    parts: tuple[MethodFile, ...]
    modules: tuple[Module, ...]
    shared: Shared | None
    types: tuple[Import, ...]

    @property
    def type_modules(self) -> tuple[Import, ...]:
        """The modules of all its types."""
        tools = [
            Import(2, f".{module.name}", module.names) for module in self.modules if module.names
        ]
        return tuple(sorted([*self.types, *tools], key=lambda line: (line.group, line.module)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientPackage(Package):
    """A client package. Its ``imports`` are those of the client module.

    ``exports`` are the public names of that module. ``trust`` is the default of
    ``connect(trust=...)``. The completions complete arguments of prompts and resource templates.
    """

    about: str
    trust: bool
    tools: tuple[Method, ...]
    prompts: tuple[Method, ...]
    prompt_completions: tuple[Method, ...]
    resources: tuple[Method, ...]
    resource_completions: tuple[Method, ...]
    exports: tuple[str, ...]
    fakes: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Base:
    """An abstract class of a server, and the author's file that implements it.

    ``kind`` is the name of that file, and of the parameter of ``create``. ``imports`` are those of
    the file. ``rest`` are the methods outside of all parts. With ``uses_override``, type checkers
    report methods of removed tools. ``completions`` may be overridden, by prompt or template.
    """

    kind: BaseKind
    name: str
    doc: str
    methods: tuple[Method, ...]
    imports: tuple[Import, ...]
    rest: tuple[Method, ...]
    rest_imports: tuple[Import, ...]
    uses_override: bool
    completions: Mapping[str, Method]

    @property
    def author_class(self) -> str:
        """The name of the author's class."""
        return self.kind.title()


@dataclass(frozen=True, slots=True)
class Group:
    """The registered methods of one kind: the literal of the name, and the call."""

    kind: str
    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerPackage(Package):
    """A server package. Its ``imports`` are those of the module with the abstract classes.

    ``distribution`` is the name of its project.
    """

    distribution: str
    server: str
    released: str
    typing_imports: tuple[Import, ...]
    register_imports: tuple[Import, ...]
    bases: tuple[Base, ...]
    registered: tuple[Group, ...]
    exports: tuple[Import, ...]
    shared_names: tuple[str, ...]
    runs_tasks: bool

    @property
    def base_names(self) -> tuple[str, ...]:
        """The names of the abstract classes, sorted."""
        return tuple(sorted(base.name for base in self.bases))


Key = TypeVar("Key", int, str)


def in_dependency_order(needed: Mapping[Key, Sequence[Key]]) -> list[Key]:
    """Return all keys, each after its dependencies. Otherwise their order stays."""
    ordered: dict[Key, None] = {}
    entered: set[Key] = set()
    waiting = [(key, False) for key in reversed(list(needed))]
    while waiting:
        key, is_finished = waiting.pop()
        if is_finished:
            ordered.setdefault(key)
        elif key not in entered:
            entered.add(key)
            waiting.append((key, True))
            waiting += [(other, False) for other in reversed(needed[key]) if other not in entered]
    return list(ordered)
