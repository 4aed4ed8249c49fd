"""Generation of a value from a schema, in several variants that the whole schema validates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast
from urllib.parse import unquote

from .scalars import ImpossibleError, made_up_number, made_up_text

_DEEPEST = 24
_DEEP = 4
"""The depth from which optional properties are left out."""


class Maker:
    """One variant, which takes the alternative with this index at each choice."""

    def __init__(self, root: Any, seed: int, *, is_full: bool) -> None:
        self._root = root
        self._seed = seed
        self._is_full = is_full

    def value(self, schema: Any, name: str, depth: int, number: int = 0) -> Any:
        """Generate a value for a property of this name, one of several by index."""
        if schema is False or depth > _DEEPEST:
            raise ImpossibleError("its schema allows only infinite values")
        if not isinstance(schema, dict):
            return name or "value"
        keywords = self._whole(cast("dict[str, Any]", schema), depth)
        if "const" in keywords:
            return keywords["const"]
        if listed := _list(keywords.get("enum")):
            return self._one_of([item for item in listed if item is not None] or listed)
        if proposed := _list(keywords.get("examples")):
            return proposed[number % len(proposed)]
        if keywords.get("default") not in (None, "", [], {}):
            return keywords["default"]
        return self._of_kind(self._kind(keywords), keywords, name, depth, number)

    def _one_of(self, options: list[Any]) -> Any:
        return options[self._seed % len(options)]

    def _whole(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        """Return a schema with its references resolved and one of its alternatives merged."""
        if depth > _DEEPEST:
            raise ImpossibleError("its schema refers to itself for ever")
        keywords = dict(schema)
        parts: list[Any] = []
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            if isinstance(reference := keywords.pop(keyword, None), str):
                parts.append(_resolve_reference(self._root, reference))
        parts += _list(keywords.pop("allOf", None))
        for keyword in ("anyOf", "oneOf"):
            if options := _list(keywords.pop(keyword, None)):
                parts.append(self._one_of(_likely(options, depth)))
        if "if" in keywords:
            condition, then = keywords.pop("if"), keywords.pop("then", True)
            otherwise = keywords.pop("else", True)
            parts += [otherwise] if self._seed % 2 else [condition, then]
        for part in parts:
            if part is False:
                raise ImpossibleError("a part of its schema allows nothing")
            if isinstance(part, dict):
                inner = self._whole(cast("dict[str, Any]", part), depth + 1)
                keywords = _merge_schemas(keywords, inner)
        return keywords

    def _kind(self, keywords: Mapping[str, Any]) -> str:
        kinds: Any = keywords.get("type")
        if isinstance(kinds, str):
            return kinds
        if listed := _list(kinds):
            named = [kind for kind in listed if kind != "null"]
            return str(self._one_of(named)) if named else "null"
        for kind, hints in _HINTS.items():
            if any(hint in keywords for hint in hints):
                return kind
        return "string"

    def _of_kind(
        self, kind: str, keywords: dict[str, Any], name: str, depth: int, number: int
    ) -> Any:
        if kind == "object":
            return self._object(keywords, depth)
        if kind == "array":
            return self._array(keywords, name, depth)
        if kind == "string":
            return made_up_text(keywords, name, number, self._seed)
        if kind in ("integer", "number"):
            return made_up_number(keywords, number, is_whole=kind == "integer")
        return True if kind == "boolean" else None

    def _object(self, keywords: dict[str, Any], depth: int) -> dict[str, Any]:
        members: dict[str, Any] = keywords.get("properties") or {}
        required: list[str] = [*(keywords.get("required") or ())]
        is_full = self._is_full and depth < _DEEP
        result: dict[str, Any] = {}
        for name, schema in members.items():
            if name not in required and not is_full:
                continue
            try:
                result[name] = self.value(schema, name, depth + 1)
            except ImpossibleError:
                if name in required:
                    raise
        additional = keywords.get("additionalProperties", keywords.get("unevaluatedProperties"))
        patterns: dict[str, Any] = keywords.get("patternProperties") or {}
        if additional is None or isinstance(additional, bool):
            additional = next(iter(patterns.values()), True)
        for name in required:
            if name not in result:
                result[name] = self.value(additional, name, depth + 1)
        least: int = keywords.get("minProperties") or 0
        if is_full and not members and isinstance(additional, dict):
            least = max(least, 1)
        names = keywords.get("propertyNames")
        for number in range(_DEEPEST):
            if len(result) >= least:
                break
            key = f"key{number + 1}"
            if isinstance(names, dict):
                key = str(self.value(names, "key", depth + 1, number))
            result[key] = self.value(additional, key, depth + 1)
        return result

    def _array(self, keywords: dict[str, Any], name: str, depth: int) -> list[Any]:
        first, items = (
            keywords.get("prefixItems"),
            keywords.get("items", keywords.get("contains")),
        )
        if _list(items):  # drafts before 2020-12
            first, items = items, keywords.get("additionalItems")
        result = [self.value(item, name, depth + 1) for item in _list(first)]
        least: int = keywords.get("minItems") or 0
        if self._is_full and depth < _DEEP and items is not False:
            most: int = keywords.get("maxItems", 1)
            least = max(least, min(1, most))
        item_name = name[:-1] if name.endswith("s") else name
        for number in range(len(result), min(least, 1_000)):
            try:
                result.append(self.value(items, item_name, depth + 1, number))
            except ImpossibleError:
                if len(result) < (keywords.get("minItems") or 0):
                    raise
                break
        return result


def _list(value: Any) -> list[Any]:
    return [*value] if isinstance(value, list) else []


_HINTS = {
    "object": ("properties", "required", "additionalProperties", "patternProperties"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "contains"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "multipleOf"),
}
"""Keywords that indicate the type of a schema without ``type``."""


def _likely(options: list[Any], depth: int) -> list[Any]:
    """Sort null to the end, and deep in the tree, schemas without children to the front."""
    if depth >= _DEEP:
        options = sorted(options, key=_weight)
    return sorted(options, key=_is_null)


def _is_null(option: Any) -> bool:
    if not isinstance(option, dict):
        return False
    return cast("dict[str, Any]", option).get("type") == "null"


def _weight(option: Any) -> int:
    if not isinstance(option, dict):
        return 2
    keywords = cast("dict[str, Any]", option)
    if "const" in keywords or "enum" in keywords:
        return 0
    kind = keywords.get("type")
    return {"object": 3, "array": 1}.get(kind, 0) if isinstance(kind, str) else 2


def _merge_schemas(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Merge two schemas as far as that is simple."""
    both = {**second, **first}
    for keyword in ("properties", "patternProperties"):
        if keyword in first and keyword in second:
            both[keyword] = {**second[keyword], **first[keyword]}
            for name in first[keyword].keys() & second[keyword].keys():
                parts = [first[keyword][name], second[keyword][name]]
                both[keyword][name] = {"allOf": parts}
    if "required" in first and "required" in second:
        both["required"] = [*dict.fromkeys([*first["required"], *second["required"]])]
    for keyword, choose in (("minimum", max), ("maximum", min), ("minLength", max)):
        if keyword in first and keyword in second:
            both[keyword] = choose(first[keyword], second[keyword])
    return both


def _resolve_reference(root: dict[str, Any], reference: str) -> Any:
    """Resolve a reference within the document."""
    base, _, fragment = reference.partition("#")
    if base and base != root.get("$id"):
        return next(_schemas_with("$id", base, root), True)
    fragment = unquote(fragment)
    if fragment and not fragment.startswith("/"):
        for keyword in ("$anchor", "$dynamicAnchor"):
            for schema in _schemas_with(keyword, fragment, root):
                return schema
        return True
    target: Any = root
    for part in fragment.split("/")[1:]:
        step = part.replace("~1", "/").replace("~0", "~")
        try:
            target = target[int(step) if step.isdecimal() and _list(target) else step]
        except (KeyError, IndexError, ValueError, TypeError):
            return True
    return target


def _schemas_with(keyword: str, value: str, schema: Any) -> Iterator[Any]:
    """Yield the schemas of a document whose keyword has a value."""
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            members = cast("dict[str, Any]", part)
            if members.get(keyword) == value:
                yield members
            waiting += members.values()
        else:
            waiting += _list(part)
