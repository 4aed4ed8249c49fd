"""The view of a value: all schemas that apply to it, found through ``$ref`` and ``allOf``.

A value is valid if it is valid for every part, so parts are collected, not merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from mcpgen_runtime.validation.regexes import patterns

from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, is_array, is_object, sha256
from mcpgen.schemas.types.resolution import At, Document
from mcpgen.schemas.validation.schemas import dialect

MAX_VALUES = 2000
MAX_FOLLOWED = 20


def inline(document: Document, schemas: list[Json]) -> Json:
    """Return schemas that must all hold as one schema, with references resolved."""
    inlining = _Inlining(document)
    complete = [inlining.resolve(schema, ()) for schema in schemas]
    return complete[0] if len(complete) == 1 else {"allOf": complete} if complete else True


@dataclass(slots=True)
class _Inlining:
    """Follows a limited number of references. After that a hash of the schema replaces them."""

    document: Document
    values_left: int = MAX_VALUES

    def resolve(self, value: Json, ancestors: tuple[str, ...]) -> Json:
        self.values_left -= 1
        if is_array(value):
            return [self.resolve(item, ancestors) for item in value]
        if not is_object(value):
            return value
        siblings = {k: self.resolve(v, ancestors) for k, v in value.items() if k != "$ref"}
        if "$ref" not in value:
            return siblings
        target = self._target(value["$ref"], ancestors)
        return {"allOf": [target, siblings]} if siblings else target

    def _target(self, ref: Json, ancestors: tuple[str, ...]) -> Json:
        target = self.document.resolve(ref) if isinstance(ref, str) else None
        if target is None:
            return {"$ref": ref}
        schema, pointer = target
        if pointer in ancestors:
            return {"$ref": f"{len(ancestors) - ancestors.index(pointer)} up"}
        if self.values_left < 0 or len(ancestors) > MAX_FOLLOWED:
            return {"$ref": f"{ref} of {sha256(self.document.raw)[:12]}"}
        return self.resolve(schema, (*ancestors, pointer))


def is_slow(pattern: str) -> bool:
    """Return True if a pattern may be slow or is invalid. Such a pattern is never tried."""
    return not patterns.is_linear(pattern)


def matches(pattern: str, name: str) -> bool:
    """Return True if a name matches a pattern that can be tried."""
    if is_slow(pattern):
        return False
    try:
        return patterns.matches(pattern, name)
    except patterns.UnrunnableError:
        return False


Key: TypeAlias = "tuple[tuple[str, ...], bool, bool]"

MAX_PARTS = 200
_ANNOTATIONS = frozenset("title description examples default deprecated $comment".split())
_APPLICATORS = frozenset(
    "allOf anyOf oneOf $ref if then else dependentSchemas dependencies".split()
)
_UNEVALUATED = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_UNSUPPORTED = frozenset({"$dynamicRef", "$recursiveRef", "extends", "disallow"})


@dataclass(frozen=True, slots=True)
class Subschema:
    """A schema object with its JSON pointer, without its ``$ref`` and ``allOf``."""

    pointer: str
    raw: Mapping[str, Json]

    def object(self, keyword: str) -> dict[str, Json]:
        """Return the value of a keyword if it is an object, otherwise an empty object."""
        value = self.raw.get(keyword)
        return value if is_object(value) else {}

    def without_keywords(self, *keywords: str) -> Subschema:
        """Return a copy without some keywords."""
        return Subschema(self.pointer, {k: v for k, v in self.raw.items() if k not in keywords})


@dataclass(frozen=True, slots=True)
class View:
    """All schema objects that apply to a value. Without parts, everything is valid.

    The first ``inherited`` parts belong to a union of which this is a branch. ``unresolved`` means
    that the view is incomplete, for example because of a dangling reference.
    """

    document: Document
    parts: tuple[Subschema, ...] = ()
    impossible: bool = False
    unresolved: bool = False
    inherited: int = 0

    @property
    def own_parts(self) -> tuple[Subschema, ...]:
        """The parts that aren't inherited from a union."""
        return self.parts[self.inherited :]

    @property
    def pointer(self) -> str:
        """JSON pointer of the view, or of its first part."""
        return (
            self.own_parts[0].pointer
            if self.own_parts
            else self.parts[-1].pointer
            if self.parts
            else ""
        )

    @property
    def is_trivial(self) -> bool:
        """Whether every value is valid."""
        return not (self.parts or self.impossible or self.unresolved)

    @property
    def pointers(self) -> tuple[str, ...]:
        """The pointers of all parts."""
        return tuple(part.pointer for part in self.parts)

    @property
    def key(self) -> Key:
        """Key that identifies this view in its document."""
        return self.pointers, self.impossible, self.unresolved

    def occurrences(self, keyword: str) -> Iterator[At]:
        """Yield each value of a keyword, with its pointer."""
        for part in self.parts:
            if keyword in part.raw:
                yield part.raw[keyword], f"{part.pointer}/{escape(keyword)}"

    def has(self, *keywords: str) -> bool:
        """Return True if a part has one of these keywords."""
        return any(keyword in part.raw for part in self.parts for keyword in keywords)

    def pointer_of(self, keyword: str) -> str:
        """Return the pointer of a keyword, or of its schema if it is missing."""
        return next((pointer for _, pointer in self.occurrences(keyword)), self.pointer)

    def first(self, keyword: str) -> Json:
        """Return the first value of a keyword, or None."""
        return next((value for value, _ in self.occurrences(keyword)), None)

    def as_schema(self) -> Json:
        """Return all parts as one schema, with references resolved."""
        return inline(self.document, [dict(part.raw) for part in self.parts])

    def keyword_values(self, *keywords: str) -> Json:
        """Return keywords with their values, or None without any of them."""
        parts = [{k: part.raw[k] for k in keywords if k in part.raw} for part in self.parts]
        schemas: list[Json] = [keep for keep in parts if keep]
        if len(keywords) == 1:
            schemas = [schema[keywords[0]] for schema in schemas]
        return inline(self.document, schemas) if schemas else None

    def all_of(self, ats: Iterable[At]) -> View:
        """Return the view of schemas of the same document that apply together."""
        return _collect_view(self.document, ats)

    def with_branch(self, branch: View) -> View:
        """Return the view of values that are valid for this view and a branch of it."""
        return View(
            self.document,
            (*self.parts, *branch.parts),
            self.impossible or branch.impossible,
            self.unresolved or branch.unresolved,
            len(self.parts),
        )


def root(raw: Json, *, is_input: bool) -> View:
    """Return the view of a whole schema. An input is an object even without a type."""
    document = Document(raw, dialect(raw) or "")
    view = _collect_view(document, [(raw, "")])
    return (
        replace(view, parts=(Subschema("", {"type": "object"}), *view.parts)) if is_input else view
    )


def _collect_view(document: Document, ats: Iterable[At]) -> View:
    collector = _Collector(document, list(ats)[::-1])
    collector.collect()
    parts = collector.parts
    unresolved = collector.unresolved or any(
        is_slow(pattern) for part in parts for pattern in part.object("patternProperties")
    )
    if _reaches_beyond(parts):
        unresolved = True
        parts = [part.without_keywords(*_UNEVALUATED) for part in parts]
    return View(document, tuple(parts), collector.impossible, unresolved)


@dataclass(slots=True)
class _Collector:
    """Collects the schemas that apply together, through ``$ref`` and ``allOf``."""

    document: Document
    waiting: list[At]
    parts: list[Subschema] = field(default_factory=list["Subschema"])
    impossible: bool = False
    unresolved: bool = False

    def collect(self) -> None:
        visited: set[str] = set()
        while self.waiting:
            schema, pointer = self.waiting.pop()
            if schema is True or pointer in visited:
                continue
            visited.add(pointer)
            if schema is False:
                self.impossible = True
            elif not is_object(schema) or len(self.parts) > MAX_PARTS:
                self.unresolved = True
            else:
                self._add(schema, pointer)

    def _add(self, schema: dict[str, Json], pointer: str) -> None:
        if isinstance(schema.get("$ref"), str):
            target = self.document.resolve(schema["$ref"])
            self.unresolved |= target is None
            self.waiting += [target] if target is not None else []
            if self.document.hides_siblings:
                # A draft-07 validator ignores siblings of $ref, but an agent reads them.
                schema = {k: v for k, v in schema.items() if k in _ANNOTATIONS}
        self.unresolved |= not _UNSUPPORTED.isdisjoint(schema)
        branches = schema.get("allOf")
        for index, branch in enumerate(branches if is_array(branches) else []):
            self.waiting.insert(0, (branch, f"{pointer}/allOf/{index}"))
        rest = {k: v for k, v in schema.items() if k not in ("$ref", "allOf")}
        if rest:
            self.parts.append(Subschema(pointer, rest))


def _reaches_beyond(parts: list[Subschema]) -> bool:
    """Return True if ``unevaluated...`` depends on more than its own part."""
    users = [part for part in parts if not _UNEVALUATED.isdisjoint(part.raw)]
    if not users:
        return False
    asserting = [part for part in parts if part.raw.keys() - _ANNOTATIONS]
    return len(asserting) > 1 or not _APPLICATORS.isdisjoint(users[0].raw)
