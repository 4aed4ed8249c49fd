"""The packages that are rendered: each string in them is final Python, not JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

Style = Literal["dataclass", "basemodel", "typeddict"]
Formats = Literal["assertion", "annotation"]
"""Whether a result whose string breaks its format is refused, or keeps the string."""
BaseKind = Literal["tools", "prompts", "resources"]
MethodKind = Literal["tool", "free", "plain", "prompt", "resource", "template", "completion"]
"""What a method is made of; of a tool also one whose arguments are ``free``, or ``plain`` JSON."""

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

    Of results whose type is not promised ``observed`` says where they stand, and ``promises``
    whether an output schema is kept besides. ``known`` are those of its types that stand in the
    shared module under the tool's own name.
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
    known: tuple[str, ...]
    observed: str = ""
    promises: bool = False

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

    ``wire`` is the literal of its name, URI or template; ``kind`` decides which call it makes;
    ``hints`` are what the server claims of a tool, in a line.
    """

    name: str
    wire: str
    kind: MethodKind
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
    """One of several files with the methods of a server's tools, named by how they begin.

    The author's file beside it starts with ``own_imports``.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """What a client's and a server's package have in common, ready to be rendered.

    ``parts`` are the files of its tools' methods where one is not enough, ``types`` the modules of
    types that are no tool's.
    """

    name: str
    prefix: str
    style: Style
    version: str
    hash: str
    summary: str
    doc: str
    imports: tuple[Import, ...]
    parts: tuple[Part, ...]
    modules: tuple[Module, ...]
    shared: Shared | None
    types: tuple[Import, ...]

    @property
    def imported(self) -> tuple[Import, ...]:
        """The modules of all its types."""
        tools = [Import(2, f".{each.name}", each.names) for each in self.modules if each.names]
        return tuple(sorted([*self.types, *tools], key=lambda line: (line.group, line.module)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientPackage(Package):
    """A client package; its ``imports`` are those of the client's module.

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
    """An abstract class of a server, and the file in which its author implements it.

    ``kind`` is the name of that file, and of the parameter of ``create``; ``imports`` are what
    the file starts with. ``rest`` are the methods that are in no part. With
    ``uses_override`` a type checker points at methods whose tools are no longer in the contract.
    """

    kind: BaseKind
    name: str
    doc: str
    methods: tuple[Method, ...]
    imports: tuple[Import, ...]
    rest: tuple[Method, ...]
    rest_imports: tuple[Import, ...]
    uses_override: bool

    @property
    def own(self) -> str:
        """The name of the author's class."""
        return self.kind.title()


@dataclass(frozen=True, slots=True)
class Group:
    """What is registered of one kind: the wire name's literal, and the call that makes it."""

    kind: str
    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerPackage(Package):
    """A server package; its ``imports`` are those of the module of its abstract classes.

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


def ordered(needed: Mapping[Key, Sequence[Key]]) -> list[Key]:
    """Return all keys, each after those it needs; where nothing decides, in their own order."""
    done: dict[Key, None] = {}
    entered: set[Key] = set()
    waiting = [(key, False) for key in reversed(list(needed))]
    while waiting:
        key, left = waiting.pop()
        if left:
            done.setdefault(key)
        elif key not in entered:
            entered.add(key)
            waiting.append((key, True))
            waiting += [(other, False) for other in reversed(needed[key]) if other not in entered]
    return list(done)
