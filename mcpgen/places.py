"""The places in a schema: its parts and their pointers, where a reference leads, what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mcpgen.jsontext import Json, is_array, is_object


@dataclass(frozen=True, slots=True)
class Problem:
    """One way in which a schema or message is wrong: where, as a JSON pointer, and why."""

    pointer: str
    reason: str


_HOLDS_SCHEMA = frozenset(
    "additionalItems additionalProperties contains contentSchema else if items not propertyNames"
    " then unevaluatedItems unevaluatedProperties".split()
)
_HOLDS_LIST = frozenset("allOf anyOf oneOf prefixItems items".split())
_HOLDS_NAMED = frozenset(
    "$defs definitions dependencies dependentSchemas patternProperties properties".split()
)


def subschemas(schema: Json) -> Iterator[tuple[str, dict[str, Json]]]:
    """Walk a schema and every object in it that stands where a schema does, with its pointer."""
    stack: list[tuple[str, Json]] = [("", schema)]
    while stack:
        path, value = stack.pop()
        if not is_object(value):
            continue
        yield path, value
        for key, item in value.items():
            if key in _HOLDS_LIST and is_array(item):
                stack += [(f"{path}/{key}/{index}", inner) for index, inner in enumerate(item)]
            elif key in _HOLDS_NAMED and is_object(item):
                stack += [(f"{path}/{key}/{escape(name)}", sub) for name, sub in item.items()]
            elif key in _HOLDS_SCHEMA:
                stack.append((f"{path}/{key}", item))


def resolve(schema: Json, ref: str) -> tuple[str, Json] | None:
    """Follow a local ``$ref`` (JSON pointer or anchor); return the target's pointer and schema."""
    from urllib.parse import unquote

    base, _, fragment = ref.partition("#")
    if base and not (is_object(schema) and schema.get("$id") in (base, f"{base}#")):
        return None
    fragment = unquote(fragment)
    if fragment and not fragment.startswith("/"):
        return _anchored(schema, fragment)
    return walked(schema, fragment)


def walked(value: Json, fragment: str) -> tuple[str, Json] | None:
    """Follow a JSON pointer into a value; return it, spelled as we do, and what stands there."""
    path = ""
    for token in fragment.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if is_object(value) and key in value:
            value = value[key]
        elif is_array(value) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
        path += f"/{escape(key)}"
    return path, value


def _anchored(schema: Json, anchor: str) -> tuple[str, Json] | None:
    for path, node in subschemas(schema):
        if anchor in (node.get("$anchor"), node.get("$dynamicAnchor")):
            return path, node
        if node.get("$id") == f"#{anchor}":
            return path, node
    return None


def pointer(path: Any) -> str:
    """Return the JSON pointer (RFC 6901) of a sequence of keys and indices."""
    return "".join(f"/{escape(str(step))}" for step in path)


def escape(step: str) -> str:
    """Escape one step of a JSON pointer."""
    return step.replace("~", "~0").replace("/", "~1")


def brief(text: str, limit: int = 160) -> str:
    """Shorten a message that may quote a whole document, and show it on one line.

    It is cut between words, unless that would cost much of what it quotes.
    """
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    start = line[: limit - 2]
    end = start.rfind(" ", limit // 2)
    return f"{start[:end] if end > 0 else start[:-1]}..."
