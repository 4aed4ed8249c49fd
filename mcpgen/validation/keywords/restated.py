"""A schema in words that jsonschema-rs reads as jsonschema does, where there are such.

What asserts nothing is left out, and patterns are written for the engine that both use.
A schema that they may read otherwise, or that may take jsonschema-rs long, has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, cast

from ..regexes import patterns

LARGEST = 10.0**16
"""Up to here a float is the number that it is written as."""
_EXACT = 2**53
"""Up to here each whole number is a float."""

MOST_LEVELS = 100
_MOST_LEVELS_EVALUATED = 20  # which are kept on the stack, and take much of it
_MOST_NESTED = 1_500  # parts within each other, in about 200 kB of the stack
_MOST_TURNS = 20  # a part may be asked so many times, as jsonschema asks it once
_FEW = 2_000

_EVERY = frozenset(
    "$ref additionalProperties allOf anyOf const contains enum exclusiveMaximum"
    " exclusiveMinimum items maxItems maxLength maxProperties maximum minItems"
    " minLength minProperties minimum multipleOf not oneOf pattern patternProperties"
    " properties propertyNames required type uniqueItems".split()
)
_IF = frozenset({"if", "then", "else"})
_LISTED = frozenset({"additionalItems"})
_OLD = _EVERY | _LISTED | {"dependencies"}
_NEW = (
    _EVERY
    | _IF
    | frozenset(
        "dependentRequired dependentSchemas maxContains minContains unevaluatedItems"
        " unevaluatedProperties".split()
    )
)
_BEFORE = "https://json-schema.org/draft/2019-09/schema"
LATEST = "https://json-schema.org/draft/2020-12/schema"
KEYWORDS: Mapping[str, frozenset[str]] = {
    "http://json-schema.org/draft-06/schema": _OLD,
    "http://json-schema.org/draft-07/schema": _OLD | _IF,
    _BEFORE: _NEW | _LISTED,
    LATEST: _NEW | {"prefixItems"},
}
"""What asserts something, by dialect; draft-03 and draft-04 are jsonschema's alone."""
_DEFINITIONS = frozenset({"$defs", "definitions"})
_ONE = frozenset(
    "additionalItems additionalProperties contains else if items not propertyNames then"
    " unevaluatedItems unevaluatedProperties".split()
)
_MANY = frozenset("allOf anyOf items oneOf prefixItems".split())
_NAMED = _DEFINITIONS | {"dependentSchemas", "properties"}
_IN_PLACE = frozenset(
    "$ref allOf anyOf contains dependencies dependentSchemas else if not oneOf"
    " then".split()
)
_UNEVALUATED = frozenset({"unevaluatedItems", "unevaluatedProperties"})
_MISREAD = frozenset({"contains", "unevaluatedItems"})
"""What is contained is not evaluated in 2019-09; jsonschema-rs says that it is."""
_ELSEWHERE = frozenset({"$dynamicRef", "$recursiveRef"})
_NUMBERS = frozenset(
    "const enum exclusiveMaximum exclusiveMinimum maximum minimum multipleOf".split()
)


@dataclass(frozen=True)
class Restated:
    """The same schema in 2020-12, or in 2019-09.

    ``weight`` is that of all patterns, each as often as it may be asked. Where numbers
    are ``compared``, very large ones may be equal for one of the two libraries alone.
    ``max_depth`` bounds the nesting of a value if the schema is recursive.
    """

    schema: dict[str, Any]
    is_latest: bool
    weight: int
    compared: bool
    max_depth: int | None = None


class _UnlikeError(Exception):
    """Both may read the schema otherwise, or it may take long."""


@dataclass(eq=False)
class _Part:
    """A subschema; ``places`` are its own, by keyword, ``ref`` is where it leads.

    ``name`` is the property or index that it is for, if it is for one alone.
    """

    weight: int = 0
    places: list[tuple[str, _Part]] = field(default_factory=list[Any])
    ref: str = ""
    name: str | None = None


_Order: TypeAlias = "list[tuple[_Part, list[tuple[str, _Part]]]]"


@dataclass(frozen=True)
class _Place:
    """Where a keyword stands: in which part, and how deep."""

    part: _Part
    keyword: str
    pointer: str | None
    level: int


def restated(schema: object) -> Restated | None:
    """Return a schema that is valid in other words, or ``None``."""
    if not isinstance(schema, dict):
        return None
    root = cast("dict[str, Any]", schema)
    named = root.get("$schema", LATEST)
    dialect = named.removesuffix("#") if isinstance(named, str) else ""
    if dialect not in KEYWORDS:
        return None
    reader = _Reader(dialect)
    try:
        part, said = reader.read(root, "", 0)
        order, level = reader.ordered(part)
        weight = _weighed(order, reader.returns)
        max_depth = None
        if reader.returns:
            _check_recursion(order, reader.returns)
            max_depth = _MOST_NESTED // level
    except _UnlikeError:
        return None
    return Restated(said, dialect == LATEST, weight, reader.compared, max_depth)


class _Reader:
    """Reads the subschemas of one document, each in its place."""

    def __init__(self, dialect: str) -> None:
        """Take the dialect of the document."""
        self._dialect = dialect
        self._keywords = KEYWORDS[dialect] | _DEFINITIONS
        self._is_old = dialect.startswith("http://")
        self._is_2019 = dialect == _BEFORE
        self._seen: set[str] = set()
        self._by_place: dict[str, _Part] = {}
        self._unread: dict[str, tuple[dict[str, Any], str, Any]] = {}
        self.compared = False
        self.returns: set[_Part] = set()
        """The parts that lead to themselves."""

    def read(
        self, node: Any, place: str | None, level: int
    ) -> tuple[_Part, dict[str, Any]]:
        """Return a subschema in other words; ``place`` is its pointer, or ``None``."""
        part = _Part()
        if place is not None:
            self._by_place[place] = part
        if isinstance(node, bool):
            return part, cast("Any", node)
        if not isinstance(node, dict) or level > MOST_LEVELS:
            raise _UnlikeError
        known = self._known(cast("dict[str, Any]", node), is_root=level == 0)
        said: dict[str, Any] = {}
        conditions: list[dict[str, Any]] = []
        for keyword, value in known.items():
            at = _Place(part, keyword, _below(place, keyword), level + 1)
            if level == 0 and keyword in _DEFINITIONS:
                said[keyword] = self._later(at, _object(value))
            elif keyword == "dependencies":
                said |= self._dependencies(at, _object(value))
            elif keyword == "pattern":
                conditions += self._conditions(part, value)
            else:
                said[keyword] = self._value(at, value)
        if len(conditions) == 1 and "pattern" in conditions[0]:
            said |= conditions[0]
        elif conditions:
            said["allOf"] = [*said.get("allOf", ()), *conditions]
        return part, said

    def _conditions(self, part: _Part, pattern: object) -> list[dict[str, Any]]:
        """Return the conditions of a pattern, each without look-around."""
        found = patterns.conditions(pattern) if isinstance(pattern, str) else ()
        if not found:
            raise _UnlikeError
        part.weight += sum(each.weight for each in found)
        return [
            {"pattern": each.written}
            if each.is_found
            else {"if": {"type": "string"}, "then": {"not": {"pattern": each.written}}}
            for each in found
        ]

    def _later(self, at: _Place, named: dict[str, Any]) -> dict[str, Any]:
        """Return definitions, to which each is added when it is first referred to."""
        said: dict[str, Any] = {}
        for name, node in named.items():
            self._unread[_below(at.pointer, name) or ""] = said, name, node
        return said

    def _known(self, node: dict[str, Any], *, is_root: bool) -> dict[str, Any]:
        """Return the members that assert something, and definitions."""
        if not _ELSEWHERE.isdisjoint(node):
            raise _UnlikeError
        if not is_root and not {"$id", "$schema"}.isdisjoint(node):
            raise _UnlikeError  # it has an address or a dialect of its own
        if self._is_2019:
            self._seen |= _MISREAD & node.keys()
            if self._seen >= _MISREAD:
                raise _UnlikeError
        known = self._keywords
        if self._is_old and "$ref" in node:
            known = _DEFINITIONS | {"$ref"}  # which hides all others
        return {key: value for key, value in node.items() if key in known}

    def _value(self, at: _Place, value: Any) -> Any:
        """Return the value of a keyword in other words."""
        if at.keyword in _MANY and isinstance(value, list):
            return self._listed(at, value)
        if at.keyword in _NAMED:
            named = _object(value).items()
            return {name: self._inner(at, node, name) for name, node in named}
        if at.keyword in _ONE:
            return self._inner(at, value)
        if at.keyword == "patternProperties":
            return self._by_pattern(at, _object(value))
        return self._plain(at, value)

    def _dependencies(self, at: _Place, named: dict[str, Any]) -> dict[str, Any]:
        nowhere = replace(at, pointer=None)
        names: dict[str, Any] = {
            name: node for name, node in named.items() if isinstance(node, list)
        }
        parts = {
            name: self._inner(nowhere, node)
            for name, node in named.items()
            if name not in names
        }
        return {"dependentRequired": names, "dependentSchemas": parts}

    def _inner(self, at: _Place, node: Any, name: str | None = None) -> Any:
        below = at.pointer if name is None else _below(at.pointer, name)
        made, said = self.read(node, below, at.level)
        made.name = name
        at.part.places.append((at.keyword, made))
        return said

    def _listed(self, at: _Place, parts: Any) -> list[Any]:
        if at.keyword == "items" and self._dialect == LATEST:
            raise _UnlikeError
        return [self._inner(at, node, str(index)) for index, node in enumerate(parts)]

    def _by_pattern(self, at: _Place, parts: dict[str, Any]) -> dict[str, Any]:
        nowhere = replace(at, pointer=None)  # as the patterns are other texts now
        said = {
            self._pattern(at.part, pattern): self._inner(nowhere, node)
            for pattern, node in parts.items()
        }
        if len(said) < len(parts):
            raise _UnlikeError
        return said

    def _plain(self, at: _Place, value: Any) -> Any:
        if at.keyword == "$ref":
            at.part.ref = str(value)
        elif at.keyword == "uniqueItems":
            self.compared |= value is True
        elif at.keyword in _NUMBERS:
            self._compare(value)
        return value

    def _pattern(self, part: _Part, pattern: object) -> str:
        if not isinstance(pattern, str) or not patterns.is_linear(pattern):
            raise _UnlikeError
        part.weight += patterns.weight(pattern)
        return patterns.written(pattern)

    def _compare(self, value: Any) -> None:
        """Note that large numbers are compared; raises of what is no exact float."""
        for number in numbers(value):
            if isinstance(number, float) and not abs(number) < LARGEST:
                raise _UnlikeError
            self.compared |= abs(number) > _EXACT

    def ordered(self, root: _Part) -> tuple[_Order, int]:
        """Return what is met from the root on, each part behind those that it asks.

        A part that leads to itself is met once. The second value is how many parts are
        within each other. Raises where a part leads too far.
        """
        order: _Order = []
        levels: dict[_Part, int] = {}
        way: set[_Part] = set()
        most = MOST_LEVELS

        def visit(part: _Part) -> int:
            nonlocal most
            if part in way:
                self.returns.add(part)
                return 0
            if len(way) > most:
                raise _UnlikeError
            if part not in levels:
                way.add(part)
                asked = self._asked(part)
                if not _UNEVALUATED.isdisjoint(keyword for keyword, _ in asked):
                    most = _MOST_LEVELS_EVALUATED
                below = [visit(each) for _, each in asked]
                way.remove(part)
                levels[part] = 1 + max(below, default=0)
                order.append((part, asked))
            return levels[part]

        if visit(root) > most:
            raise _UnlikeError
        return order, levels[root]

    def _asked(self, part: _Part) -> list[tuple[str, _Part]]:
        asked = [each for each in part.places if each[0] not in _DEFINITIONS]
        if not part.ref:
            return asked
        pointer = part.ref[1:]
        definition = "/".join(pointer.split("/")[:3])
        if definition in self._unread:
            said, name, node = self._unread.pop(definition)
            _, said[name] = self.read(node, definition, 2)
        if pointer not in self._by_place or not part.ref.startswith("#"):
            raise _UnlikeError
        return [*asked, ("$ref", self._by_place[pointer])]


def _below(pointer: str | None, name: str) -> str | None:
    escaped = name.replace("~", "~0").replace("/", "~1")
    return None if pointer is None else f"{pointer}/{escaped}"


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _UnlikeError
    return cast("dict[str, Any]", value)


def numbers(value: object) -> Iterator[int | float]:
    """Yield the numbers in a value, at any depth."""
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, dict):
            waiting += cast("dict[str, object]", inner).values()
        elif isinstance(inner, list):
            waiting += cast("list[object]", inner)
        elif isinstance(inner, int | float):
            yield inner


def _check_recursion(order: _Order, returns: set[_Part]) -> None:
    """Raise if a recursive schema may ask a part of a value more than once a level.

    That would double the time with each level of the value, and no time limit ends
    jsonschema-rs. So of all that is asked of one value, no two parts that lead to
    themselves may be for the same property or item of it.
    """
    inner = dict(order)
    leading = set(returns)
    found = True
    while found:
        found = False
        for part, asked in order:
            if part not in leading and any(each in leading for _, each in asked):
                leading.add(part)
                found = True
    slots: dict[_Part, list[tuple[str, str | None]]] = {}

    def visit(part: _Part, way: tuple[_Part, ...]) -> list[tuple[str, str | None]]:
        if part in way:  # without a step into the value, so without end
            raise _UnlikeError
        if part not in slots:
            asked = [(key, each) for key, each in inner[part] if each in leading]
            if any(key in _UNEVALUATED for key, _ in inner[part]):
                raise _UnlikeError
            slots[part] = []
            for keyword, each in asked:
                if keyword in _IN_PLACE - {"contains"}:
                    slots[part] += visit(each, (*way, part))
                else:
                    slots[part].append(_slot(keyword, each))
            if _overlap(slots[part]):
                raise _UnlikeError
        return slots[part]

    for part in leading:
        visit(part, ())


def _slot(keyword: str, part: _Part) -> tuple[str, str | None]:
    """Return what a keyword asks of a value: one property or item, or any of them."""
    if keyword == "properties":
        return "property", part.name
    is_item = "tems" in keyword or keyword == "contains"
    return "item" if is_item else "property", None


def _overlap(slots: list[tuple[str, str | None]]) -> bool:
    for kind in ("property", "item"):
        names = [name for each, name in slots if each == kind]
        if len(set(names)) < len(names) or (None in names and len(names) > 1):
            return True
    return False


def _weighed(order: _Order, returns: set[_Part]) -> int:
    """Return the weight of all patterns; raises where parts are asked too often.

    jsonschema-rs asks a part again wherever it is referred to, and what a part that is
    met has evaluated whenever that is asked: references double, and so on.
    """
    asked: dict[_Part, tuple[int, int]] = {}
    weights: dict[_Part, tuple[int, int]] = {}
    for part, every in order:
        # A part that is still being asked is counted where it is met first.
        inner = [
            (key, each) for key, each in every if each in asked or each not in returns
        ]
        asked[part] = _sum(1, inner, asked)
        weights[part] = _sum(part.weight, inner, weights)
        if asked[part][0] > _MOST_TURNS * len(order) + _FEW:
            raise _UnlikeError
    return weights[order[-1][0]][0]


def _sum(
    own: int, inner: list[tuple[str, _Part]], known: dict[_Part, tuple[int, int]]
) -> tuple[int, int]:
    """Add what is asked of a part, and what is asked when it says what it evaluated."""
    in_place = [known[part] for keyword, part in inner if keyword in _IN_PLACE]
    evaluated = own + sum(map(sum, in_place))
    total = own + sum(known[part][0] for _, part in inner)
    is_evaluating = any(keyword in _UNEVALUATED for keyword, _ in inner)
    return total + evaluated * is_evaluating, evaluated
