"""The package to be emitted: every string in it is final Python, and no JSON Schema is left."""

from __future__ import annotations

from dataclasses import dataclass


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
    """The models of one tool and its ``TOOL``."""

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

    ``wire`` is the literal of its name, URI or template; ``kind`` says which call it makes.
    """

    name: str
    wire: str
    kind: str
    doc: str
    parameters: tuple[Parameter, ...]
    returns: str
    module: str = ""


@dataclass(frozen=True, slots=True)
class Package:
    """A client package, ready to be laid out; ``exports`` are the modules of its public names."""

    name: str
    prefix: str
    style: str
    version: str
    hash: str
    summary: str
    about: str
    doc: str
    imports: tuple[Import, ...]
    typing_imports: tuple[Import, ...]
    tools: tuple[Method, ...]
    prompts: tuple[Method, ...]
    resources: tuple[Method, ...]
    modules: tuple[Module, ...]
    shared: Shared | None
    exports: tuple[Import, ...]

    @property
    def public(self) -> tuple[str, ...]:
        """The names that the package exports, sorted."""
        return tuple(sorted(name for line in self.exports for name in line.names))


@dataclass(frozen=True, slots=True)
class Base:
    """An abstract class of a server, and the file in which its author implements it.

    ``kind`` is the name of that file, and of the parameter of ``create``; ``imports`` are what
    the file starts with, ``returns`` what its methods return, in the order of ``methods``.
    """

    kind: str
    name: str
    doc: str
    methods: tuple[Method, ...]
    returns: tuple[str, ...]
    imports: tuple[Import, ...]
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
    registered: tuple[Group, ...]
    modules: tuple[Module, ...]
    shared: Shared | None
    exports: tuple[Import, ...]

    @property
    def public(self) -> tuple[str, ...]:
        """The names that the package exports, sorted."""
        return tuple(sorted(name for line in self.exports for name in line.names))
