"""Entities in results: objects with an ID, such as a book or an issue."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.servers.endpoint.sensitivity import words_of
from mcpgen.testing.arguments import safety
from mcpgen.testing.arguments.known_values import is_id, singular

ID_NAMES = ("id", "uuid", "guid", "uri", "isbn", "sku", "slug")
_LIKELY_ID_NAMES = frozenset({"key", "number"})
_TIME = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d")
_VOLATILE = frozenset(
    "updated modified changed accessed viewed seen synced version etag revision count counter"
    " views hits last status state age duration elapsed remaining".split()
)
_MAX_NODES = 3_000


def id_of(value: Json) -> tuple[str, Json] | None:
    """Return the name and the value of an object's ID, or None."""
    if not is_object(value):
        return None
    # A player's number isn't an ID if player_id precedes it. An issue's number is an ID.
    likely_names = (name for name in value if name in _LIKELY_ID_NAMES or is_id(name))
    names = [*ID_NAMES, *likely_names]
    for name in names:
        identifier = value.get(name)
        if (
            isinstance(identifier, str | int)
            and not isinstance(identifier, bool)
            and identifier != ""
        ):
            return name, identifier
    return None


def entity_in(data: Json) -> dict[str, Json] | None:
    """Return the entity that is the whole result, or its only property."""
    for _ in range(3):
        if not is_object(data):
            return None
        if id_of(data) is not None:
            return data
        objects = [value for value in data.values() if is_object(value)]
        if len(objects) != 1:
            return None
        data = objects[0]
    return None


def entities_in(data: Json) -> Iterator[dict[str, Json]]:
    """Yield all objects with an ID in a result, the outer ones first."""
    waiting = [data]
    for _ in range(_MAX_NODES):
        if not waiting:
            return
        value = waiting.pop(0)
        if is_object(value):
            if id_of(value) is not None:
                yield value
            waiting += [item for item in value.values() if is_object(item) or is_array(item)]
        elif is_array(value):
            waiting += [item for item in value if is_object(item) or is_array(item)]


def count_items(data: Json) -> int:
    """Return the number of items in all arrays of a result, at any depth."""
    count, waiting = 0, [data]
    while waiting:  # a recursive function would fail for a deep result
        value = waiting.pop()
        if is_array(value):
            count += len(value)
            waiting += value
        elif is_object(value):
            waiting += value.values()
    return count


def has_list(data: Json) -> bool:
    """Return True if a result is a list, or has one as a property."""
    return is_array(data) or (is_object(data) and any(map(is_array, data.values())))


def by_id(data: Json) -> dict[tuple[str, str, Json], dict[str, Json]]:
    """Map the entities of a result by property name, ID name and ID."""
    result: dict[tuple[str, str, Json], dict[str, Json]] = {}
    for entity in entities_in(data):
        name, value = id_of(entity) or ("", None)
        result.setdefault((" ".join(sorted(entity)), name, value), entity)
    return result


def is_volatile(name: str, before: Json, after: Json) -> bool:
    """Return True for a property that may change on its own: a time, a counter, a version."""
    tokens = {*words_of(name)}
    if tokens & _VOLATILE or tokens & {"at", "time", "date", "timestamp"}:
        return True
    return any(isinstance(value, str) and _TIME.search(value) for value in (before, after))


Role: TypeAlias = Literal["create", "read", "change", "destroy"]
ORDER: Mapping[Role, int] = {"create": 0, "read": 1, "change": 2, "destroy": 3}
"""The order in which tools are tried. Entities are created and read before they are destroyed."""

_CREATING = frozenset(
    "add create new insert make open start register book order sell buy post put write save send"
    " upload import copy clone append enqueue schedule plant issue draft".split()
)
_DESTROYING = frozenset(
    "delete remove destroy drop clear purge erase cancel void close archive revoke reset pull kill"
    " stop uninstall withdraw discard empty trash unlink end terminate".split()
)


_DELETING = frozenset(
    "delete remove destroy drop erase purge pull clear wipe flush truncate prune".split()
)
UPDATING = frozenset("update edit modify revise change patch amend rename".split())
"""Words for tools that change given properties, and nothing if they only get an ID."""
_FIRST_WORD = 20
_MAX_DETAILS = 2


def role_of(definition: Mapping[str, Json]) -> Role:
    """Return the most likely effect of a tool, by its annotations and its name."""
    if safety.claims_read_only(definition):
        return "read"
    tokens = words_of(str(definition.get("name", "")))
    is_destructive = safety.hint(definition, "destructiveHint")
    if is_destructive is not False and (not _DESTROYING.isdisjoint(tokens) or deletes(definition)):
        return "destroy"
    if is_destructive is True:
        # An update that overwrites values is destructive, too.
        return "destroy" if takes_only_id(definition) else "change"
    return "create" if not _CREATING.isdisjoint(tokens) else "change"


def takes_only_id(definition: Mapping[str, Json]) -> bool:
    """Return True for a tool that takes an ID, and at most a reason and a flag."""
    schema = definition.get("inputSchema")
    properties = schema.get("properties") if is_object(schema) else None
    required = schema.get("required") if is_object(schema) else None
    if not is_object(properties) or not is_array(required) or len(required) != 1:
        return False
    tokens = {*words_of(str(definition.get("name", "")))}
    has_few = len(properties) <= 1 + _MAX_DETAILS
    return has_few and is_id(str(required[0])) and tokens.isdisjoint(UPDATING)


def deletes(definition: Mapping[str, Json]) -> bool:
    """Return True if the name of a tool, or the first word of its description, means deletion."""
    tokens = words_of(str(definition.get("name", "")))
    first = words_of(str(definition.get("description", ""))[:_FIRST_WORD])[:1]
    return not _DELETING.isdisjoint(map(singular, [*tokens, *first]))
