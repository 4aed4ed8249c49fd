"""Finds the targets of references, by the identifiers and anchors of subschemas."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, cast
from urllib.parse import urldefrag, urljoin

from ...jsonpointer import append_step
from .recursion import UnlikeError

ONE = frozenset(
    "additionalItems additionalProperties contains else if items not propertyNames then"
    " unevaluatedItems unevaluatedProperties".split()
)
"""Keywords with one subschema."""
MANY = frozenset("allOf anyOf items oneOf prefixItems".split())
"""Keywords with a list of subschemas."""
DEFINITIONS = frozenset({"$defs", "definitions"})
NAMED = DEFINITIONS | {"dependentSchemas", "properties"}
"""Keywords with an object of subschemas, whose pointers a translation keeps."""
DYNAMIC = frozenset({"$dynamicRef", "$recursiveRef"})


class Addresses:
    """The resources of a document: subschemas with an ``$id``, and the root.

    The target of a dynamic reference is in the outermost resource with its anchor (2020-12,
    section 8.2.3.2). That resource is known in advance if it is the root or the only one.
    """

    def __init__(self, root: dict[str, Any]) -> None:
        self._resources: dict[str, str] = {}
        self._bases: dict[str, str] = {}
        self._anchors: dict[tuple[str, str], str] = {}
        self._dynamic: defaultdict[str, list[str]] = defaultdict(list)
        self._scan(root, "", "")
        self._root = self._bases[""]

    def base(self, pointer: str | None) -> str:
        """Return the identifier of the resource that a subschema belongs to."""
        if pointer not in self._bases:
            raise UnlikeError
        return self._bases[pointer]

    def target(self, keyword: str, reference: str, base: str) -> str:
        """Return the pointer of the subschema that a reference in a resource leads to."""
        is_local = reference.startswith("#")
        uri, fragment = (base, reference[1:]) if is_local else urldefrag(urljoin(base, reference))
        if keyword == "$recursiveRef" and (reference != "#" or len(self._resources) > 1):
            raise UnlikeError
        if keyword == "$dynamicRef" and uri in self._dynamic.get(fragment, ()):
            uri = self._outermost(fragment)
        if uri not in self._resources:
            raise UnlikeError
        if fragment and not fragment.startswith("/"):
            return self._anchor(uri, fragment)
        pointer = self._resources[uri] + fragment
        if self._bases.get(pointer, uri) != uri:
            raise UnlikeError  # its target is in another resource
        return pointer

    def _anchor(self, uri: str, name: str) -> str:
        if (uri, name) not in self._anchors:
            raise UnlikeError
        return self._anchors[uri, name]

    def _outermost(self, anchor: str) -> str:
        uris = self._dynamic[anchor]
        if len(uris) == 1:
            return uris[0]
        # Without an identifier, jsonschema doesn't treat the root as the outermost resource.
        if self._root in uris and self._root:
            return self._root
        raise UnlikeError

    def _scan(self, node: Any, pointer: str, base: str) -> None:
        if isinstance(node, dict):
            schema = cast("dict[str, Any]", node)
            base = self._record(schema, pointer, base)
            for inner, below in _subschemas(schema, pointer):
                self._scan(inner, below, base)

    def _record(self, schema: dict[str, Any], pointer: str, base: str) -> str:
        """Record the identifier and the anchors of a subschema, and return its resource."""
        identifier = schema.get("$id")
        if isinstance(identifier, str) or not pointer:
            base = urldefrag(urljoin(base, identifier or ""))[0]
            if base in self._resources:
                raise UnlikeError
            self._resources[base] = pointer
        self._bases[pointer] = base
        for keyword in ("$anchor", "$dynamicAnchor"):
            if isinstance(name := schema.get(keyword), str):
                if (base, name) in self._anchors:
                    raise UnlikeError
                self._anchors[base, name] = pointer
                if keyword == "$dynamicAnchor":
                    self._dynamic[name].append(base)
        return base


def _subschemas(schema: dict[str, Any], pointer: str) -> Iterator[tuple[Any, str]]:
    """Yield the subschemas of a schema with their pointers."""
    for keyword, value in schema.items():
        below = append_step(pointer, keyword)
        if keyword in NAMED and isinstance(value, dict):
            for name, inner in cast("dict[str, Any]", value).items():
                yield inner, append_step(below, name)
        elif keyword in MANY and isinstance(value, list):
            for index, inner in enumerate(cast("Sequence[Any]", value)):
                yield inner, f"{below}/{index}"
        elif keyword in ONE:
            yield value, below
