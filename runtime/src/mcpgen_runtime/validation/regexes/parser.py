r"""Parser of ECMA-262 regular expressions.

Characters are code points, as with the flag ``u``. Syntax that this flag forbids is
accepted where other engines agree on the meaning, such as ``\-`` outside of a set.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import ClassVar, NoReturn

from . import characters
from .characters import Characters, UnrunnableError
from .scanner import Scanner, alone
from .syntax_tree import (
    Boundary,
    CharacterMatch,
    Choice,
    Edges,
    Group,
    Lookaround,
    Node,
    Reference,
    Repeat,
    Sequence,
    fold,
)

MOST_CHARACTERS = 100_000
MOST_NESTED = 1_000
MOST_LOOKS = 10
MOST_COUNT = 10**9


def read(pattern: str) -> Node:
    """Parse an expression.

    Raises:
        UnrunnableError: It is invalid or unsupported.
    """
    if len(pattern) > MOST_CHARACTERS:
        raise UnrunnableError(f"it has more than {MOST_CHARACTERS:,} characters")
    return _Reader(pattern).read()


@dataclass
class _Level:
    """An open group: its end, and its content so far."""

    close: Callable[[Node], Node]
    behind: bool = False
    looks: int = 0
    quantifiable: bool = True
    branches: list[list[Node]] = field(default_factory=lambda: [[]])

    @property
    def node(self) -> Node:
        sequences = [self._sequence(branch) for branch in self.branches]
        return sequences[0] if len(sequences) == 1 else Choice(tuple(sequences))

    def _sequence(self, branch: list[Node]) -> Node:
        if len(branch) == 1:
            return branch[0]
        return Sequence(tuple(reversed(branch) if self.behind else branch))


_QUANTIFIER = re.compile(
    r"(?:[*+?]|\{(?P<least>[0-9]+)(?P<comma>,(?P<most>[0-9]*))?\})(?P<lazy>\??)"
)
_NAME = re.compile(r"<([^<>]{1,200})>")
_NUMBER = re.compile(r"[1-9][0-9]*")
_LOOKS = {
    **{"(?=": (False, False), "(?!": (False, True)},
    **{"(?<=": (True, False), "(?<!": (True, True)},
}


@dataclass(frozen=True)
class _PendingReference(Node):
    """A reference before all groups are known."""

    key: int | str = 0
    behind: bool = False


class _Reader(Scanner):
    """Parses from left to right, with the open groups in ``levels``."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.levels = [_Level(lambda inner: inner)]
        self.groups = 0
        self.names: dict[str, int] = {}
        self.asked: list[int | str] = []

    def read(self) -> Node:
        while self.at < len(self.text):
            character = self.text[self.at]
            read = self._READERS.get(character)
            if read is not None:
                read(self)
                continue
            self.at += 1
            self._add_one(alone(ord(character)))
        if len(self.levels) > 1:
            self.refuse("a group has no end")
        for key in self.asked:
            if key not in self.names and not (isinstance(key, int) and key <= self.groups):
                self.refuse("refers to a missing group")
        tree = self.levels[0].node
        return _resolve_names(tree, self.names) if self.asked else tree

    def _add(self, node: Node, *, quantifiable: bool = True) -> None:
        quantifier = _QUANTIFIER.match(self.text, self.at) if quantifiable else None
        if quantifier is not None:
            self.at = quantifier.end()
            least, most = _counts(quantifier)
            if most is not None and least > most:
                self.refuse("a repetition ends before it begins")
            node = Repeat((node,), least, most, bool(quantifier["lazy"]))
        self.levels[-1].branches[-1].append(node)

    def _add_one(self, among: Characters) -> None:
        self._add(CharacterMatch((), among, self.levels[-1].behind))

    def _open(self) -> None:
        above = self.levels[-1]
        if len(self.levels) > MOST_NESTED:
            self.refuse(f"groups are nested more than {MOST_NESTED} deep")
        start = next((s for s in (*_LOOKS, "(?:") if self.text.startswith(s, self.at)), "(")
        self.at += len(start)
        level = _Level(lambda inner: inner, above.behind, above.looks)
        if start in _LOOKS:
            behind, negated = _LOOKS[start]
            level.looks += 1
            level.behind, level.quantifiable = behind, not behind
            level.close = lambda inner: Lookaround((inner,), behind, negated)
            if level.looks > MOST_LOOKS:
                self.refuse(f"look-arounds are nested more than {MOST_LOOKS} deep")
        elif start == "(":
            self.groups += 1
            number = self.groups
            self._name_group(number)
            level.close = lambda inner: Group((inner,), number)
        self.levels.append(level)

    def _name_group(self, number: int) -> None:
        if not self.text.startswith("?", self.at):
            return
        self.at += 1
        name = self._name()
        if name in self.names:
            self.refuse("two groups have the same name")
        self.names[name] = number

    def _name(self) -> str:
        match = _NAME.match(self.text, self.at)
        if match is None or not match[1].replace("$", "_").isidentifier():
            self.refuse("unknown kind of group")
        self.at = match.end()
        return match[1]

    def _close(self) -> None:
        if len(self.levels) == 1:
            self.refuse("a group has no beginning")
        self.at += 1
        level = self.levels.pop()
        self._add(level.close(level.node), quantifiable=level.quantifiable)

    def _alternative(self) -> None:
        self.at += 1
        self.levels[-1].branches.append([])

    def _edge(self) -> None:
        kind: Edges = "start" if self.text[self.at] == "^" else "end"
        self.at += 1
        self._add(Boundary((), kind), quantifiable=False)

    def _dot(self) -> None:
        self.at += 1
        self._add_one(Characters(characters.LINE_ENDS, negated=True))

    def _brace(self) -> None:
        if _QUANTIFIER.match(self.text, self.at) or self.text.startswith("{,", self.at):
            self._nothing()
        self.at += 1
        self._add_one(alone(ord("{")))

    def _bracket(self) -> None:
        if self.is_strict:
            self.refuse("a bracket is closed that is not open")
        self.at += 1
        self._add_one(alone(ord("]")))

    def _parse_brackets(self) -> None:
        self._add_one(self.set())

    def _nothing(self) -> NoReturn:
        self.refuse("there is nothing to repeat")

    def _escape(self) -> None:
        self.at += 1
        character = self.text[self.at : self.at + 1]
        behind = self.levels[-1].behind
        number = _NUMBER.match(self.text, self.at)
        if character in ("b", "B"):
            self.at += 1
            self._add(Boundary((), "word" if character == "b" else "no word"), quantifiable=False)
        elif character == "k" or number:
            self.at = number.end() if number else self.at + 1
            key = min(int(number[0][:9]), MOST_COUNT) if number else self._name()
            self.asked.append(key)
            self._add(_PendingReference((), key, behind))
        else:
            self._add_one(self.parse_escape())

    _READERS: ClassVar[dict[str, Callable[[_Reader], None]]] = {
        "(": _open,
        ")": _close,
        "|": _alternative,
        "^": _edge,
        "$": _edge,
        ".": _dot,
        "{": _brace,
        "]": _bracket,
        "[": _parse_brackets,
        "\\": _escape,
        **dict.fromkeys("*+?", _nothing),
    }


def _resolve_names(tree: Node, names: dict[str, int]) -> Node:
    def resolve_node(node: Node, parts: list[Node]) -> Node:
        if isinstance(node, _PendingReference):
            number = node.key if isinstance(node.key, int) else names[node.key]
            return Reference((), number, node.behind)
        return replace(node, parts=tuple(parts)) if parts else node

    return fold(tree, resolve_node)


def _counts(quantifier: re.Match[str]) -> tuple[int, int | None]:
    sign = quantifier[0][0]
    if sign != "{":
        return (1 if sign == "+" else 0), (1 if sign == "?" else None)
    least = _count(quantifier["least"])
    if not quantifier["comma"]:
        return least, least
    return least, (_count(quantifier["most"]) if quantifier["most"] else None)


def _count(digits: str) -> int:
    return int(digits.lstrip("0")[:10] or "0") if len(digits.lstrip("0")) < 11 else MOST_COUNT
