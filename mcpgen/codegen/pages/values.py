"""The content of a page, as frozen values. Only the templates turn it into HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mcpgen.errors import Notice

Usage = Literal["required", "optional", ""]


@dataclass(frozen=True, slots=True)
class Table:
    """The properties of an object. ``caption`` distinguishes several alternatives."""

    caption: str
    rows: tuple[Row, ...]
    is_closed: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A link to the table of a type that the page describes elsewhere."""

    target: str
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """A property or argument, with the tables of the objects in it."""

    anchor: str
    name: str
    type: str
    usage: Usage
    description: str = ""
    constraints: str = ""
    tables: tuple[Table, ...] = ()
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Values:
    """The arguments or the result of a tool.

    ``type`` is set unless the value is an object with ``tables``. ``note`` is a sentence about it.
    ``schema`` is the JSON of a schema whose rules the tables can't show completely, or "".
    """

    heading: str
    type: str = ""
    note: str = ""
    tables: tuple[Table, ...] = ()
    links: tuple[Link, ...] = ()
    schema: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """An example call in one language."""

    language: str
    code: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A tool, prompt, resource or resource template.

    ``facts`` are pairs of a label and a value, such as the URI.
    """

    anchor: str
    name: str
    title: str
    description: str
    hints: str = ""
    warning: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    values: tuple[Values, ...] = ()
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """The definitions of one kind."""

    anchor: str
    title: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class ContractPage:
    """The page of a server's contract. ``notices`` are for the terminal, not for the page."""

    name: str
    title: str
    facts: tuple[tuple[str, str], ...]
    instructions: str
    setup: tuple[Call, ...]
    sections: tuple[Section, ...]
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A change of a definition. ``values`` has ``-`` with the old value, ``+`` with the new one."""

    severity: str
    rule: str
    path: str
    message: str
    values: tuple[tuple[str, str], ...]
    fingerprint: str


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """The changes of one definition, or one change of many definitions."""

    anchor: str
    title: str
    rows: tuple[ChangeRow, ...]
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparisonPage:
    """The page of two contracts and their differences."""

    name: str
    old: str
    new: str
    counts: tuple[tuple[str, int], ...]
    groups: tuple[ChangeGroup, ...]
    ignored: tuple[ChangeRow, ...]
    observed: tuple[str, ...]
