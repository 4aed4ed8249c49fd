"""Guesses the effect of a tool: it creates, reads, changes or destroys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from mcpgen.jsontext import Json
from mcpgen.servers.endpoint.sensitivity import words_of
from mcpgen.testing import safety

Role: TypeAlias = Literal["create", "read", "change", "destroy"]
ORDER: Mapping[Role, int] = {"create": 0, "read": 1, "change": 2, "destroy": 3}
"""The order in which tools are tried: what is destroyed must have been created and read."""

_CREATING = frozenset(
    "add create new insert make open start register book order sell buy post put write save send"
    " upload import copy clone append enqueue schedule plant issue draft".split()
)
_DESTROYING = frozenset(
    "delete remove destroy drop clear purge erase cancel void close archive revoke reset pull kill"
    " stop uninstall withdraw discard empty trash unlink end terminate".split()
)


def role_of(definition: Mapping[str, Json]) -> Role:
    """Return the most likely effect of a tool, by its annotations and its name."""
    if safety.claims_read_only(definition):
        return "read"
    words = [word.lower() for word in words_of(str(definition.get("name", "")))]
    if safety.hint(definition, "destructiveHint") is True:
        return "destroy"
    if not _DESTROYING.isdisjoint(words) and safety.hint(definition, "destructiveHint") is None:
        return "destroy"
    return "create" if not _CREATING.isdisjoint(words) else "change"
