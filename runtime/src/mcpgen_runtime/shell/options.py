"""The arguments of a tool as options: ``--query``, or ``--filter.genre``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from . import shapes
from .shapes import Json, Shape

_MOST = 400
_DEEPEST = 4


@dataclass(eq=False)
class WordsError(Exception):
    """Invalid command-line arguments: the reason, and a hint."""

    problem: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.problem}; {self.hint}" if self.hint else self.problem


@dataclass(frozen=True)
class Option:
    """An argument or a nested property. ``path`` has the JSON names."""

    path: tuple[str, ...]
    shape: Shape
    is_required: bool = False

    @property
    def name(self) -> str:
        """The JSON name, with dots between nested names."""
        return ".".join(self.path)

    @property
    def spelling(self) -> str:
        """The option as displayed."""
        return f"--{'.'.join(map(dash_name, self.path))}"


@dataclass(frozen=True)
class Options:
    """The options of a tool by name. ``rest`` has the arguments without an option."""

    tool: str
    root: Json
    shape: Shape
    by_name: Mapping[str, Option] = field(default_factory=dict[str, Option])

    @classmethod
    def from_schema(cls, tool: str, schema: Json) -> Options:
        """Read the input schema of a tool."""
        shape = shapes.read(schema, schema)
        listed: dict[str, Option] = {}
        for option in _flat(shape, schema, (), _DEEPEST):
            if len(listed) == _MOST:
                break
            listed.setdefault(option.name, option)
        return cls(tool, schema, shape, listed)

    def find(self, name: str) -> Option | None:
        """Return the option with a name, in JSON spelling or with dashes."""
        if name in self.by_name:
            return self.by_name[name]
        same = [item for item in self.by_name.values() if _fold_name(item) == fold(name)]
        return same[0] if len(same) == 1 else self._additional_option(name)

    def spelling(self, option: Option) -> str:
        """Return the spelling of an option that finds it again."""
        matching = self.find(option.spelling[2:])
        return option.spelling if matching is option else f"--{option.name}"

    def required_options(self) -> list[Option]:
        """Return the arguments that must be given."""
        return [item for item in self.top() if item.is_required]

    def top(self) -> list[Option]:
        """Return the arguments without nested properties."""
        return [item for item in self.by_name.values() if len(item.path) == 1]

    def near(self, name: str) -> str:
        """Suggest names similar to an unknown one."""
        spellings = {self.spelling(item): item for item in self.by_name.values()}
        if close := difflib.get_close_matches(f"--{name}", spellings, 1):
            return f"did you mean {close[0]}?"
        names = [self.spelling(entry) for entry in self.top()]
        if not names:
            return "it takes no arguments"
        more = ", ..." if len(names) > _SHOWN else ""
        return f"its arguments: {', '.join(names[:_SHOWN])}{more}"

    def place(self, pointer: str) -> str:
        """Return the option for a JSON pointer into the arguments."""
        steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")]
        for end in range(len(steps), 1, -1):
            option = self.by_name.get(".".join(steps[1:end]))
            if option is not None:
                inner = "/".join(steps[end:])
                return self.spelling(option) + (f" at /{inner}" if inner else "")
        return pointer

    def _additional_option(self, name: str) -> Option | None:
        """Return the option for a property of an object with arbitrary names."""
        first, dot, last = name.rpartition(".")
        if dot:
            within = self.find(first)
            if within is None or "object" not in within.shape.kinds:
                return None
            path, shape = within.path, within.shape
        else:
            path, shape = (), self.shape
            if not shape.rest:  # objects that are open by default would hide every typo
                return None
        if shape.rest is False:
            return None
        return Option((*path, last), shapes.read(shape.rest, self.root))


_SHOWN = 12


def dash_name(name: str) -> str:
    """Return a name as options are written: ``maxResults`` becomes ``max-results``."""
    hyphenated = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name)
    return re.sub(r"[_\s]+", "-", hyphenated).lower() if hyphenated.isascii() else name


def fold(name: str) -> str:
    """Return a key that is equal for all spellings of a name."""
    return re.sub(r"[-_\s]", "", name).lower()


def find_name(name: str, names: Iterable[str], kind: str) -> str:
    """Return the matching name among several, in JSON spelling or with dashes."""
    candidates = list(names)
    if name in candidates:
        return name
    same = [candidate for candidate in candidates if fold(candidate) == fold(name)]
    if len(same) == 1:
        return same[0]
    close = difflib.get_close_matches(name, [dash_name(item) for item in candidates], 3, 0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else ""
    if not hint and candidates:
        more = ", ..." if len(candidates) > _SHOWN else ""
        hint = f"it has {', '.join(sorted(map(dash_name, candidates))[:_SHOWN])}{more}"
    if len(same) > 1:
        hint = f"there are {' and '.join(same)}"
    raise WordsError(f"the server has no {kind} {name!r}", hint)


def _flat(shape: Shape, root: Json, path: Sequence[str], deep: int) -> Iterator[Option]:
    """Yield arguments and nested properties, level by level."""
    inner: list[Option] = []
    for name, schema in shape.members.items():
        option = Option((*path, name), shapes.read(schema, root), name in shape.required)
        inner.append(option)
        yield option
    if deep:
        for option in inner:
            if "object" in option.shape.kinds:
                yield from _flat(option.shape, root, option.path, deep - 1)


def _fold_name(option: Option) -> str:
    return fold(option.name)
