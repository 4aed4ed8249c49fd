"""Checks entities that refer to themselves, and to each other."""

from __future__ import annotations

from mcpgen.jsontext import Json
from mcpgen.servers.endpoint.sensitivity import words_of
from mcpgen.testing.arguments.safety import acts_outside
from mcpgen.testing.checks.entity.kind import Kind, arguments_of

_MAX_REFERENCES = 2


def run(kind: Kind) -> None:
    """Make two entities refer to each other if a tool allows it, and then read both.

    A traversal of references may never end. Calls that fail become cases of their own.
    """
    for tool in kind.case.data.get("change", []):
        names = [] if tool["within"] or tool.get("is_setter") else _references(kind, tool)
        if not names or acts_outside(kind.lab.tool(tool["tool"])):
            continue
        first, second = kind.create(), kind.create()
        for name in names if first is not None and second is not None else ():
            for own, other in ((first, first), (first, second), (second, first)):
                _refer(kind, tool, name, (own, other))
            for entity_id in (first, second):
                kind.get(entity_id)


def _refer(kind: Kind, tool: Json, name: str, pair: tuple[Json, Json]) -> None:
    own, other = pair
    for value in (other, [other]):
        arguments = arguments_of(tool, own, {name: value})
        if kind.lab.input(tool["tool"]).allows(arguments):
            kind.lab.call(tool["tool"], arguments)
            return


def _references(kind: Kind, tool: Json) -> list[str]:
    """Return the arguments of a tool that may be IDs of entities of the same kind."""
    schema = kind.lab.input(tool["tool"])
    return [
        name
        for name in schema.names()
        if name != tool["argument"] and not _REFERRING.isdisjoint(words_of(name))
    ][:_MAX_REFERENCES]


_REFERRING = frozenset(
    "parent parents children next previous requires require depends dependencies prerequisites"
    " links linked related blocks blocked follows successor predecessor".split()
)
"""Words for properties that hold IDs of other entities of the same kind."""
