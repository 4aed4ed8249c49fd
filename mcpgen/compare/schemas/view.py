"""All that is said about one value: its schema with ``$ref`` and ``allOf`` followed, unmerged.

A value is valid when it is valid by every part; so parts are only ever listed, never joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, is_array, is_object, sha256
from mcpgen.types.resolution import At, Document
from mcpgen.validation.bounded import patterns
from mcpgen.validation.schemas import dialect

Raw: TypeAlias = "Mapping[str, Json]"
Key: TypeAlias = "tuple[tuple[str, ...], bool, bool]"

KINDS = ("null", "boolean", "number", "string", "array", "object")
MAX_PARTS = 200
MAX_SPELLED = 2000
MAX_FOLLOWED = 20
ASSERTIONS = frozenset(
    "type enum const properties required additionalProperties patternProperties propertyNames"
    " minProperties maxProperties dependencies dependentRequired dependentSchemas"
    " unevaluatedProperties unevaluatedItems items prefixItems additionalItems contains"
    " minContains maxContains minItems maxItems uniqueItems minLength maxLength pattern format"
    " minimum maximum exclusiveMinimum exclusiveMaximum multipleOf anyOf oneOf not if then else"
    " $dynamicRef $recursiveRef extends disallow divisibleBy".split()
)
"""The keywords that are compared for what they allow; ``$ref`` and ``allOf`` are gone by then."""
_TEXTS = frozenset("title description examples default deprecated $comment".split())
_APPLICATORS = frozenset(
    "allOf anyOf oneOf $ref if then else dependentSchemas dependencies".split()
)


@dataclass(frozen=True, slots=True)
class Part:
    """One schema object, without its ``$ref`` and ``allOf``, and its JSON pointer."""

    pointer: str
    raw: Raw

    def without(self, *keywords: str) -> Part:
        """Return the part as if it did not say some of its keywords."""
        return Part(self.pointer, {k: v for k, v in self.raw.items() if k not in keywords})


@dataclass(frozen=True, slots=True)
class View:
    """What is said about one value; with no parts everything is valid.

    The first ``inherited`` parts were said of a whole union, and here of one of its branches.
    ``lost`` says that some of it cannot be read: a reference that leads nowhere, for one.
    """

    document: Document
    parts: tuple[Part, ...] = ()
    impossible: bool = False
    lost: bool = False
    inherited: int = 0

    @property
    def own(self) -> tuple[Part, ...]:
        """The parts that are not inherited from a union."""
        return self.parts[self.inherited :]

    @property
    def pointer(self) -> str:
        """Where it is said, as a JSON pointer; of several places the first."""
        return self.own[0].pointer if self.own else self.parts[-1].pointer if self.parts else ""

    @property
    def is_telling(self) -> bool:
        """Whether anything is said, or nothing is allowed."""
        return bool(self.parts) or self.impossible or self.lost

    @property
    def places(self) -> tuple[str, ...]:
        """The pointers of all parts."""
        return tuple(part.pointer for part in self.parts)

    @property
    def key(self) -> Key:
        """What tells this view from all others of its document."""
        return self.places, self.impossible, self.lost

    def said(self, keyword: str) -> Iterator[tuple[Json, str]]:
        """Yield each value of a keyword, with its pointer."""
        for part in self.parts:
            if keyword in part.raw:
                yield part.raw[keyword], f"{part.pointer}/{escape(keyword)}"

    def at(self, keyword: str) -> str:
        """Return the pointer of a keyword, or where it would be."""
        return next((pointer for _, pointer in self.said(keyword)), self.pointer)

    def first(self, keyword: str) -> Json:
        """Return what is first said with a keyword, ``None`` if nothing."""
        return next((value for value, _ in self.said(keyword)), None)

    def spelled(self) -> Json:
        """Return all that is said as one schema, with what references lead to in their place."""
        return spelled(self.document, [dict(part.raw) for part in self.parts])

    def keyword(self, *names: str) -> Json:
        """Return what is said with some keywords, so; ``None`` where none of them is said."""
        found = [{k: part.raw[k] for k in names if k in part.raw} for part in self.parts]
        found = [said for said in found if said]
        if len(names) == 1:
            found = [said[names[0]] for said in found]
        return spelled(self.document, found) if found else None

    def joined(self, ats: Iterable[At]) -> View:
        """Return the view of other schemas of the same document, all of them at once."""
        return _view(self.document, ats)

    def and_also(self, other: View) -> View:
        """Return what this says, and for one branch of it what another says."""
        return View(
            self.document,
            (*self.parts, *other.parts),
            self.impossible or other.impossible,
            self.lost or other.lost,
            len(self.parts),
        )


def spelled(document: Document, schemas: list[Json]) -> Json:
    """Return schemas that all hold as one, with what references lead to in their place."""
    spelling = _Spelling(document)
    found = [spelling.of(schema, ()) for schema in schemas]
    return found[0] if len(found) == 1 else {"allOf": found} if found else True


@dataclass(slots=True)
class _Spelling:
    """Follows references while there are few; the rest is told by a hash of the whole schema."""

    document: Document
    left: int = MAX_SPELLED

    def of(self, value: Json, around: tuple[str, ...]) -> Json:
        self.left -= 1
        if is_array(value):
            return [self.of(item, around) for item in value]
        if not is_object(value):
            return value
        said = {k: self.of(v, around) for k, v in value.items() if k != "$ref"}
        if "$ref" not in value:
            return said
        target = self._target(value["$ref"], around)
        return {"allOf": [target, said]} if said else target

    def _target(self, ref: Json, around: tuple[str, ...]) -> Json:
        found = self.document.resolve(ref) if isinstance(ref, str) else None
        if found is None:
            return {"$ref": ref}
        schema, pointer = found
        if pointer in around:
            return {"$ref": f"{len(around) - around.index(pointer)} up"}
        if self.left < 0 or len(around) > MAX_FOLLOWED:
            return {"$ref": f"{ref} of {sha256(self.document.raw)[:12]}"}
        return self.of(schema, (*around, pointer))


def root(raw: Json, *, is_input: bool) -> View:
    """Return the view of a whole schema; an input is an object whether or not it says so."""
    document = Document(raw, dialect(raw) or "")
    found = _view(document, [(raw, "")])
    if not is_input:
        return found
    return View(
        document, (Part("", {"type": "object"}), *found.parts), found.impossible, found.lost
    )


def _view(document: Document, ats: Iterable[At]) -> View:
    parts: list[Part] = []
    flags = {"impossible": False, "lost": False}
    waiting = list(ats)[::-1]
    seen: set[str] = set()
    while waiting:
        schema, pointer = waiting.pop()
        if schema is True or pointer in seen:
            continue
        seen.add(pointer)
        if not is_object(schema) or len(parts) > MAX_PARTS:
            flags["impossible" if schema is False else "lost"] = True
            continue
        hidden = False
        if isinstance(schema.get("$ref"), str):
            target = document.resolve(schema["$ref"])
            flags["lost"] |= target is None
            hidden = document.hides_siblings
            waiting += [target] if target is not None else []
        # Siblings that a draft-07 validator does not see are still read by an agent.
        kept = {k: v for k, v in schema.items() if not hidden or k in _TEXTS}
        flags["lost"] |= bool(kept.keys() & {"$dynamicRef", "$recursiveRef", "extends", "disallow"})
        branches = kept.get("allOf")
        for index, branch in enumerate(branches if is_array(branches) else []):
            waiting.insert(0, (branch, f"{pointer}/allOf/{index}"))
        rest = {k: v for k, v in kept.items() if k not in ("$ref", "allOf")}
        if rest:
            parts.append(Part(pointer, rest))
    flags["lost"] |= any(map(is_slow, (p for part in parts for p in _patterns(part))))
    if _reaches_beyond(parts):
        flags["lost"] = True
        parts = [part.without("unevaluatedProperties", "unevaluatedItems") for part in parts]
    return View(document, tuple(parts), **flags)


def _reaches_beyond(parts: list[Part]) -> bool:
    """Say whether ``unevaluated...`` depends on more than the part that says it."""
    speaking = [p for p in parts if {"unevaluatedProperties", "unevaluatedItems"} & p.raw.keys()]
    asserting = [part for part in parts if part.raw.keys() - _TEXTS]
    if not speaking:
        return False
    return len(asserting) > 1 or not _APPLICATORS.isdisjoint(speaking[0].raw)


@dataclass(frozen=True)
class Members:
    """The members of an object, by what every part says of each name."""

    view: View

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that some part lists and none forbids."""
        listed = {n for part in self.view.parts for n in _object(part, "properties")}
        return frozenset(n for n in listed if not self.of(n).impossible)

    @cached_property
    def required(self) -> frozenset[str]:
        """The names of the members that must be there."""
        lists = [value for value, _ in self.view.said("required") if is_array(value)]
        return frozenset(name for names in lists for name in names if isinstance(name, str))

    def of(self, name: str) -> View:
        """Return what is said of the member with a name, listed or not."""
        return self.view.joined(at for part in self.view.parts for at in _member(part, name))

    @cached_property
    def rest(self) -> View:
        """What is said of members that are neither listed nor match a pattern."""
        ats = [(_additional(p), _additional_at(p)) for p in self.view.parts]
        return self.view.joined((schema, at) for schema, at in ats if schema is not None)

    @property
    def is_closed(self) -> bool:
        """Whether there can be no other members."""
        return self.rest.impossible

    @property
    def is_open(self) -> bool:
        """Whether other members may be anything."""
        return not self.rest.is_telling

    @property
    def is_said_to_be_open(self) -> bool:
        """Whether it is open, and not only by saying nothing."""
        return self.is_open and any(_additional(part) is not None for part in self.view.parts)

    @property
    def is_free(self) -> bool:
        """Whether no member is named: an object of any names."""
        return not self.names and not self.is_closed

    @property
    def patterns(self) -> dict[str, View]:
        """What is said of names by a pattern."""
        found: dict[str, list[At]] = {}
        for part in self.view.parts:
            for pattern, schema in _object(part, "patternProperties").items():
                at = f"{part.pointer}/patternProperties/{escape(pattern)}"
                found.setdefault(pattern, []).append((schema, at))
        return {pattern: self.view.joined(ats) for pattern, ats in found.items()}


def _object(part: Part, keyword: str) -> dict[str, Json]:
    value = part.raw.get(keyword)
    return value if is_object(value) else {}


def _member(part: Part, name: str) -> Iterator[At]:
    own = _object(part, "properties")
    spoken = False
    if name in own:
        spoken = True
        yield own[name], f"{part.pointer}/properties/{escape(name)}"
    for pattern, schema in _object(part, "patternProperties").items():
        if matches(pattern, name):
            spoken = True
            yield schema, f"{part.pointer}/patternProperties/{escape(pattern)}"
    additional = _additional(part)
    if not spoken and additional is not None:
        yield additional, _additional_at(part)


def _patterns(part: Part) -> Iterator[str]:
    yield from _object(part, "patternProperties")


def is_slow(pattern: str) -> bool:
    """Say whether a pattern may take long to match, or cannot be read: it is never tried then."""
    return not patterns.is_linear(pattern)


def matches(pattern: str, name: str) -> bool:
    """Say whether a name matches a pattern that can be tried."""
    if is_slow(pattern):
        return False
    try:
        return patterns.matches(pattern, name)
    except patterns.UnrunnableError:
        return False


def _additional(part: Part) -> Json:
    value = part.raw.get("additionalProperties", part.raw.get("unevaluatedProperties"))
    return True if value == {} else value


def _additional_at(part: Part) -> str:
    is_usual = "additionalProperties" in part.raw
    return f"{part.pointer}/{'additionalProperties' if is_usual else 'unevaluatedProperties'}"


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of an array, by what every part says of each place."""

    view: View

    @property
    def places(self) -> int:
        """How many places have a schema of their own."""
        return max([len(_tuple(part)[0]) for part in self.view.parts], default=0)

    @property
    def is_ended(self) -> bool:
        """Whether nothing may follow the places."""
        return self.rest.impossible

    def of(self, index: int) -> View:
        """Return what is said of the element at a place."""
        return self.view.joined(
            at
            for places, rest in map(_tuple, self.view.parts)
            for at in (places[index : index + 1] or rest)
        )

    @property
    def rest(self) -> View:
        """What is said of all elements after the places."""
        return self.of(self.places)


def _tuple(part: Part) -> tuple[list[At], list[At]]:
    """Return the places and what follows them, as either dialect writes tuples."""
    raw, base = part.raw, part.pointer
    items = raw.get("items")
    keyword, after = ("items", "additionalItems") if is_array(items) else ("prefixItems", "items")
    listed = raw.get(keyword)
    places = [
        (s, f"{base}/{keyword}/{i}") for i, s in enumerate(listed if is_array(listed) else [])
    ]
    if after not in raw and "unevaluatedItems" in raw:
        after = "unevaluatedItems"
    return places, [(raw[after], f"{base}/{after}")] if after in raw else []
