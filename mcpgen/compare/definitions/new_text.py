"""Finds strings of a definition that agents haven't read before, and the changes that show them.

This module looks at all properties of definitions, known or not. A string is new if the old
definition doesn't contain it anywhere, so no property evades consent.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from mcpgen.compare.definitions.descriptions import SUFFIXES
from mcpgen.compare.definitions.hints import DEFAULTS
from mcpgen.compare.definitions.versions import Versions
from mcpgen.compare.schemas.schema_annotations import KEYWORDS
from mcpgen.contract.definitions import WRAPPED
from mcpgen.findings.change import ABSENT, Change, News, Value
from mcpgen.findings.texts.lookalikes import skeleton
from mcpgen.findings.texts.strings import located_strings, member_names, strings
from mcpgen.jsonpointer import escape, lookup, steps
from mcpgen.jsontext import Json, is_object
from mcpgen.schemas.validation.schemas import dialect

MAX_WORDS = 2
MAX_WORD, MAX_LENGTH, MAX_NAME = 16, 40, 64
_IDENTIFIER = re.compile(r"[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*")
_CASES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CLASSES = re.compile(r"a-z|A-Z|a-f|A-F|\\[dwsDWS]")
_KNOWN = frozenset({*KEYWORDS, *DEFAULTS, WRAPPED}) | frozenset(
    "allOf $ref inputSchema outputSchema taskSupport listChanged mimeType lastModified".split()
)


def is_word(text: str) -> bool:
    """Return True if a string is too short and plain to tell an agent anything.

    It is ASCII without white space and has at most two words, like ``sort_by`` and ``sortBy``, or
    it is a keyword of JSON Schema or MCP, or the URI of a dialect.
    """
    if text in _KNOWN or ("://" in text and dialect({"$schema": text}) is not None):
        return True
    if len(text) > MAX_LENGTH or not text.isascii() or not text.isprintable() or " " in text:
        return False
    tokens = _CASES.findall(_CLASSES.sub("", text))
    return len(tokens) <= MAX_WORDS and all(len(token) <= MAX_WORD for token in tokens)


def is_identifier(text: str) -> bool:
    """Return True if a string is an identifier, with any number of words."""
    return len(text) <= MAX_NAME and _IDENTIFIER.fullmatch(text) is not None


# Rules for additions.
_ADDED = frozenset("T02 I01 I02 I02c P02 P03 P05 R02 R03".split())
# Additions and rewordings: they need consent, but no known definition got worse.
_CALM = frozenset("T02 P02 R02 D05 D04b".split())


def marked_in(versions: Versions, changes: Iterable[Change]) -> Iterator[Change]:
    """Mark changes of a definition with strings that agents haven't read, and add missing
    changes.
    """
    definitions = versions.old, versions.new
    return mark_unread(changes, versions.subject, definitions, versions.pointers)


def mark_unread(
    changes: Iterable[Change],
    subject: str,
    definitions: tuple[Json, Json],
    pointers: tuple[str, str],
) -> Iterator[Change]:
    """Mark changes with strings that agents haven't read, and add changes for other such
    strings.

    ``definitions`` are the old and the new one, at their pointers.
    """
    unread = unread_strings(*definitions)
    reported: set[str] = set()
    for change in changes:
        texts = unread.keys() & _shown_strings(change)
        reported |= texts
        yield replace(change, news=_news(change, [unread[text].news for text in texts]))
    for text, string in unread.items():
        if text not in reported:
            yield _unshown(subject, text, string, definitions[0], pointers)


def _news(change: Change, of_strings: Collection[News]) -> News:
    news = max(of_strings, default=News.NONE)
    if (change.old is ABSENT and change.rule in _ADDED) or change.rule == "D05":
        news = max(news, News.NAME)
    return min(news, News.NAME) if change.rule in _CALM else news


def _shown_strings(change: Change) -> set[str]:
    """Return the strings that a change shows: in its new value, and a property name."""
    if change.new is ABSENT:
        return set()
    path = change.path
    name = path.split('."')[-1].rstrip('"') if path.endswith('"') else path.rpartition(".")[2]
    return {*strings(change.new), *([name] if change.old is ABSENT else [])}


@dataclass(frozen=True, slots=True)
class NewString:
    """A new string of a definition: its first pointer, and the news for an agent."""

    pointer: str
    news: News


def _unshown(
    subject: str, text: str, string: NewString, old: Json, pointers: tuple[str, str]
) -> Change:
    """Return the change for a new string that no comparison covers."""
    at = string.pointer
    _, before = lookup(old, at) or ("", None)
    was: Value = before if isinstance(before, str) and before != text else ABSENT
    pointers_of_change = "" if was is ABSENT else f"{pointers[0]}{at}", f"{pointers[1]}{at}"
    rule = "D02" if string.news is News.TEXT else "D02b"
    return Change(rule, subject, path_of(at), *pointers_of_change, was, text, news=string.news)


def path_of(pointer: str) -> str:
    """Convert a pointer into a definition to a path for readers."""
    first, *rest = steps(pointer) or [""]
    keys_by_kind = {"inputSchema": "input", "outputSchema": "output"}
    return ".".join([keys_by_kind.get(first, first), *rest])


def unread_strings(old: Json, new: Json) -> dict[str, NewString]:
    """Return the strings that only the new definition contains, except plain words."""
    old_strings = set(strings(old))
    pointers: dict[str, str] = {}
    for text, pointer in located_strings(new):
        if text not in old_strings and not is_word(text):
            pointers.setdefault(text, pointer)
    if not pointers:
        return {}
    names = _Names.from_definition(new, old_strings)
    unread = {text: NewString(pointer, names.news(text)) for text, pointer in pointers.items()}
    return {text: string for text, string in unread.items() if string.news}


@dataclass(frozen=True, slots=True)
class _Names:
    """The names in a definition, and those that its titles may repeat: all, and the old ones."""

    all: frozenset[str]
    titles: frozenset[str]
    old_strings: frozenset[str]

    @classmethod
    def from_definition(cls, definition: Json, old_strings: Collection[str]) -> _Names:
        names = set(member_names(definition))
        named = definition.get("name") if is_object(definition) else None
        own = named if isinstance(named, str) else ""
        stem = skeleton(own)
        variants: set[str] = {stem + suffix for suffix in SUFFIXES} if stem else set()
        titles = {skeleton(name) for name in names if is_identifier(name)}
        read = {skeleton(name) for name in names if name in old_strings or is_word(name)}
        titles |= variants if is_identifier(own) else set[str]()
        read |= variants if own in old_strings else set[str]()
        return cls(frozenset(names), frozenset(titles), frozenset(read))

    def news(self, text: str) -> News:
        """Return what a new string contains for an agent: nothing, a name or a text."""
        letters = skeleton(text)
        if _is_reference(text, self.all) or (letters and letters in self.old_strings):
            return News.NONE
        is_name = is_identifier(text) or (letters and letters in self.titles)
        return News.NAME if is_name else News.TEXT


def _is_reference(text: str, names: Collection[str]) -> bool:
    """Return True if a string is a reference that consists of names in the same definition."""
    if not text.startswith("#/"):
        return False
    return all(name in names or is_word(name) for name in steps(text))


def names_and_strings(
    change: Change,
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return the property names in a new value, and its strings with their paths.

    Both are empty unless an agent can read something new in the value. Plain words are left out.
    """
    value = change.new
    if not change.news or value is ABSENT or isinstance(value, str):
        return (), ()
    located = [*located_strings(value)]
    names = {text for text, pointer in located if pointer.endswith(f"/{escape(text)}")}
    strings = (
        (path_of(pointer), text)
        for text, pointer in located
        if not is_word(text) and not pointer.endswith(f"/{escape(text)}")
    )
    return tuple(sorted(names)), tuple(strings)
