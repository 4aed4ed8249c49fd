"""Translates a schema so that jsonschema-rs and jsonschema agree on it.

Annotations are removed, and patterns are rewritten for Rust's engine. A schema that the
libraries may interpret differently, or that may be slow, isn't translated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from ...jsonpointer import append_step
from ..regexes import patterns
from .addresses import DEFINITIONS, DYNAMIC, MANY, NAMED, ONE, Addresses
from .recursion import UNEVALUATED, Order, Subschema, UnlikeError, check_recursion, pattern_weight

LARGEST = 10.0**16
"""The largest float that certainly equals the number in the JSON text."""
_EXACT = 2**53
"""The bound up to which every integer is exactly a float."""

MOST_LEVELS = 100
_MOST_LEVELS_EVALUATED = 20  # each level takes much of the stack
_MOST_NESTED = 1_500  # parts within each other, in about 200 kB of the stack

_FIRST = frozenset(
    "$ref additionalProperties allOf anyOf enum exclusiveMaximum exclusiveMinimum items maxItems"
    " maxLength maxProperties maximum minItems minLength minProperties minimum multipleOf not"
    " oneOf pattern patternProperties properties required type uniqueItems".split()
)
_EVERY = _FIRST | {"const", "contains", "propertyNames"}
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
_DRAFT_4 = "http://json-schema.org/draft-04/schema"
_BEFORE = "https://json-schema.org/draft/2019-09/schema"
LATEST = "https://json-schema.org/draft/2020-12/schema"
KEYWORDS: Mapping[str, frozenset[str]] = {
    _DRAFT_4: _FIRST | _LISTED | {"dependencies"},
    "http://json-schema.org/draft-06/schema": _OLD,
    "http://json-schema.org/draft-07/schema": _OLD | _IF,
    _BEFORE: _NEW | _LISTED | {"$recursiveRef"},
    LATEST: _NEW | {"prefixItems", "$dynamicRef"},
}
"""Assertion keywords by dialect. Only jsonschema validates draft-03."""
_EXCLUSIVE = {"maximum": "exclusiveMaximum", "minimum": "exclusiveMinimum"}
_MISREAD = frozenset({"contains", "unevaluatedItems"})
"""Keywords of 2019-09 that jsonschema-rs combines wrongly.

It treats contained items as evaluated.
"""
_REFERENCES = DYNAMIC | {"$ref"}
_NUMBERS = frozenset(
    "const enum exclusiveMaximum exclusiveMinimum maximum minimum multipleOf".split()
)


@dataclass(frozen=True)
class TranslatedSchema:
    """A translated schema, in 2020-12 or 2019-09.

    weight: Cost of all patterns for one character, each counted as often as it may run.
    compared: Whether numbers are compared. The libraries differ on very large ones.
    max_depth: Depth of the deepest value to validate, or None without recursion.
    whole: Whether 1.0 isn't an integer, as in draft-04.
    patterns: The schema's own patterns, by their translation.
    """

    schema: dict[str, Any]
    is_latest: bool
    weight: int
    compared: bool
    max_depth: int | None = None
    whole: bool = False
    patterns: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class _KeywordLocation:
    """The subschema that holds a keyword, its JSON pointer, its depth and its resource."""

    part: Subschema
    keyword: str
    pointer: str | None
    level: int
    base: str


def translate(schema: object) -> TranslatedSchema | None:
    """Translate a valid schema. Returns None if it can't be translated."""
    if not isinstance(schema, dict):
        return None
    root = cast("dict[str, Any]", schema)
    named = root.get("$schema", LATEST)
    dialect = named.removesuffix("#") if isinstance(named, str) else ""
    if dialect not in KEYWORDS:
        return None
    try:
        reader = _Reader(dialect, root)
        part, translated = reader.read(root, "", 0)
        order, level = reader.order_parts(part)
        weight = pattern_weight(order, reader.returns)
        max_depth = None
        if reader.returns:
            check_recursion(order, reader.returns)
            max_depth = _MOST_NESTED // level
    except UnlikeError:
        return None
    is_latest = dialect == LATEST
    return TranslatedSchema(
        translated,
        is_latest,
        weight,
        reader.compared,
        max_depth,
        reader.whole,
        reader.patterns,
    )


class _Reader:
    """Translates the subschemas of one document."""

    def __init__(self, dialect: str, root: dict[str, Any]) -> None:
        """Start with a document and its dialect, without a fragment."""
        self._dialect = dialect
        self._keywords = KEYWORDS[dialect] | DEFINITIONS
        self._is_old = dialect.startswith("http://")
        self._is_2019 = dialect == _BEFORE
        self._addresses = None if self._is_old else Addresses(root)
        identifier = "id" if dialect == _DRAFT_4 else "$id"
        self._unreadable = {"$schema", identifier} if self._is_old else {"$schema"}
        self._seen: set[str] = set()
        self._by_place: dict[str, Subschema] = {}
        self._unread: dict[str, tuple[dict[str, Any], str, Any, str]] = {}
        self.compared = False
        self.whole = False
        self.patterns: dict[str, str] = {}
        self.returns: set[Subschema] = set()
        """Subschemas that refer to themselves."""

    def read(
        self, node: Any, pointer: str | None, level: int, base: str = ""
    ) -> tuple[Subschema, dict[str, Any]]:
        """Translate a subschema. ``pointer`` is its pointer, or None without one.

        ``base`` identifies the resource around it.
        """
        part = Subschema()
        if pointer is not None:
            self._by_place[pointer] = part
        if isinstance(node, bool):
            return part, cast("Any", node)
        if not isinstance(node, dict) or level > MOST_LEVELS:
            raise UnlikeError
        schema = cast("dict[str, Any]", node)
        assertions = self._assertions(schema, is_root=level == 0)
        if "$id" in schema and self._addresses is not None:
            base = self._addresses.base(pointer)
        translated: dict[str, Any] = {}
        conditions: list[dict[str, Any]] = []
        for keyword, value in assertions.items():
            at = _KeywordLocation(part, keyword, _pointer_below(pointer, keyword), level + 1, base)
            if level == 0 and keyword in DEFINITIONS:
                translated[keyword] = self._later(at, _object(value))
            elif keyword == "dependencies":
                translated |= self._dependencies(at, _object(value))
            elif keyword in _REFERENCES:
                translated["$ref"] = self._reference(at, value)
            elif keyword == "pattern":
                conditions += self._conditions(part, value)
            else:
                translated[keyword] = self._value(at, value)
        if len(conditions) == 1 and "pattern" in conditions[0]:
            translated |= conditions[0]
        elif conditions:
            translated["allOf"] = [*translated.get("allOf", ()), *conditions]
        return part, translated

    def _conditions(self, part: Subschema, pattern: object) -> list[dict[str, Any]]:
        """Return the conditions of a pattern, each without look-around."""
        try:
            conditions_found = patterns.conditions(pattern) if isinstance(pattern, str) else ()
        except patterns.UnrunnableError:
            conditions_found = ()
        if not conditions_found:
            raise UnlikeError
        part.weight += sum(item.weight for item in conditions_found)
        self.patterns |= {item.written: str(pattern) for item in conditions_found}
        return [_assertion(entry) for entry in conditions_found]

    def _later(self, at: _KeywordLocation, named: dict[str, Any]) -> dict[str, Any]:
        """Return an object to which each definition is added when it is first referred to."""
        translated: dict[str, Any] = {}
        for name, node in named.items():
            self._unread[_pointer_below(at.pointer, name) or ""] = translated, name, node, at.base
        return translated

    def _assertions(self, node: dict[str, Any], *, is_root: bool) -> dict[str, Any]:
        """Return the assertion keywords and definitions of a subschema."""
        if not is_root and not self._unreadable.isdisjoint(node):
            raise UnlikeError  # it has its own dialect or identifier
        if len(_REFERENCES & node.keys()) > 1:
            raise UnlikeError
        if self._is_2019:
            self._seen |= _MISREAD & node.keys()
            if self._seen >= _MISREAD:
                raise UnlikeError
        if self._dialect == _DRAFT_4:
            node = _with_own_bounds(node)
        keywords = self._keywords
        if self._is_old and "$ref" in node:
            keywords = DEFINITIONS | {"$ref"}  # which hides all others
        return {key: value for key, value in node.items() if key in keywords}

    def _value(self, at: _KeywordLocation, value: Any) -> Any:
        """Translate the value of a keyword."""
        if at.keyword in MANY and isinstance(value, list):
            return self._translate_list(at, value)
        if at.keyword in NAMED:
            named = _object(value).items()
            return {name: self._inner(at, node, name) for name, node in named}
        if at.keyword in ONE:
            return self._inner(at, value)
        if at.keyword == "patternProperties":
            return self._by_pattern(at, _object(value))
        return self._plain(at, value)

    def _dependencies(self, at: _KeywordLocation, named: dict[str, Any]) -> dict[str, Any]:
        nowhere = replace(at, pointer=None)
        names: dict[str, Any] = {
            name: node for name, node in named.items() if isinstance(node, list)
        }
        parts = {
            name: self._inner(nowhere, node) for name, node in named.items() if name not in names
        }
        return {"dependentRequired": names, "dependentSchemas": parts}

    def _inner(self, at: _KeywordLocation, node: Any, name: str | None = None) -> Any:
        below = at.pointer if name is None else _pointer_below(at.pointer, name)
        part, translated = self.read(node, below, at.level, at.base)
        part.name = name
        at.part.children.append((at.keyword, part))
        return translated

    def _translate_list(self, at: _KeywordLocation, parts: Any) -> list[Any]:
        if at.keyword == "items" and self._dialect == LATEST:
            raise UnlikeError
        return [self._inner(at, node, str(index)) for index, node in enumerate(parts)]

    def _by_pattern(self, at: _KeywordLocation, parts: dict[str, Any]) -> dict[str, Any]:
        # the patterns are rewritten, so pointers would be wrong
        nowhere = replace(at, pointer=None)
        translated = {
            self._pattern(at.part, pattern): self._inner(nowhere, node)
            for pattern, node in parts.items()
        }
        if len(translated) < len(parts):
            raise UnlikeError
        return translated

    def _plain(self, at: _KeywordLocation, value: Any) -> Any:
        if at.keyword == "type":
            self.whole |= self._dialect == _DRAFT_4 and "integer" in value
        elif at.keyword == "uniqueItems":
            self.compared |= value is True
        elif at.keyword in _NUMBERS:
            self._compare(value)
            # The libraries disagree on large floats: each reads different digits.
            self.compared |= at.keyword == "multipleOf"
        return value

    def _reference(self, at: _KeywordLocation, value: object) -> str:
        reference = str(value)
        if self._addresses is not None:
            reference = f"#{self._addresses.target(at.keyword, reference, at.base)}"
        at.part.ref = reference
        return reference

    def _pattern(self, part: Subschema, pattern: object) -> str:
        if not isinstance(pattern, str) or not patterns.is_linear(pattern):
            raise UnlikeError
        part.weight += patterns.weight(pattern)
        return patterns.pydantic_pattern(pattern)

    def _compare(self, value: Any) -> None:
        """Record whether large numbers are compared. Raises UnlikeError if inexact."""
        for number in numbers(value):
            if isinstance(number, float) and not abs(number) < LARGEST:
                raise UnlikeError
            self.compared |= abs(number) > _EXACT

    def order_parts(self, root: Subschema) -> tuple[Order, int]:
        """Return all reachable subschemas, each after its own, and their depth.

        Raises: UnlikeError: They are nested too deeply.
        """
        order: Order = []
        levels: dict[Subschema, int] = {}
        way: set[Subschema] = set()
        most = MOST_LEVELS

        def visit(part: Subschema) -> int:
            nonlocal most
            if part in way:
                self.returns.add(part)
                return 0
            if len(way) > most:
                raise UnlikeError
            if part not in levels:
                way.add(part)
                dependencies = self._edges(part)
                if not UNEVALUATED.isdisjoint(keyword for keyword, _ in dependencies):
                    most = _MOST_LEVELS_EVALUATED
                below = [visit(dependency) for _, dependency in dependencies]
                way.remove(part)
                levels[part] = 1 + max(below, default=0)
                order.append((part, dependencies))
            return levels[part]

        if visit(root) > most:
            raise UnlikeError
        return order, levels[root]

    def _edges(self, part: Subschema) -> list[tuple[str, Subschema]]:
        dependencies = [item for item in part.children if item[0] not in DEFINITIONS]
        if not part.ref:
            return dependencies
        pointer = part.ref[1:]
        definition = "/".join(pointer.split("/")[:3])
        if definition in self._unread:
            translated, name, node, base = self._unread.pop(definition)
            _, translated[name] = self.read(node, definition, 2, base)
        if pointer not in self._by_place or not part.ref.startswith("#"):
            raise UnlikeError
        return [*dependencies, ("$ref", self._by_place[pointer])]


def _with_own_bounds(node: dict[str, Any]) -> dict[str, Any]:
    """Return a subschema of draft-04 with numbers for its exclusive bounds."""
    node = {**node}
    for bound, exclusive in _EXCLUSIVE.items():
        if node.pop(exclusive, False) is True and bound in node:
            node[exclusive] = node.pop(bound)
    return node


def _assertion(condition: patterns.Condition) -> dict[str, Any]:
    """Return a schema of strings that a pattern is found in, or not found in."""
    if condition.is_found:
        return {"pattern": condition.written}
    return {"not": {"type": "string", "pattern": condition.written}}


def _pointer_below(pointer: str | None, name: str) -> str | None:
    return None if pointer is None else append_step(pointer, name)


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UnlikeError
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
