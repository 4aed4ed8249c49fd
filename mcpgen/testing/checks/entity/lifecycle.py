"""Checks that tools for entities create, show, list, change and delete them consistently."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from itertools import islice

from mcpgen_runtime.display import brief

from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsontext import Json
from mcpgen.testing.answer import has_worked
from mcpgen.testing.arguments import fresh_arguments
from mcpgen.testing.arguments.safety import hint
from mcpgen.testing.checks.calls import call_at_once, of_error
from mcpgen.testing.checks.entity import changes, defaults, references, search
from mcpgen.testing.checks.entity.kind import Kind, id_in
from mcpgen.testing.checks.neighbors import GROUPS_OF_LETTERS, GROUPS_OF_SIGNS
from mcpgen.testing.run_context import RunContext

_PAUSE = 1.0
_AT_ONCE = 6
_MAX_FILTERS = 3
_MAX_OPTIONS = 2


def run(lab: RunContext, case: Case) -> list[Verdict]:
    """Create two entities, then read them, change one, and delete it."""
    kind = Kind(lab, case)
    first, second = kind.create(), kind.create()
    if first is None or second is None:
        return []
    if first == second and (case.data.get("is_guess") or kind.is_given(first)):
        return []  # the tool shows an entity that existed
    verdicts = [
        *_told_apart(kind, first, second),
        *_check_shown(kind, first, second),
        *_created_at_once(kind, first),
        *changes.run(kind, first, second),
        *defaults.run(kind, first),
        *_check_deletion(kind, first, second),
        *search.run(kind),
    ]
    _read_odd_texts(kind)
    _delete_with_parts(kind)
    references.run(kind)
    return verdicts


def _told_apart(kind: Kind, first: Json, second: Json) -> Iterator[Verdict]:
    """Check that two calls create two entities, or that the second is rejected."""
    idempotent = hint(kind.lab.tool(kind.case.name), "idempotentHint") is True
    if first == second and not idempotent:
        yield Verdict("C905", f"two calls give the ID {first!r}", "twice")


def _check_shown(kind: Kind, first: Json, second: Json) -> Iterator[Verdict]:
    """Check that a new entity is shown and listed."""
    for value in kind.case.data["get"]:
        answer = kind.lab.call(value["tool"], {value["argument"]: second})
        if answer.is_refusal:
            time.sleep(_PAUSE)
            answer = kind.lab.call(value["tool"], {value["argument"]: second})
        if answer.is_refusal:
            detail = f"{value['tool']} does not show {second!r}: {brief(answer.text(), 60)}"
            yield Verdict("C904", detail, f"get {value['tool']}", answer.display_text())
    for value in kind.case.data["list"]:
        ids = kind.listed_ids(value)
        if ids and second not in ids:
            time.sleep(_PAUSE)
            ids = kind.listed_ids(value)
        if ids and second not in ids and first not in ids:
            detail = f"{value['tool']} does not list {second!r}"
            yield Verdict("C904", detail, f"list {value['tool']}")


def _created_at_once(kind: Kind, first: Json) -> Iterator[Verdict]:
    """Check that concurrent calls create as many entities as sequential ones."""
    name = kind.case.name
    renewed = [kind.lab.renew(name, kind.arguments) for _ in range(_AT_ONCE)]
    ids = [id_in(answer) for answer in call_at_once(kind.lab, name, renewed)]
    if any(value is None for value in ids):
        return  # the check of calls at the same time reports calls that fail
    if len({*map(str, ids)}) < len(ids):
        yield Verdict("C703", f"{_AT_ONCE} calls at once give the IDs {ids}", "ids")
        return
    unreadable: list[Json] = []
    if kind.get(first) is not None:
        unreadable = [value for value in ids if kind.get(value) is None]
    elif kind.case.data["list"]:
        listed_ids = kind.listed_ids(kind.case.data["list"][0])
        unreadable = [value for value in ids if listed_ids and value not in listed_ids]
    if unreadable:
        yield Verdict(
            "C703", (f"{unreadable[0]!r}, created along with others, no longer exists"), "lost"
        )


def _check_deletion(kind: Kind, first: Json, second: Json) -> Iterator[Verdict]:
    """Check that a deleted entity is neither shown nor listed, and that others stay."""
    for value in kind.case.data["delete"][:1]:
        is_shown = kind.get(second) is not None
        filtered = [*_filtered_lists(kind, first)]
        answer = kind.lab.call(value["tool"], {value["argument"]: first})
        if not has_worked(answer):
            return
        still_exists = kind.get(first) is not None
        if value.get("is_guess"):
            if still_exists or not is_shown:
                return  # deletion may only change its state
            kind.deletions.append(value)
        if still_exists:
            yield Verdict("C908", f"{first!r} is still shown", "get", answer.display_text())
        elif is_shown and kind.get(second) is None:
            detail = f"{value['tool']} deletes {first!r}, and {second!r} no longer exists either"
            yield Verdict("C907", detail, f"{value['tool']} other")
        yield from _still_listed(kind, first, [*kind.case.data["list"], *filtered])


def _still_listed(kind: Kind, id: Json, listers: Sequence[Json]) -> Iterator[Verdict]:
    """Yield the tools that list a deleted entity, each with its first call that does."""
    reported: set[str] = set()
    for lister in listers:
        tool, arguments = lister["tool"], lister["arguments"]
        if tool not in reported and id in (kind.listed_ids(lister) or ()):
            reported.add(tool)
            filters = f" with {json.dumps(arguments)}" if arguments else ""
            yield Verdict("C908", f"{tool}{filters} still lists {id!r}", f"list {tool}")


def _filtered_lists(kind: Kind, id: Json) -> Iterator[Json]:
    """Yield calls that list an entity by one of its properties, or in another order."""
    entity, count = kind.get(id) or {}, 0
    for item in kind.case.data["list"]:
        schema = kind.lab.input(item["tool"])
        for name in [name for name in schema.names() if name in entity]:
            arguments: Json = {**item["arguments"], name: entity[name]}
            filtered = {**item, "arguments": arguments}
            if count < _MAX_FILTERS and schema.allows(arguments):
                count += 1
                if id in (kind.listed_ids(filtered) or ()):
                    yield filtered
        options = {name: values for name, values in schema.options().items() if name not in entity}
        for name, values in islice(options.items(), _MAX_OPTIONS):
            # The first value is often the default.
            other: Json = {**item, "arguments": {**item["arguments"], name: values[-1]}}
            if schema.allows(other["arguments"]) and id in (kind.listed_ids(other) or ()):
                yield other


def _delete_with_parts(kind: Kind) -> None:
    """Delete an entity that others belong to. Calls that fail become cases of their own."""
    parts: list[Json] = kind.case.data.get("add", [])
    if not parts or not kind.deletions:
        return
    deletion, new = kind.deletions[0], kind.create()
    if new is not None:
        for part in parts:
            kind.lab.call(part["tool"], {**part["arguments"], part["argument"]: new})
        kind.lab.call(deletion["tool"], {deletion["argument"]: new})


def _read_odd_texts(kind: Kind) -> None:
    """Read entities with unusual strings. Calls that fail become cases of their own."""
    schema = kind.lab.input(kind.case.name)
    names = fresh_arguments.names(schema, kind.arguments) if kind.case.data["get"] else []
    for text in (*GROUPS_OF_LETTERS, *GROUPS_OF_SIGNS):
        changed: dict[str, Json] = dict(kind.arguments)
        for name in names:
            if schema.allows({**changed, name: text}):
                changed[name] = text
        new = None
        if changed != kind.arguments:
            new = id_in(kind.lab.call(kind.case.name, changed))
        for value in kind.case.data["get"] if new is not None else ():
            arguments = {value["argument"]: new}
            answer = kind.lab.call(value["tool"], arguments)
            if answer.is_refusal and any(of_error(answer, is_valid=True)):
                kind.lab.follow_up(value["tool"], arguments)
