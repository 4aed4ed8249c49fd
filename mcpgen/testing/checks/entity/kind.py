"""The tools that work on one kind of entity, and the entities in their results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mcpgen_runtime.display import brief

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json
from mcpgen.testing.answer import Answer, has_worked
from mcpgen.testing.arguments.entities import entities_in, entity_in, id_of
from mcpgen.testing.arguments.known_values import is_id
from mcpgen.testing.checks.lists import pages
from mcpgen.testing.run_context import RunContext

_MAX_PAGES = 60
_MAX_PAGES_TO_GET = 3


class Kind:
    """The tools that work on one kind of entity."""

    def __init__(self, lab: RunContext, case: Case) -> None:
        self.lab, self.case = lab, case
        self.arguments: dict[str, Json] = case.data["arguments"]
        deletions: list[Json] = case.data.get("delete", [])
        self.deletions = [item for item in deletions if not item.get("is_guess")]
        """The tools that delete an entity for certain."""
        self.filters_tried = 0
        """Number of lists that were read with a filter after a change."""
        self._getters: list[Json] = [*case.data.get("get", [])]

    def create(self) -> Json:
        """Return the ID of a new entity, or None if it isn't created."""
        return id_in(self.lab.call(self.case.name, self.arguments))

    def is_given(self, id: Json) -> bool:
        """Return True if the arguments name the entity."""
        return id in self.arguments.values()

    def get(self, id: Json) -> dict[str, Json] | None:
        """Return an entity by its ID, or None if no tool shows it.

        If no tool takes the ID, this searches short lists.
        """
        for value in self._getters:
            answer = self.lab.call(value["tool"], {value["argument"]: id})
            entity = entity_in(answer.data()) if has_worked(answer) else None
            if entity is not None:
                self._getters.remove(value)
                self._getters.insert(0, value)  # other tools show no entity
                return entity
        listers: list[Json] = [] if self.case.data["get"] else self.case.data["list"]
        for item in listers[:1]:
            return self.find_listed(self._of_the_same(item), id, _MAX_PAGES_TO_GET) or None
        return None

    def _of_the_same(self, item: Json) -> Json:
        """Return a call that lists the entities with the same references as a new one.

        The list is shorter then.
        """
        schema, arguments = self.lab.input(item["tool"]), item["arguments"]
        for name in [name for name in schema.names() if is_id(name) and name in self.arguments]:
            if schema.allows({**arguments, name: self.arguments[name]}):
                arguments = {**arguments, name: self.arguments[name]}
        return {**item, "arguments": arguments}

    def listed_ids(self, item: Json) -> set[Any] | None:
        """Return the IDs that a tool lists on all its pages, or None if unknown."""
        entries = self._entries(item)
        return None if entries is None else {*_own_ids(entries, item.get("ids"))}

    def find_listed(self, item: Json, id: Json, most: int = _MAX_PAGES) -> dict[str, Json]:
        """Return the entry of an entity in a tool's list, or an empty one."""
        for entity in entities_in(self._entries(item, most)):
            if (id_of(entity) or ("", None))[1] == id:
                return entity
        return {}

    def _entries(self, item: Json, most: int = _MAX_PAGES) -> Json:
        """Return the entries that a tool lists on all its pages, or None if unknown."""
        result_members = self.lab.known_values.names(item["tool"])
        names = pages.paging(self.lab.input(item["tool"]).members(), result_members)
        return pages.all_entries(self.lab, item["tool"], item["arguments"], names, most)


def arguments_of(tool: Json, id: Json, change: dict[str, Json]) -> dict[str, Json]:
    """Return the arguments with which a tool changes an entity."""
    return {tool["argument"]: id, **({tool["within"]: change} if tool["within"] else change)}


def brief_value(value: Json) -> str:
    """Return a value for messages."""
    return brief(repr(value), 40)


def id_in(answer: Answer) -> Json:
    """Return the ID of the entity in a result, or None."""
    entity = entity_in(answer.data()) if has_worked(answer) else None
    identity = id_of(entity) if entity else None
    return identity[1] if identity else None


def _own_ids(entries: Json, names: Sequence[str] | None) -> Iterator[Any]:
    """Yield the IDs of listed entities, but not the IDs of entities that they refer to.

    `names` are the IDs of the expected kind. An entry with a further one, such as a meal with
    the ID of its recipe, is of another kind.
    """
    for entity in entities_in(entries):
        name, value = id_of(entity) or ("", None)
        ids = {*filter(is_id, entity)}
        if names is None or name == "id" or (name in names and ids <= {*names}):
            yield value
