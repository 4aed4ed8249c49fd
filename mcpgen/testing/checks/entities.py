"""Checks that tools for entities create, show, list, change and delete them consistently."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from typing import Any

from mcpgen_runtime.display import brief

from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.servers.endpoint.sensitivity import words_of
from mcpgen.servers.recording.follow_up import FollowUpRequest
from mcpgen.testing import fresh_arguments
from mcpgen.testing.answer import Answer, has_worked
from mcpgen.testing.checks import pages
from mcpgen.testing.checks.calls import of_error
from mcpgen.testing.checks.neighbors import GROUPS_OF_LETTERS, GROUPS_OF_SIGNS
from mcpgen.testing.entities import entities_in, entity_in, id_of, is_volatile
from mcpgen.testing.known_values import is_id
from mcpgen.testing.run_context import RunContext
from mcpgen.testing.safety import hint

_PAUSE = 1.0
_AT_ONCE = 6
_MAX_PAGES = 60
_MAX_OLDER = 3
_EXCLUSIVE = frozenset("default primary main active current selected leader owner".split())
"""Words for properties that only one entity may have, so setting one unsets another."""

_OF_SEVERAL = frozenset(
    "move order position rank priority swap merge transfer pay link parent split share".split()
)
"""Words for calls that may concern several entities of a kind."""


def run(lab: RunContext, case: Case) -> list[Verdict]:
    """Create two entities, then look at them, change one, and delete it."""
    kind = _Kind(lab, case)
    first, second = kind.create(), kind.create()
    if first is None or second is None:
        return []
    if first == second and (case.data.get("is_guess") or kind.is_given(first)):
        return []  # the tool shows an entity that existed
    verdicts = [
        *kind.told_apart(first, second),
        *kind.check_shown(first, second),
        *kind.created_at_once(first),
        *kind.check_lists(first, kind.check_changes(first, second)),
        *kind.check_deletion(first, second),
        *kind.check_search(),
    ]
    kind.read_odd_texts()
    kind.delete_with_parts()
    return verdicts


class _Kind:
    """The tools that work on one kind of entity."""

    def __init__(self, lab: RunContext, case: Case) -> None:
        self.lab, self.case = lab, case
        self.arguments: dict[str, Json] = case.data["arguments"]
        self._getters: list[Json] = [*case.data.get("get", [])]

    def create(self) -> Json:
        """Return the ID of a new entity, or None if it isn't created."""
        return _id(self.lab.call(self.case.name, self.arguments))

    def is_given(self, id: Json) -> bool:
        """Return True if the arguments name the entity."""
        return id in self.arguments.values()

    def get(self, id: Json) -> dict[str, Json] | None:
        """Return an entity by its ID, or None if no tool shows it."""
        for value in self._getters:
            answer = self.lab.call(value["tool"], {value["argument"]: id})
            entity = entity_in(answer.data()) if has_worked(answer) else None
            if entity is not None:
                self._getters.remove(value)
                self._getters.insert(0, value)  # the others show no entity
                return entity
        return None

    def listed_ids(self, item: Json) -> set[Any] | None:
        """Return the IDs that a tool lists on all its pages, or None if unknown."""
        entries = self._entries(item)
        return None if entries is None else {*_own_ids(entries, item.get("ids"))}

    def listed(self, item: Json, id: Json) -> dict[str, Json]:
        """Return an entity as a tool lists it, or an empty one."""
        for entity in entities_in(self._entries(item)):
            if (id_of(entity) or ("", None))[1] == id:
                return entity
        return {}

    def _entries(self, item: Json) -> Json:
        """Return the entries that a tool lists on all its pages, or None if unknown."""
        result_members = self.lab.known_values.names(item["tool"])
        names = pages.paging(self.lab.input(item["tool"]).members(), result_members)
        return pages.all_entries(self.lab, item["tool"], item["arguments"], names, _MAX_PAGES)

    def told_apart(self, first: Json, second: Json) -> Iterator[Verdict]:
        """Creating twice makes two entities, or the second call is refused."""
        idempotent = hint(self.lab.tool(self.case.name), "idempotentHint") is True
        if first == second and not idempotent:
            yield Verdict("C905", f"two calls give the ID {first!r}", "twice")

    def check_shown(self, first: Json, second: Json) -> Iterator[Verdict]:
        """A new entity is shown and listed."""
        for value in self.case.data["get"]:
            answer = self.lab.call(value["tool"], {value["argument"]: second})
            if answer.is_refusal:
                time.sleep(_PAUSE)
                answer = self.lab.call(value["tool"], {value["argument"]: second})
            if answer.is_refusal:
                detail = f"{value['tool']} does not show {second!r}: {brief(answer.text(), 60)}"
                yield Verdict("C904", detail, f"get {value['tool']}", answer.display_text())
        for value in self.case.data["list"]:
            ids = self.listed_ids(value)
            if ids and second not in ids:
                time.sleep(_PAUSE)
                ids = self.listed_ids(value)
            if ids and second not in ids and first not in ids:
                detail = f"{value['tool']} does not list {second!r}"
                yield Verdict("C904", detail, f"list {value['tool']}")

    def created_at_once(self, first: Json) -> Iterator[Verdict]:
        """Concurrent calls create as many entities as sequential ones."""
        name = self.case.name
        renewed = [self.lab.renew(name, self.arguments) for _ in range(_AT_ONCE)]
        params: list[dict[str, Json]] = [{"name": name, "arguments": each} for each in renewed]
        answers = self.lab.ask_all([FollowUpRequest("tools/call", each) for each in params])
        for each, answer in zip(renewed, answers, strict=True):
            self.lab.note(name, each, answer)
        ids = [_id(answer) for answer in answers]
        if any(value is None for value in ids):
            return  # the check of calls at the same time reports calls that fail
        if len({*map(str, ids)}) < len(ids):
            yield Verdict("C703", f"{_AT_ONCE} calls at once give the IDs {ids}", "ids")
            return
        unreadable: list[Json] = []
        if self.get(first) is not None:
            unreadable = [value for value in ids if self.get(value) is None]
        elif self.case.data["list"]:
            listed_ids = self.listed_ids(self.case.data["list"][0])
            unreadable = [value for value in ids if listed_ids and value not in listed_ids]
        if unreadable:
            yield Verdict(
                "C703", (f"{unreadable[0]!r}, created along with others, no longer exists"), "lost"
            )

    def check_changes(self, first: Json, second: Json) -> Iterator[Verdict]:
        """A change sets the given properties of one entity only, and no others."""
        states = {item: self.get(item) for item in (first, second)}
        for value in self.case.data.get("change", []):
            for change in value["changes"]:
                if value.get("is_setter"):
                    yield from self._set(value, change, first, second)
                    states = {item: self.get(item) for item in (first, second)}
                else:
                    yield from self._change(value, change, first, second, states)

    def check_lists(self, first: Json, changes: Iterator[Verdict]) -> Iterator[Verdict]:
        """Make the changes. A list that showed a property as it was shows it as it is, too."""
        listers: list[Json] = self.case.data["list"] if self.case.data.get("change") else []
        was = self.get(first)
        same = [(item, _shared(self.listed(item, first), was or {})) for item in listers]
        yield from changes
        now = self.get(first)
        for item, names in same:
            changed = [name for name in names if was and now and was[name] != now.get(name)]
            if not changed or not now or not self._differing(item, first, changed, now):
                continue
            time.sleep(_PAUSE)
            now = self.get(first) or now
            for name, listed in self._differing(item, first, changed, now)[:1]:
                detail = f"{item['tool']} still shows {name} as {_brief(listed)}"
                yield Verdict("C906", detail, f"list {item['tool']} {name}")

    def _differing(
        self, item: Json, id: Json, names: Sequence[str], entity: dict[str, Json]
    ) -> list[tuple[str, Json]]:
        """Return the properties that a tool lists with another value than an entity has."""
        listed = self.listed(item, id)
        return [
            (name, listed[name])
            for name in names
            if name in listed and not _is_equal(listed[name], entity.get(name))
        ]

    def _set(self, tool: Json, change: Json, first: Json, second: Json) -> Iterator[Verdict]:
        """Call a tool that sets a value, such as a status. It must not change another entity.

        In its own entity it may change more, such as a history of the status.
        """
        names = {token.lower() for name in (tool["tool"], *change) for token in words_of(name)}
        other = self.get(second)
        if other is None or names & (_EXCLUSIVE | _OF_SEVERAL):
            return
        answer = self.lab.call(tool["tool"], {tool["argument"]: first, **change})
        is_other = has_worked(answer) and self.get(second) not in (None, other)
        if is_other and tool["tool"] not in self.lab.suspects:
            detail = f"{tool['tool']} changes {first!r}, and {second!r} is another then"
            yield Verdict("C907", detail, f"{tool['tool']} other", answer.display_text())

    def _change(
        self, tool: Json, change: Json, first: Json, second: Json, states: dict[Any, Any]
    ) -> Iterator[Verdict]:
        """Change an entity, then a second one in the same way. `states` has both by their ID."""
        before, other = states[first], states[second]
        (name, value), *_ = change.items()
        if before is None or other is None:
            return
        nested = {tool["within"]: change} if tool["within"] else change
        answer = self.lab.call(tool["tool"], {tool["argument"]: first, **nested})
        after, other_after = self.get(first), self.get(second)
        states |= {first: after or before, second: other_after or other}
        if not has_worked(answer) or after is None:
            return
        if name in before and (name not in after or not _is_equal(after[name], value)):
            detail = f"{tool['tool']} sets {name} to {_brief(value)}: {_brief(after.get(name))}"
            yield Verdict("C906", detail, f"{tool['tool']} {name}", answer.display_text())
        for member in before:
            was, now = before[member], after.get(member)
            if member == name or _is_equal(was, now) or is_volatile(member, was, now):
                continue
            detail = f"{tool['tool']} sets {name}, and {member} becomes {_brief(now)}"
            yield Verdict("C907", detail, f"{tool['tool']} {member}", answer.display_text())
        if other_after != other and tool["tool"] not in self.lab.suspects:
            detail = f"{tool['tool']} changes {first!r}, and {second!r} is another then"
            yield Verdict("C907", detail, f"{tool['tool']} other")
            return
        if _EXCLUSIVE & {token.lower() for token in words_of(name)}:
            return
        # Two entities may have the same value.
        if has_worked(self.lab.call(tool["tool"], {tool["argument"]: second, **nested})):
            first_again = self.get(first)
            if first_again not in (None, after) and tool["tool"] not in self.lab.suspects:
                detail = f"{tool['tool']} changes {second!r}, and {first!r} is another then"
                yield Verdict("C907", detail, f"{tool['tool']} other")
            states |= {first: first_again or after, second: self.get(second) or other}

    def check_deletion(self, first: Json, second: Json) -> Iterator[Verdict]:
        """A deleted entity is neither shown nor listed. Others stay."""
        for value in self.case.data["delete"][:1]:
            is_shown = self.get(second) is not None
            answer = self.lab.call(value["tool"], {value["argument"]: first})
            if not has_worked(answer):
                return
            if self.get(first) is not None:
                yield Verdict("C908", f"{first!r} is still shown", "get", answer.display_text())
            elif is_shown and self.get(second) is None:
                detail = (
                    f"{value['tool']} deletes {first!r}, and {second!r} no longer exists either"
                )
                yield Verdict("C907", detail, f"{value['tool']} other")
            for lister in self.case.data["list"]:
                ids = self.listed_ids(lister)
                if ids and first in ids:
                    detail = f"{lister['tool']} still lists {first!r}"
                    yield Verdict("C908", detail, f"list {lister['tool']}")

    def delete_with_parts(self) -> None:
        """Delete an entity that others belong to. Calls that fail become cases of their own."""
        parts: list[Json] = self.case.data.get("add", [])
        if not parts or not self.case.data["delete"]:
            return
        deletion, new = self.case.data["delete"][0], self.create()
        if new is not None:
            for part in parts:
                self.lab.call(part["tool"], {**part["arguments"], part["argument"]: new})
            self.lab.call(deletion["tool"], {deletion["argument"]: new})

    def read_odd_texts(self) -> None:
        """Read entities with odd texts. Calls that fail become cases of their own."""
        schema = self.lab.input(self.case.name)
        names = fresh_arguments.names(schema, self.arguments) if self.case.data["get"] else []
        for text in (*GROUPS_OF_LETTERS, *GROUPS_OF_SIGNS):
            changed: dict[str, Json] = dict(self.arguments)
            for name in names:
                if schema.allows({**changed, name: text}):
                    changed[name] = text
            new = None
            if changed != self.arguments:
                new = _id(self.lab.call(self.case.name, changed))
            for value in self.case.data["get"] if new is not None else ():
                arguments = {value["argument"]: new}
                answer = self.lab.call(value["tool"], arguments)
                if answer.is_refusal and any(of_error(answer, is_valid=True)):
                    self.lab.follow_up(value["tool"], arguments)

    def check_search(self) -> Iterator[Verdict]:
        """A search finds a new entity like older ones, and no deleted entity."""
        schema = self.lab.input(self.case.name)
        deleting, searching = self.case.data["delete"][:1], self.case.data.get("search", [])
        for name in fresh_arguments.names(schema, self.arguments) if searching else []:
            renewed = fresh_arguments.renew_argument(schema, self.arguments, name, self.lab.calls)
            if renewed is None:
                continue
            new = _id(self.lab.call(self.case.name, renewed))
            if new is None:
                continue
            finding = [item for item in searching if self._finds(item, renewed[name], new)]
            yield from self._not_found(name, renewed[name], new, finding)
            if not finding or not deleting:
                continue
            deletion = {deleting[0]["argument"]: new}
            if not has_worked(self.lab.call(deleting[0]["tool"], deletion)):
                return
            for item in finding:
                if self._finds(item, renewed[name], new):
                    time.sleep(_PAUSE)
                    if self._finds(item, renewed[name], new):
                        detail = f"{item['tool']} still finds {new!r}"
                        yield Verdict("C908", detail, f"search {item['tool']}")
            return

    def _not_found(
        self, name: str, text: Json, new: Json, finding: Sequence[Json]
    ) -> Iterator[Verdict]:
        """Yield searches that find older entities by a text, but not the new one."""
        for item in self.case.data.get("search", []):
            if item in finding or not self._finds_older(item, name, new):
                continue
            time.sleep(_PAUSE)
            if not self._finds(item, text, new):
                detail = f"{item['tool']} does not find {new!r} by its {name}"
                yield Verdict("C904", detail, f"search {item['tool']}")

    def _finds_older(self, item: Json, name: str, new: Json) -> bool:
        """Return True if a search finds older entities by the same property."""
        for lister in self.case.data["list"]:
            answer = self.lab.call(lister["tool"], lister["arguments"])
            older = [item for item in entities_in(answer.data()) if _is_unlike_others(item, name)]
            for entity in older[:_MAX_OLDER]:
                _, value = id_of(entity) or ("", new)
                if value != new and self._finds(item, entity[name], value):
                    return True
        return False

    def _finds(self, item: Json, text: Json, id: Json) -> bool:
        """Return True if a tool finds an entity by a text."""
        answer = self.lab.call_again(item["tool"], {item["argument"]: text})
        if not has_worked(answer):
            return False
        found = (identity for entity in entities_in(answer.data()) if (identity := id_of(entity)))
        return any(identity[1] == id for identity in found)


def _shared(listed: dict[str, Json], entity: dict[str, Json]) -> list[str]:
    """Return the properties that a list shows with the value that the entity has."""
    return [name for name in listed if name in entity and _is_equal(listed[name], entity[name])]


def _is_unlike_others(entity: dict[str, Json], name: str) -> bool:
    """Return True if a property has a text that no other property of the entity contains."""
    text = entity.get(name)
    others = [value for key, value in entity.items() if key != name]
    return isinstance(text, str) and text != "" and text not in json.dumps(others)


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


def _id(answer: Answer) -> Json:
    entity = entity_in(answer.data()) if has_worked(answer) else None
    identity = id_of(entity) if entity else None
    return identity[1] if identity else None


def _is_equal(entity: Json, other: Json) -> bool:
    if is_array(entity) or is_object(entity):
        return bool(entity == other)
    return (type(entity) is type(other) and bool(entity == other)) or _is_number(entity, other)


def _is_number(entity: Json, other: Json) -> bool:
    numbers = isinstance(entity, int | float) and isinstance(other, int | float)
    return (
        numbers and not isinstance(entity, bool) and not isinstance(other, bool) and entity == other
    )


def _brief(value: Json) -> str:
    return brief(repr(value), 40)
