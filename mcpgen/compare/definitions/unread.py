"""What an agent reads: every string of a definition, and which changes show those that are new.

Nothing here knows where in a definition texts stand. What no one has read is told by what the old
definition held, so a place that nobody thought of is no way around consent.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from mcpgen.compare.change import ABSENT, Change, News, Value
from mcpgen.compare.definitions.descriptions import SUFFIXES
from mcpgen.compare.definitions.hints import DEFAULTS
from mcpgen.compare.schemas.schema_annotations import KEYWORDS
from mcpgen.compare.texts.invisible import strings
from mcpgen.compare.texts.lookalikes import skeleton
from mcpgen.contract.definitions import WRAPPED
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.validation import schemas

MAX_WORDS = 2
MAX_WORD, MAX_LENGTH, MAX_NAME = 16, 40, 64
_IDENTIFIER = re.compile(r"[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*")
_CASES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CLASSES = re.compile(r"a-z|A-Z|a-f|A-F|\\[dwsDWS]")
_KNOWN = frozenset({*KEYWORDS, *DEFAULTS, WRAPPED}) | frozenset(
    "allOf $ref inputSchema outputSchema taskSupport listChanged mimeType lastModified".split()
)

# What is new by its rule, whatever it is called.
_COME = frozenset("T02 I01 I02 I02c P02 P03 P05 R02 R03".split())
# New as a whole, or of the same words: consent is asked for, and nothing known has turned bad.
_CALM = frozenset("T02 P02 R02 D05 D04b".split())


def marked(
    changes: Iterable[Change],
    subject: str,
    both: tuple[Json, Json],
    pointers: tuple[str, str],
) -> Iterator[Change]:
    """Mark the changes that hold what an agent has not read, and add those that none of them holds.

    ``both`` are the old and the new definition, at their pointers.
    """
    unread = fresh(*both)
    held: set[str] = set()
    for change in changes:
        mine = unread.keys() & _shown(change)
        held |= mine
        yield replace(change, news=_news(change, [unread[text].news for text in mine]))
    for text, found in unread.items():
        if text not in held:
            yield _unsaid(subject, text, found, both[0], pointers)


def _news(change: Change, found: Collection[News]) -> News:
    news = max(found, default=News.NONE)
    if (change.old is ABSENT and change.rule in _COME) or change.rule == "D05":
        news = max(news, News.NAME)
    return min(news, News.NAME) if change.rule in _CALM else news


def _shown(change: Change) -> set[str]:
    """Return the strings that a change shows: those of its new value, and the name of a member."""
    if change.new is ABSENT:
        return set()
    path = change.path
    name = path.split('."')[-1].rstrip('"') if path.endswith('"') else path.rpartition(".")[2]
    return {*strings(change.new), *([name] if change.old is ABSENT else [])}


def _unsaid(subject: str, text: str, found: Fresh, old: Json, pointers: tuple[str, str]) -> Change:
    """Return the change of a text that stands where nothing is compared."""
    at, news = found.pointer, found.news
    before = _at(old, at)
    was: Value = before if isinstance(before, str) and before != text else ABSENT
    places = "" if was is ABSENT else f"{pointers[0]}{at}", f"{pointers[1]}{at}"
    rule = "D02" if news is News.TEXT else "D02b"
    return Change(rule, subject, path(at), *places, was, text, news=news)


def _steps(pointer: str) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def _at(value: Json, pointer: str) -> Json:
    for step in _steps(pointer):
        if is_object(value):
            value = value.get(step)
        elif is_array(value) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def path(pointer: str) -> str:
    """Return a pointer into a definition as the path that a person reads."""
    steps = _steps(pointer)
    sides = {"inputSchema": "input", "outputSchema": "output"}
    return ".".join([*(sides.get(step, step) for step in steps[:1]), *steps[1:]])


@dataclass(frozen=True, slots=True)
class Fresh:
    """A string that a definition did not have: where it is first, and what an agent reads in it."""

    pointer: str
    news: News


def fresh(old: Json, new: Json) -> dict[str, Fresh]:
    """Return the strings of a definition that the old one has nowhere, but for plain words."""
    known = set(strings(old))
    found: dict[str, str] = {}
    for text, at in placed(new):
        if text not in known and not is_word(text):
            found.setdefault(text, at)
    if not found:
        return {}
    names = _Names.of(new, known)
    graded = {text: Fresh(at, names.news(text)) for text, at in found.items()}
    return {text: each for text, each in graded.items() if each.news}


@dataclass(frozen=True, slots=True)
class _Names:
    """The names in a definition, and as titles of them read: all of them, and those not new."""

    all: frozenset[str]
    titles: frozenset[str]
    known: frozenset[str]

    @classmethod
    def of(cls, definition: Json, known: Collection[str]) -> _Names:
        keys: set[str] = {key for value in _objects(definition) for key in value}
        old = {key for key in keys if key in known or is_word(key)}
        plain = {key for key in keys if is_identifier(key)}
        said = definition.get("name") if is_object(definition) else None
        own = said if isinstance(said, str) else ""
        stem = skeleton(own)
        made: set[str] = {stem + suffix for suffix in SUFFIXES} if stem else set()
        titles = {skeleton(key) for key in plain} | (made if is_identifier(own) else set[str]())
        seen = {skeleton(key) for key in old} | (made if own in known else set[str]())
        return cls(frozenset(keys), frozenset(titles), frozenset(seen))

    def news(self, text: str) -> News:
        """Say what an agent can read in a string that is new."""
        said = skeleton(text)
        if _is_pointer(text, self.all) or (said and said in self.known):
            return News.NONE
        is_name = is_identifier(text) or (said and said in self.titles)
        return News.NAME if is_name else News.TEXT


def _objects(value: Json) -> Iterator[Mapping[str, Json]]:
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if is_object(value):
            yield value
            waiting += value.values()
        elif is_array(value):
            waiting += value


def placed(value: Json) -> Iterator[tuple[str, str]]:
    """Yield every string in a JSON value with its pointer, names of members included."""
    waiting: list[tuple[Json, str]] = [(value, "")]
    while waiting:
        value, at = waiting.pop()
        if isinstance(value, str):
            yield value, at
        elif is_array(value):
            waiting += [(item, f"{at}/{n}") for n, item in reversed(list(enumerate(value)))]
        elif is_object(value):
            for key in value:
                yield key, f"{at}/{escape(key)}"
            waiting += [(item, f"{at}/{escape(key)}") for key, item in reversed(value.items())]


def is_word(text: str) -> bool:
    """Say whether a string is too short and plain to tell an agent anything.

    It has no white space, no character beyond ASCII, and no more than two words, as ``sort_by`` and
    ``sortBy`` do; or it is a keyword of JSON Schema or MCP, or the name of a dialect.
    """
    if text in _KNOWN or ("://" in text and schemas.dialect({"$schema": text}) is not None):
        return True
    if len(text) > MAX_LENGTH or not text.isascii() or not text.isprintable() or " " in text:
        return False
    words = _CASES.findall(_CLASSES.sub("", text))
    return len(words) <= MAX_WORDS and all(len(word) <= MAX_WORD for word in words)


def is_identifier(text: str) -> bool:
    """Say whether a string is a name as programs have them, of any number of words."""
    return len(text) <= MAX_NAME and _IDENTIFIER.fullmatch(text) is not None


def _is_pointer(text: str, names: Collection[str]) -> bool:
    """Say whether a string is a reference by names that stand in the definition themselves."""
    if not text.startswith("#/"):
        return False
    return all(name in names or is_word(name) for name in _steps(text))
