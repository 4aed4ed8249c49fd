"""Texts that match a regular expression, built from its parts."""

from __future__ import annotations

import random
import re
import string
import warnings
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from mcpgen.bounded import patterns
from mcpgen.jsontext import Json

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import sre_parse  # the only parser of regular expressions in the standard library

_PREFERRED = (
    string.ascii_lowercase + string.digits + string.ascii_uppercase + "-_. /:@#+,;=!?%&*()[]{}<>\n"
)
_LONGEST_REPEAT = 2000
_LONGEST_TEXT = 2000

# What JavaScript, which JSON Schema speaks, writes in another way than Python.
_FOREIGN = (
    (re.compile(r"\(\?<(?![=!])"), "(?P<"),
    (re.compile(r"\[\\p\{L[a-z]?\}"), "[a-zA-Z"),
    (re.compile(r"\[\\p\{Nd?\}"), "[0-9"),
    (re.compile(r"\\p\{Lu\}"), "[A-Z]"),
    (re.compile(r"\\p\{(?:L|Ll|Letter|Alphabetic)\}"), "[a-z]"),
    (re.compile(r"\\p\{(?:N|Nd|Number)\}"), "[0-9]"),
)


def found(pattern: str, text: str) -> bool:
    """Say whether a pattern is found in a text; one that cannot be run is found nowhere."""
    try:
        return patterns.matches(pattern, text)
    except patterns.UnrunnableError:
        expression = patterns.compiled(pattern)
        return expression is not None and expression.search(text[:_LONGEST_TEXT]) is not None


def matching(pattern: str, chance: random.Random, least: int = 0) -> Iterator[str]:
    """Yield texts that match, each at least that long where its repeats allow it."""
    for foreign, ours in _FOREIGN:
        pattern = foreign.sub(ours, pattern)
    check = patterns.compiled(pattern)
    if check is None:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree: Any = sre_parse.parse(pattern)
    for attempt in range(200):
        writer = _Writer(chance, least if attempt % 2 else 0, generous=attempt // 2 % 5)
        try:
            text = writer.text(tree)
        except RecursionError:
            return
        ahead = "".join(writer.ahead)
        for candidate in (text, ahead + text[len(ahead) :], ahead + text):
            if check.search(candidate):
                yield candidate
                break


class _Writer:
    """Writes one text; what a look-ahead asks for is kept apart in ``ahead``."""

    def __init__(self, chance: random.Random, least: int, generous: int) -> None:
        self.chance, self.least, self.generous = chance, least, generous
        self.ahead: list[str] = []
        self.groups: dict[int, str] = {}
        self.length = 0

    def text(self, tree: Any) -> str:
        return "".join(self._part(str(op), argument) for op, argument in tree)

    def _part(self, op: str, argument: Any) -> str:
        if op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            return self._repeated(*argument)
        if op == "ASSERT" and argument[0] > 0:
            self.ahead.append(self.text(argument[1]))
        write = self._WRITERS.get(op)
        return write(self, argument) if write else ""

    def _grouped(self, argument: Any) -> str:
        written = self.text(argument[-1])
        if argument[0] is not None:
            self.groups[argument[0]] = written
        return written

    def _repeated(self, low: int, high: Any, inner: Any) -> str:
        most = min(int(high), _LONGEST_REPEAT)
        wanted = low + self.chance.randint(0, 2 + 2 * self.generous)
        count = max(low, min(most, max(wanted, self.least)))
        written: list[str] = []
        length = 0
        for index in range(min(count, _LONGEST_REPEAT)):
            if index >= max(low, wanted) and length >= self.least:
                break
            written.append(self.text(inner))
            length += len(written[-1])
        return "".join(written)

    def _member(self, choices: Any) -> str:
        """Return one character of a set such as ``[^/\\s]``."""
        negated = str(choices[0][0]) == "NEGATE"
        allowed = [
            character
            for character in _PREFERRED
            if any(_holds(str(op), argument, character) for op, argument in choices) != negated
        ]
        if allowed:
            return self.chance.choice(allowed[: 26 + 8 * self.generous])
        op, argument = choices[0]
        return chr(argument[0] if str(op) == "RANGE" else argument) if not negated else "\u00e9"

    _WRITERS: ClassVar[dict[str, Callable[[_Writer, Any], str]]] = {
        "LITERAL": lambda _, code: chr(code),
        "NOT_LITERAL": lambda _, code: "b" if code == ord("a") else "a",
        "ANY": lambda self, _: self.chance.choice(string.ascii_lowercase),
        "IN": lambda self, choices: self._member(choices),
        "BRANCH": lambda self, branches: self.text(self.chance.choice(branches[1])),
        "GROUPREF": lambda self, number: self.groups.get(number, ""),
        "ATOMIC_GROUP": lambda self, inner: self.text(inner),
        "SUBPATTERN": lambda self, argument: self._grouped(argument),
    }


def _holds(op: str, argument: Json, character: str) -> bool:
    if op == "LITERAL":
        return bool(ord(character) == argument)
    if op == "RANGE":
        return bool(argument[0] <= ord(character) <= argument[1])
    if op == "CATEGORY":
        kind = str(argument)
        is_in = {
            "DIGIT": character.isdigit(),
            "SPACE": character.isspace(),
            "WORD": character.isalnum() or character == "_",
        }.get(kind.rsplit("_", 1)[-1], False)
        return is_in != ("NOT" in kind)
    return False
