"""Where each ``$ref`` of a document leads, whatever ``$id`` it stands below."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote, urljoin

from mcpgen.jsonpointer import lookup
from mcpgen.jsontext import Json, is_array, is_object

_DATA = frozenset({"const", "enum", "default", "examples", "example"})


class References:
    """The schemas of one document by their absolute URI, and the base URI of each of them."""

    def __init__(self, root: Json, *, old: bool) -> None:
        self._hides = old  # up to draft-07 a $ref hides what stands beside it
        self._by_uri: dict[str, Json] = {"": root}
        self._dynamic: dict[str, Json] = {}
        self._bases: dict[int, str] = {}
        waiting: list[tuple[Json, str]] = [(root, "")]
        while waiting:
            node, base = waiting.pop()
            if is_object(node):
                base = self._placed(node, base)
            waiting += [(inner, base) for inner in _within(node)]

    def _placed(self, node: dict[str, Json], base: str) -> str:
        uri = node.get("$id", node.get("id"))
        if isinstance(uri, str) and uri.startswith("#"):
            self._by_uri.setdefault(base + uri, node)
        elif isinstance(uri, str) and not (self._hides and "$ref" in node):
            base = urljoin(base, uri).rstrip("#")
            self._by_uri.setdefault(base, node)
        for keyword in ("$anchor", "$dynamicAnchor"):
            if isinstance(node.get(keyword), str):
                self._by_uri.setdefault(f"{base}#{node[keyword]}", node)
        if isinstance(node.get("$dynamicAnchor"), str):
            # The walk goes from the outside in, so that the outermost one is kept.
            self._dynamic.setdefault(node["$dynamicAnchor"], node)
        self._bases[id(node)] = base
        return base

    def targets(self, node: dict[str, Json]) -> Iterator[Json]:
        """Yield what a schema refers to; a reference that leads nowhere says nothing here."""
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            reference = node.get(keyword)
            if not isinstance(reference, str):
                continue
            target = self._followed(self._bases.get(id(node), ""), reference)
            if keyword == "$dynamicRef" and is_object(target):
                target = self._dynamic.get(str(target.get("$dynamicAnchor")), target)
            if target is not None:
                yield target

    def _followed(self, base: str, reference: str) -> Json:
        uri = base + reference if reference.startswith("#") else urljoin(base, reference)
        address, _, fragment = uri.partition("#")
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            return self._by_uri.get(f"{address}#{fragment}")
        target = lookup(self._by_uri.get(address), fragment)
        return target[1] if target else None


def _within(node: Json) -> list[Json]:
    if is_object(node):
        return [value for keyword, value in reversed(node.items()) if keyword not in _DATA]
    return list(reversed(node)) if is_array(node) else []
