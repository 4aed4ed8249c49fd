"""Describes an inferred type by nested tables.

Types are JSON types, because readers of a contract use many languages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from mcpgen.codegen import escaping
from mcpgen.codegen.pages.anchors import alternative, anchor, segment
from mcpgen.codegen.pages.values import Link, Row, Table
from mcpgen.codegen.paragraphs import dedent
from mcpgen.codegen.plan import documentation
from mcpgen.errors import unforeseen
from mcpgen.schemas.types import Definition, InferredType, Member, Node, Record
from mcpgen.schemas.types.nodes import (
    Anything,
    Bounds,
    Choice,
    Fixed,
    Mapping,
    Never,
    Reference,
    Scalar,
    Sequence,
    Union,
)

_MOST_CHOICES = 40
_DEEPEST = 24
_BOUNDS = {
    "ge": "at least {}",
    "gt": "more than {}",
    "le": "at most {}",
    "lt": "less than {}",
    "multiple_of": "a multiple of {}",
    "min_length": "at least {} {unit}",
    "max_length": "at most {} {unit}",
}


@dataclass(frozen=True)
class Tables:
    """The tables of one schema. Each object of the schema is described once, and linked later.

    Each anchor starts with ``kind`` and the ``name`` of the definition. ``anchors`` maps the JSON
    pointers of described objects to their anchors.
    """

    kind: str
    name: str
    inferred: InferredType
    anchors: dict[str, str] = field(default_factory=dict[str, str])

    def root(self) -> tuple[str, tuple[Table, ...], tuple[Link, ...]]:
        """Return the type of the complete value, its tables and its links."""
        tables, links = self._nested_tables(self.inferred.root, ())
        return self._type(self.inferred.root), tables, links

    def _nested_tables(
        self, node: Node, path: tuple[str, ...]
    ) -> tuple[tuple[Table, ...], tuple[Link, ...]]:
        """Return the tables of the objects in a value, and links to those described before."""
        tables: list[Table] = []
        links: list[Link] = []
        pointers = list(dict.fromkeys(self._objects(node, frozenset())))
        for number, pointer in enumerate(pointers, start=1):
            definition = self.inferred.definitions[pointer]
            caption = definition.hint or f"alternative {number}"
            if pointer in self.anchors or len(path) >= _DEEPEST:
                target = self.anchors.get(pointer, "")
                links.append(Link(target, definition.hint or "the object described above"))
            elif len(pointers) > 1:
                tables.append(self._table(definition, caption, (*path, alternative(number))))
            else:
                tables.append(self._table(definition, "", path))
        return tuple(tables), tuple(links)

    def _objects(self, node: Node, visited: frozenset[str]) -> Iterator[str]:
        """Yield the pointers of the outermost records in a value."""
        match node:
            case Reference(pointer):
                body = self.inferred.definitions[pointer].body
                if isinstance(body, Record):
                    yield pointer
                elif pointer not in visited:
                    yield from self._objects(body, visited | {pointer})
            case Sequence(item):
                yield from self._objects(item, visited)
            case Mapping(value):
                yield from self._objects(value, visited)
            case Fixed(items) | Union(items):
                for item in items:
                    yield from self._objects(item, visited)
            case Anything() | Never() | Scalar() | Choice():
                pass
            case _:
                raise unforeseen(node)

    def _table(self, definition: Definition, caption: str, path: tuple[str, ...]) -> Table:
        record = definition.body
        assert isinstance(record, Record), definition.pointer
        self.anchors[definition.pointer] = self._anchor(path)
        rows = tuple(self._row(member, (*path, segment(member.wire))) for member in record.members)
        return Table(caption, rows, record.closed)

    def _anchor(self, path: tuple[str, ...]) -> str:
        return anchor(self.kind, segment(self.name), *path)

    def _row(self, member: Member, path: tuple[str, ...]) -> Row:
        node = member.documented or member.node
        tables, links = self._nested_tables(node, path)
        return Row(
            anchor=self._anchor(path),
            name=escaping.plain(member.wire),
            type=self._type(node, is_property=True),
            usage="required" if member.required else "optional",
            description=dedent(member.description),
            constraints=documentation.sentences(member.facts, node, is_typed=True),
            tables=tables,
            links=links,
        )

    def _type(
        self, node: Node, visited: frozenset[str] = frozenset(), *, is_property: bool = False
    ) -> str:
        """Return a type in words. The bounds of a property are among its constraints."""
        limits = ""
        match node:
            case Anything():
                text = "any JSON value"
            case Never():
                text = "no value"
            case Scalar(kind, bounds, form):
                text = f"{kind} ({form})" if form else kind
                limits = _bounds_text(bounds, "characters")
            case Choice(values):
                text = _choice_text(values)
            case Sequence(Anything(), bounds):
                text, limits = "array", _bounds_text(bounds, "items")
            case Sequence(item, bounds):
                text = f"array of {self._in_parentheses(item, visited)}"
                limits = _bounds_text(bounds, "items")
            case Fixed(items):
                text = f"array [{', '.join(self._type(item, visited) for item in items)}]"
            case Mapping(Anything()):
                text = "object"
            case Mapping(value):
                text = f"object with values: {self._in_parentheses(value, visited)}"
            case Reference(pointer):
                text = self._referenced_type(pointer, visited)
            case Union(members):
                text = " or ".join(dict.fromkeys(self._type(member, visited) for member in members))
            case _:
                raise unforeseen(node)
        return text if is_property else text + limits

    def _referenced_type(self, pointer: str, visited: frozenset[str]) -> str:
        body = self.inferred.definitions[pointer].body
        if isinstance(body, Record) or pointer in visited:
            return "object"
        return self._type(body, visited | {pointer})

    def _in_parentheses(self, node: Node, visited: frozenset[str]) -> str:
        text = self._type(node, visited)
        return f"({text})" if " or " in text else text


def _choice_text(values: tuple[str | int | bool, ...]) -> str:
    texts = [json.dumps(value, ensure_ascii=False) for value in values[:_MOST_CHOICES]]
    more = len(values) - len(texts)
    return " | ".join(texts) + (f" | {more} more" if more else "")


def _bounds_text(bounds: Bounds, unit: str) -> str:
    texts = [_BOUNDS[name].format(json.dumps(value), unit=unit) for name, value in bounds]
    return f" ({', '.join(texts)})" if texts else ""
