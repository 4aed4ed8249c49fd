"""Validates values by a schema in its dialect, and schemas by size and meta-schema."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any, cast

from mcpgen_runtime.display import brief
from mcpgen_runtime.problem import MOST_PROBLEMS
from mcpgen_runtime.validation.keywords import native, validators
from mcpgen_runtime.validation.keywords.jsonschema_api import (
    ValidationError,
    Validator,
    meta_schemas,
)
from mcpgen_runtime.validation.keywords.older_drafts import translate_drafts
from mcpgen_runtime.validation.regexes.patterns import ExhaustedError

from mcpgen.errors import Problem
from mcpgen.jsonpointer import pointer
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.schemas.validation import references
from mcpgen.schemas.validation.metaschema import is_plain
from mcpgen.schemas.validation.plain import surely_admits
from mcpgen.schemas.validation.references import resolve, subschemas

DEFAULT_DIALECT = "https://json-schema.org/draft/2020-12/schema"
"""The dialect of a schema without ``$schema`` (MCP 2025-11-25, basic, "JSON Schema usage")."""

_DRAFTS = {
    "http://json-schema.org/draft-03/schema": "Draft3Validator",
    "http://json-schema.org/draft-04/schema": "Draft4Validator",
    "http://json-schema.org/draft-06/schema": "Draft6Validator",
    "http://json-schema.org/draft-07/schema": "Draft7Validator",
    "https://json-schema.org/draft/2019-09/schema": "Draft201909Validator",
    DEFAULT_DIALECT: "Draft202012Validator",
}

_LIKE_DRAFT_7 = frozenset(list(_DRAFTS)[3:])

MAX_DEPTH = 100
MAX_NODES = 400_000


def dialect(schema: Json) -> str | None:
    """Return the dialect of a schema, the default one if unspecified, or None if unknown."""
    named = schema.get("$schema", DEFAULT_DIALECT) if is_object(schema) else DEFAULT_DIALECT
    uri = named.rstrip("#") if isinstance(named, str) else ""
    return uri if uri in _DRAFTS else None


def is_draft7_or_older(uri: str) -> bool:
    """Return True if ``$ref`` hides its siblings and ``items`` may be an array."""
    return uri.startswith("http://")


def problem(schema: Json) -> Problem | None:
    """Return the first reason why a schema can't validate values, or None."""
    try:
        return _size_problem(schema) or _invalid(schema) or _reaching_out(schema)
    except ValueError as error:  # the address is invalid
        return Problem("", f"an $id or $ref isn't a URI: {brief(str(error))}")


def _size_problem(schema: Json) -> Problem | None:
    if _is_plainly_bounded(schema):
        return None
    nodes = 0
    stack: list[tuple[Json, int]] = [(schema, 0)]
    while stack:
        value, depth = stack.pop()
        nodes += 1
        if depth > MAX_DEPTH:
            return Problem("", f"the schema is nested more than {MAX_DEPTH} levels deep")
        if nodes > MAX_NODES:
            return Problem("", f"the schema has more than {MAX_NODES:,} values")
        if is_object(value):
            stack += [(item, depth + 1) for item in value.values()]
        elif is_array(value):
            stack += [(item, depth + 1) for item in value]
    return None


def _is_plainly_bounded(schema: Json) -> bool:
    """Return True if the text of a schema is too short to exceed the limits."""
    try:
        text = repr(schema)
    except RecursionError:
        return False
    return len(text) <= MAX_NODES and text.count("{") + text.count("[") <= MAX_DEPTH


def _invalid(schema: Json) -> Problem | None:
    uri = dialect(schema)
    if uri is None:
        return Problem("/$schema", f"unknown JSON Schema dialect {schema['$schema']!r}")
    if uri in _LIKE_DRAFT_7 and is_plain(schema):
        return None
    from jsonschema import exceptions

    best: Any = exceptions
    # jsonschema's own relevance function fails for schemas among draft-03 types.
    key = _highest if uri.endswith("draft-03/schema") else best.relevance
    error: ValidationError | None = best.best_match(_metaschema(uri).iter_errors(schema), key=key)
    if error is None:
        return None
    return Problem(pointer(error.absolute_path), f"not a valid schema: {brief(error.message)}")


def _highest(error: ValidationError) -> int:
    return -len([*error.absolute_path])


@cache
def _metaschema(uri: str) -> Validator:
    import jsonschema

    kind: Any = getattr(jsonschema, _DRAFTS[uri])
    return cast("Validator", kind(kind.META_SCHEMA))


def _reaching_out(schema: Json) -> Problem | None:
    """Find a reference that leads out of the document, which is never followed.

    Such a schema should be rejected (MCP 2026-07-28, basic, "JSON Schema usage").
    """
    nodes = list(subschemas(schema))
    if any("$id" in node or "id" in node for _, node in nodes):
        return _unresolvable(schema)  # relative to the subschemas' own $id
    targets: dict[int, Json] = {}
    for path, node in nodes:
        for keyword in _REFERENCES & node.keys():
            ref = node[keyword]
            if not isinstance(ref, str) or ref.partition("#")[0] in _META_SCHEMAS:
                continue
            if not ref.startswith("#"):
                return Problem(
                    f"{path}/{keyword}", (f"the reference leaves the document: {brief(ref)}")
                )
            target = resolve(schema, ref)
            if target is None:
                return Problem(f"{path}/{keyword}", f"the reference has no target: {brief(ref)}")
            if not is_object(target[1]) and not isinstance(target[1], bool):
                return Problem(
                    f"{path}/{keyword}", f"the reference's target isn't a schema: {brief(ref)}"
                )
            if keyword == "$ref":
                targets[id(node)] = target[1]
    # Other references only affect the part that contains itself.
    asks_all = any(_UNEVALUATED & node.keys() for _, node in nodes)
    return _endless(nodes, targets) if asks_all else None


def _endless(nodes: list[tuple[str, dict[str, Json]]], targets: dict[int, Json]) -> Problem | None:
    """Find a subschema that always applies itself (2020-12, core, section 9.4.1)."""
    visited: set[int] = set()
    for path, start in nodes:
        way: dict[int, None] = {}
        waiting: list[Json] = [start]
        while waiting:
            node = waiting.pop()
            if node is _FOLLOWED:
                visited.add(way.popitem()[0])
            elif id(node) in way:
                return Problem(path, "the schema is defined as itself, so it can't validate")
            elif is_object(node) and id(node) not in visited:
                way[id(node)] = None
                always: Json = None if id(node) in targets else node.get("allOf")
                waiting += [_FOLLOWED, *(always if is_array(always) else [])]
                waiting.append(targets.get(id(node)))
    return None


_FOLLOWED: Json = object()
_UNEVALUATED = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_REFERENCES = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
_META_SCHEMAS = frozenset(_DRAFTS)


def _unresolvable(schema: Json) -> Problem | None:
    """Find a reference without a target in the document, by the rules of its dialect.

    Raises:
        ValueError: An address is not a URI.
    """
    from urllib.parse import urlsplit

    from referencing.exceptions import Unresolvable

    schema = translate_drafts(schema)
    root: Any = _resource(schema)
    urlsplit(root.id() or "")  # the subschemas' own $ids are resolved below, relative to it
    waiting = [(root, meta_schemas().resolver_with_root(root))]
    while waiting:
        part, resolver = waiting.pop()
        node: Json = part.contents
        for keyword in _REFERENCES & (node.keys() if is_object(node) else set[str]()):
            reason = ""
            try:
                target: Json = resolver.lookup(node[keyword]).contents
                if not is_object(target) and not isinstance(target, bool):
                    reason = "the reference leads to no schema"
            except Unresolvable:
                reason = "the reference leaves the document"
            if reason:
                at = next((path for path, subschema in subschemas(schema) if subschema is node), "")
                return Problem(f"{at}/{keyword}", f"{reason}: {brief(str(node[keyword]))}")
        waiting += [(inner, resolver.in_subresource(inner)) for inner in part.subresources()]
    return None


def _resource(schema: Json) -> Any:
    from referencing.jsonschema import specification_with

    return specification_with(dialect(schema) or DEFAULT_DIALECT).create_resource(schema)


def validator(schema: Json) -> Validator:
    """Return jsonschema's validator for a schema, which follows no reference out of the
    document.

    Validation may take long, so use it only for trusted schemas. Formats are annotations and never
    asserted (2020-12, validation, section 7.2.1).
    """
    return cast("Validator", _validator(_kind(schema), schema))


class SchemaValidator:
    """Validates values by one schema in bounded time. Keywords beyond that forbid nothing."""

    def __init__(self, schema: Json) -> None:
        """Initialize with a schema that has no :func:`problem`."""
        self._schema = schema
        self._judge = native.NativeValidator(schema)

    @cached_property
    def _strict(self) -> Any:
        return _validator(validators.bounded_class(_kind(self._schema), self._schema), self._schema)

    @cached_property
    def _lenient(self) -> Any:
        return _validator(validators.lenient(type(self._strict)), self._strict.schema)

    def errors(self, value: Json, most: int = MOST_PROBLEMS) -> list[ValidationError]:
        """Return the first few violations of the schema.

        Raises:
            ExhaustedError: Validation is too expensive.
            RecursionError: The schema or the value is too deep.
        """
        if self._judge.surely_allows(value):
            return []
        return validators.errors(self._strict, lambda: self._lenient, value, most)

    def allows(self, value: Json) -> bool:
        """Return True if the schema allows a value, or if validation is too expensive.

        Raises:
            RecursionError: The schema or the value is too deep.
        """
        if surely_admits(self._schema, value):
            return True
        try:
            return not self.errors(value, 1)
        except ExhaustedError:
            return not validators.guess_violation(self._lenient, value)

    def part_allows(self, part: Json, value: Json) -> bool:
        """Return True if a subschema allows a value, or if it depends on unknown context.

        Raises:
            RecursionError: The schema or the value is too deep.
        """
        if surely_admits(part, value) or self._surely_allows(part, value):
            return True
        from referencing.exceptions import Unresolvable

        inner = self._strict.evolve(schema=part)
        try:
            return not validators.errors(inner, lambda: self._lenient.evolve(schema=part), value, 1)
        except ExhaustedError:
            return not validators.guess_violation(self._lenient.evolve(schema=part), value)
        except Unresolvable:
            return True

    def _surely_allows(self, part: Json, value: Json) -> bool:
        """Return True if a subschema clearly allows a value without the rest of the schema."""
        if not is_object(part):
            return False
        needed = self._shared_definitions if references.refers(part) else {}
        if needed is None or (needed and references.DEFINITIONS & part.keys()):
            return False
        named = {key: self._schema[key] for key in ("$schema",) if key in self._schema}
        return native.NativeValidator({**named, **part, **needed}).surely_allows(value)

    @cached_property
    def _shared_definitions(self) -> dict[str, Json] | None:
        """The definitions that subschemas refer to, or None if some refer elsewhere."""
        return references.shared_definitions(self._schema)


def _kind(schema: Json) -> Any:
    import jsonschema

    return getattr(jsonschema, _DRAFTS[dialect(schema) or DEFAULT_DIALECT])


def _validator(kind: Any, schema: Json) -> Any:
    schema, registry = translate_drafts(schema), meta_schemas()
    if "$dynamicRef" in kind.VALIDATORS:  # dynamic references are resolved in all parts
        root = _resource(schema)
        registry = registry.with_resource(root.id() or "", root).crawl()
    return kind(schema, registry=registry)
