"""The package to be emitted: every string in it is final Python, and no JSON Schema is left."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

STRUCTURED = " | CallToolResult"
"""What a server's tool with an output schema may return besides, for more than its JSON."""


@dataclass(frozen=True, slots=True)
class Import:
    """One ``from module import names``; ``group`` is 0 for the standard library, 1, 2 for ours."""

    group: int
    module: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A member of a class; ``doc`` is visible text, not yet a literal."""

    name: str
    wire: str
    annotation: str
    default: str
    doc: str


@dataclass(frozen=True, slots=True)
class Class:
    """A model class; ``functional`` is a TypedDict whose keys are no identifiers."""

    name: str
    base: str
    closed: bool
    doc: str
    fields: tuple[Field, ...]
    functional: bool = False


@dataclass(frozen=True, slots=True)
class Alias:
    """A named type; a recursive one needs ``TypeAliasType``."""

    name: str
    annotation: str
    doc: str
    recursive: bool


@dataclass(frozen=True, slots=True)
class Module:
    """The models of one tool and its ``TOOL``.

    ``known`` are those of its types that stand in the shared module under the tool's own name.
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
    barred: str
    known: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its types, sorted."""
        return tuple(sorted([*(definition.name for definition in self.definitions), *self.known]))


@dataclass(frozen=True, slots=True)
class Shared:
    """The models that are no tool's own; ``named`` are the names that schemas have for them."""

    name: str
    hash: str
    doc: str
    imports: tuple[Import, ...]
    definitions: tuple[Class | Alias, ...]
    named: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A keyword parameter; ``wire`` is the literal of its name on the wire."""

    name: str
    wire: str
    annotation: str
    default: str
    doc: str


@dataclass(frozen=True, slots=True)
class Method:
    """A method for a tool, prompt, resource or resource template.

    ``wire`` is the literal of its name, URI or template; ``kind`` says which call it makes;
    ``hints`` are what the server claims of a tool, in a line.
    """

    name: str
    wire: str
    kind: str
    doc: str
    parameters: tuple[Parameter, ...]
    returns: str
    module: str = ""
    hints: str = ""

    @property
    def answer(self) -> str:
        """What a server's author says that it returns, who may well say more than that."""
        return self.returns.removesuffix(STRUCTURED)


@dataclass(frozen=True, slots=True)
class Part:
    """One of several files with the methods of tools, named by how they begin.

    A server's has a file of its author's beside it, with ``own_imports``.
    """

    name: str
    prefix: str
    imports: tuple[Import, ...]
    methods: tuple[Method, ...]
    typing_imports: tuple[Import, ...] = ()
    own_imports: tuple[Import, ...] = ()

    @property
    def base(self) -> str:
        """The name of its abstract class; no other class of a server ends so."""
        return f"{self.prefix}Base"

    @property
    def own(self) -> str:
        """The name of the author's class."""
        return f"{self.prefix}Methods"

    @property
    def tools(self) -> str:
        """The name of its class; no other class of the client's module ends so."""
        return f"{self.prefix}Tools"

    @property
    def sync(self) -> str:
        """The name of its class for code without ``async``; none other ends so either."""
        return f"{self.prefix}ToolsSync"


@dataclass(frozen=True, slots=True)
class Package:
    """A client package, ready to be laid out.

    ``parts`` are the files of its tools' methods where one is not enough, ``own`` the methods in
    the client's own file, ``types`` the modules of types that are no tool's, ``exports`` the public
    names of the client's module.
    """

    name: str
    prefix: str
    style: str
    version: str
    hash: str
    summary: str
    about: str
    doc: str
    imports: tuple[Import, ...]
    parts: tuple[Part, ...]
    own: tuple[Method, ...]
    tools: tuple[Method, ...]
    prompts: tuple[Method, ...]
    resources: tuple[Method, ...]
    modules: tuple[Module, ...]
    shared: Shared | None
    types: tuple[Import, ...]
    exports: tuple[str, ...]

    @property
    def imported(self) -> tuple[Import, ...]:
        """The modules of all its types."""
        return _imported(self.types, self.modules)


def _imported(types: Iterable[Import], modules: Iterable[Module]) -> tuple[Import, ...]:
    tools = [Import(2, f".{module.name}", module.names) for module in modules if module.names]
    return tuple(sorted([*types, *tools], key=lambda line: (line.group, line.module)))


@dataclass(frozen=True, slots=True)
class Base:
    """An abstract class of a server, and the file in which its author implements it.

    ``kind`` is the name of that file, and of the parameter of ``create``; ``imports`` are what
    the file starts with. ``rest`` are the methods that are in no part.
    """

    kind: str
    name: str
    doc: str
    methods: tuple[Method, ...]
    imports: tuple[Import, ...]
    rest: tuple[Method, ...]
    rest_imports: tuple[Import, ...]
    marked: bool

    @property
    def own(self) -> str:
        """The name of the author's class."""
        return self.kind.title()


@dataclass(frozen=True, slots=True)
class Group:
    """What is registered of one kind: the wire name's literal, and the call that makes it."""

    kind: str
    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A server package, ready to be laid out; ``distribution`` is the name of its project."""

    name: str
    prefix: str
    distribution: str
    style: str
    version: str
    hash: str
    server: str
    released: str
    summary: str
    doc: str
    imports: tuple[Import, ...]
    typing_imports: tuple[Import, ...]
    register_imports: tuple[Import, ...]
    bases: tuple[Base, ...]
    parts: tuple[Part, ...]
    registered: tuple[Group, ...]
    modules: tuple[Module, ...]
    shared: Shared | None
    types: tuple[Import, ...]
    exports: tuple[Import, ...]

    @property
    def public(self) -> tuple[str, ...]:
        """The names that the package exports, sorted."""
        return tuple(sorted(name for line in self.exports for name in line.names))

    @property
    def imported(self) -> tuple[Import, ...]:
        """The modules of all its types."""
        return _imported(self.types, self.modules)
