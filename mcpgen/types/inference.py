"""A schema becomes the typed tree: the type is never narrower than the law.

Every step either says in the tree what a keyword says, or loosens the definition it is in.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from mcpgen.jsontext import Json, is_object
from mcpgen.types import scalars
from mcpgen.types.alternatives import hint_of, one_of, tells_a_type, text_of, together
from mcpgen.types.constraints import Facets, fold
from mcpgen.types.discriminators import have_discriminator
from mcpgen.types.nodes import (
    NULL,
    Anything,
    Choice,
    Definition,
    Fixed,
    InferredType,
    Mapping,
    Member,
    Never,
    Node,
    Record,
    Reference,
    Sequence,
    Union,
    union,
)
from mcpgen.types.pruning import pruned
from mcpgen.types.resolution import At, Document, asserts, followed

MAX_DEPTH = 60
MAX_NODES = 20_000
MAX_ALTERNATIVES = 300

_FACTS = (
    "default",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "pattern",
    "format",
    "deprecated",
)


def infer(raw: Json, dialect: str, *, arguments: bool) -> InferredType:
    """Read one schema; the root of ``arguments`` is one record whatever its alternatives are.

    What leads too deep into itself is anything: the law still says what it may be.
    """
    reader = _Reader(Document(raw, dialect))
    try:
        root = reader.arguments() if arguments else reader.node(raw, "")
    except RecursionError:
        return InferredType(Anything(), {}, exact=False)
    return pruned(root, reader.definitions, exact=reader.is_exact())


class _Reader:
    """Walks one schema; remembers each place by its pointer, so that recursion ends."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.definitions: dict[str, Definition] = {}
        self._seen: dict[str, tuple[Node, bool]] = {}
        self._open: set[str] = set()
        self._recursive: set[str] = set()
        self._exact: list[bool] = [True]

    def is_exact(self) -> bool:
        """Say whether what was read outside of the definitions says all that the law says."""
        return self._exact[-1]

    # -- places ---------------------------------------------------------------------------

    def arguments(self) -> Node:
        """Read the root as the one record that a method's parameters are made of."""
        self._open.add("")
        self._exact.append(True)
        facets = self._facets([(self.document.raw, "")])
        # Policy: a root that says another type is read as an object, which arguments always are.
        says_object = is_object(self.document.raw) and self.document.raw.get("type") == "object"
        is_none = facets.types is not None and "object" not in facets.types and says_object
        if facets.choices is not None or facets.empty or facets.types == () or is_none:
            self._loosen(NULL)
        facets.types = None
        self._flatten(facets, set())
        self._record(facets, "", self.document.raw)
        return self._close("", Reference(""))

    def node(self, schema: Json, pointer: str) -> Node:
        """Return the type of the schema at a place; the same place is read once."""
        if pointer in self._seen:
            found, exact = self._seen[pointer]
            self._exact[-1] &= exact
            return found
        if pointer in self._open:
            self._recursive.add(pointer)
            return Reference(pointer)
        if len(self._open) > MAX_DEPTH or len(self._seen) > MAX_NODES:
            return self._loosen(Anything())
        schema = self.document.spoken(schema)
        end = followed(self.document, schema, pointer)
        if end is None:
            return self._loosen(Anything())
        if end[1] != pointer:
            return self.node(*end)
        self._open.add(pointer)
        self._exact.append(True)
        return self._close(pointer, self._read([(schema, pointer)], pointer))

    def _close(self, pointer: str, found: Node) -> Node:
        """Finish a place; give it a name where it refers to itself or is long to say."""
        exact = self._exact.pop()
        self._open.discard(pointer)
        if pointer in self.definitions:
            known = self.definitions[pointer]
            if not exact:
                self.definitions[pointer] = Definition(
                    pointer, known.body, known.description, known.hint, exact=False
                )
            found, exact = self._apart(found, pointer), True
        elif pointer in self._recursive or scalars.is_long(found):
            self.definitions[pointer] = Definition(pointer, found, "", "", exact)
            found, exact = Reference(pointer), True
        self._seen[pointer] = (found, exact)
        self._exact[-1] &= exact
        return found

    def _apart(self, found: Node, pointer: str) -> Node:
        """Return a record, and what may stand in its place; what refers to it refers to all."""
        if not isinstance(found, Union) or (pointer and pointer not in self._recursive):
            return found
        at = f"{pointer}/|"
        self.definitions[at] = replace(self.definitions[pointer], pointer=at)
        members = [Reference(at) if m == Reference(pointer) else m for m in found.members]
        whole = Definition(pointer, union(members), "", "", exact=True)
        self.definitions[pointer] = whole
        return Reference(pointer)

    def _loosen(self, node: Node) -> Node:
        self._exact[-1] = False
        return node

    def _facets(self, places: Iterable[At]) -> Facets:
        facets = Facets()
        for schema, pointer in places:
            fold(schema, pointer, self.document, facets)
        return facets

    def _read(self, places: list[At], pointer: str) -> Node:
        schema = places[0][0]
        if len(places) == 1 and schema is not False and not asserts(schema):
            return Anything()
        return self._said(self._facets(places), pointer, schema)

    # -- what is said about a value -------------------------------------------------------

    def _said(self, facets: Facets, pointer: str, schema: Json) -> Node:
        if facets.loose:
            self._loosen(NULL)
        if facets.empty:
            return Never()
        if facets.choices is not None:
            return self._choice(facets)
        if facets.alternatives:
            found = self._alternatives(facets, pointer, schema)
            if found is not None:
                return found
        kinds = facets.types
        if kinds is None:
            # Policy: named members without a type mean an object (docs/guarantees.md).
            self._loosen(NULL)
            if not facets.properties:
                return Anything()
            kinds = ("object",)
        return union([self._kind(kind, facets, pointer, schema) for kind in kinds])

    def _kind(self, kind: str, facets: Facets, pointer: str, schema: Json) -> Node:
        if kind == "object":
            return self._object(facets, pointer, schema)
        if kind == "array":
            return self._array(facets)
        if kind not in scalars.KINDS:
            return self._loosen(Anything())
        found, exact = scalars.scalar(kind, facets)
        exact &= kind != "integer" or self.document.knows_pointed_integers
        return found if exact else self._loosen(found)

    def _choice(self, facets: Facets) -> Node:
        choices = facets.choices or []
        kept = [value for value in choices if scalars.is_one_of(value, facets.types)]
        if facets.alternatives or facets.bounds or facets.properties or facets.items:
            self._loosen(NULL)
        if facets.types is not None and not self.document.knows_pointed_integers:
            self._loosen(NULL)  # 1 is 1.0, but only the one is an integer
        simple: dict[tuple[type, Any], str | int | bool] = {}
        others: list[Node] = []
        for value in kept:
            if value is None:
                others.append(NULL)
            elif scalars.is_literal(value):
                literal: str | int | bool = value
                simple.setdefault((type(literal), literal), literal)
            else:
                others.append(self._loosen(scalars.kind_of(value)))
        named: list[Node] = [Choice(tuple(simple.values()))] if simple else []
        return union([*named, *others])

    def _alternatives(self, facets: Facets, pointer: str, schema: Json) -> Node | None:
        """Return the union of ``anyOf`` or ``oneOf``, ``None`` where the rest says more."""
        (keyword, branches), *others = facets.alternatives
        if len(branches) > MAX_ALTERNATIVES:
            return self._loosen(Anything())
        if others:
            self._loosen(NULL)
        telling = [branch for branch in branches if tells_a_type(branch[0])]
        is_own = is_object(schema) and keyword in schema
        if facets.properties and not is_own:
            telling = []  # they stand behind a reference, beside members that are named here
        if len(telling) < len(branches) and (facets.types or facets.properties):
            facets.alternatives = []
            self._loosen(NULL)
            return None
        if facets.properties:
            merged = [self._merged(schema, branch, pointer) for branch in branches]
            return self._loosen(union(merged))
        nodes = [self._narrowed(branch, facets.types) for branch in branches]
        is_apart = scalars.are_apart(nodes) or have_discriminator(nodes, self.definitions)
        if keyword == "oneOf" and not is_apart:
            self._loosen(NULL)
        if facets.bounds or facets.required or facets.closed or facets.additional or facets.items:
            self._loosen(NULL)
        return union(nodes)

    def _merged(self, schema: Json, branch: At, pointer: str) -> Node:
        """Read one alternative together with what its parent says about all of them."""
        parent = {k: v for k, v in schema.items() if k not in ("anyOf", "oneOf")}
        return self._joined([(parent, pointer), branch], f"{branch[1]}/&")

    def _narrowed(self, branch: At, kinds: tuple[str, ...] | None) -> Node:
        schema, pointer = branch
        if kinds and is_object(schema) and not {"type", "$ref"} & schema.keys():
            stated: Json = {"type": list(kinds), **schema}
            return self.node(stated, pointer)
        if kinds:
            self._loosen(NULL)
        return self.node(schema, pointer)

    def _flatten(self, facets: Facets, seen: set[str]) -> None:
        """Make one record of all alternatives: what one of them names may be given.

        What they say of it is told to callers; the law may allow more.
        """
        found: dict[str, list[At]] = {}
        for _, branches in facets.alternatives:
            facets.loose = True
            new = [branch for branch in branches if branch[1] not in seen]
            seen |= {pointer for _, pointer in new}
            for branch in new:
                inner = self._facets([branch])
                self._flatten(inner, seen)
                for name, places in inner.properties.items():
                    found.setdefault(name, []).append(together(places))
            facets.closed = False
        facets.alternatives = []
        for name, places in found.items():
            if name not in facets.properties:
                schema, pointer = one_of(places)
                facets.properties[name] = [(True, f"{pointer}/&")]
                facets.documented[name] = (schema, pointer)

    # -- objects and arrays ---------------------------------------------------------------

    def _object(self, facets: Facets, pointer: str, schema: Json) -> Node:
        if facets.properties or facets.required or facets.closed:
            self._record(facets, pointer, schema)
            return Reference(pointer)
        if facets.bounds.keys() & {"minProperties", "maxProperties"}:
            self._loosen(NULL)
        values = [self.node(*at) for at in facets.patterns]
        if facets.additional is not None:
            values.append(self.node(*facets.additional))
        elif not facets.patterns:
            return Mapping(Anything())
        open_patterns = facets.patterns and facets.additional is None
        return Mapping(Anything() if open_patterns else union(values))

    def _record(self, facets: Facets, pointer: str, schema: Json) -> None:
        for name in [name for name in facets.properties if not scalars.is_literal(name)]:
            del facets.properties[name]  # no UTF-8 text holds it, so it is never sent
            self._loosen(NULL)
        if facets.loose or facets.additional is not None or facets.patterns:
            self._loosen(NULL)
        if not all(scalars.is_literal(name) for name in facets.required):
            self._loosen(NULL)
        order = [name for name in facets.required if name in facets.properties]
        order += [name for name in facets.properties if name not in facets.required]
        order += [
            n for n in facets.required if n not in facets.properties and scalars.is_literal(n)
        ]
        # Reserved before its members are read, so that they can refer to it.
        text = schema if is_object(schema) else {}
        description, hint = text_of(text, "description"), hint_of(text, facets)
        self.definitions[pointer] = Definition(pointer, Record((), False), description, hint, True)
        members = tuple(
            member for name in order if (member := self._member(name, facets)) is not None
        )
        record = Record(members, facets.closed)
        self.definitions[pointer] = Definition(pointer, record, description, hint, self._exact[-1])

    def _member(self, name: str, facets: Facets) -> Member | None:
        places = facets.properties.get(name, [])
        required = name in facets.required
        if len(places) == 1:
            found = self.node(*places[0])
        elif places:
            found = self._joined(places, f"{places[0][1]}/&")
        else:
            found = self._undeclared(facets)
        if isinstance(found, Never) and not required:
            if not facets.closed:
                self._loosen(NULL)  # an open record does not say that the member must be absent
            return None
        told = facets.documented.get(name)
        texts = [schema for schema, _ in ([told] if told else places) if is_object(schema)]
        description = next((text for t in texts if (text := text_of(t, "description"))), "")
        facts = tuple((key, text[key]) for key in _FACTS for text in texts[:1] if key in text)
        narrower = self.node(*told) if told else None
        return Member(name, found, required, description, facts, narrower)

    def _undeclared(self, facets: Facets) -> Node:
        """Return what a member may be that is required and has no schema of its own."""
        if facets.closed:
            return Never()
        if facets.additional is None or facets.patterns:
            return Anything()
        return self.node(*facets.additional)

    def _joined(self, places: list[At], at: str) -> Node:
        """Read what several parts say of one value; where that leads to itself, it is anything."""
        if at in self._seen:
            found, exact = self._seen[at]
            self._exact[-1] &= exact
            return found
        if at in self._open:
            return self._loosen(Anything())
        self._open.add(at)
        self._exact.append(True)
        return self._close(at, self._read(places, at))

    def _array(self, facets: Facets) -> Node:
        bounds, exact = scalars.bounds(facets, "minItems", "maxItems", whole=True)
        if not exact:
            self._loosen(NULL)
        rest = Anything() if facets.items is None else self.node(*facets.items)
        if facets.places is None:
            return Sequence(rest, bounds)
        items = [self.node(*place) for place in facets.places]
        count = len(items)
        limits = dict(bounds)
        closed = isinstance(rest, Never) or limits.get("max_length", count + 1) <= count
        if closed and limits.get("min_length", 0) == count == limits.get("max_length", count):
            return Fixed(tuple(items))
        self._loosen(NULL)
        return Sequence(union([*items, rest]) if items else rest, bounds)
