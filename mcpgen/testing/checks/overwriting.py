"""Checks that a tool which records or adds something doesn't overwrite its earlier entry."""

from __future__ import annotations

from collections.abc import Mapping

from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsontext import Json, is_array, is_number, is_object
from mcpgen.servers.endpoint.sensitivity import words_of
from mcpgen.testing.arguments.known_values import is_id
from mcpgen.testing.arguments.safety import hint
from mcpgen.testing.run_context import RunContext

_RECORDING = frozenset("add append insert log note post rate record report submit".split())
"""Words for tools whose every call adds an entry."""


def overwritten(lab: RunContext, case: Case, reads: list[Json]) -> list[Verdict]:
    """Record two different values. The second entry mustn't replace the first.

    For entries without an ID of their own, such as the grades of a student.
    """
    arguments, schema = case.data["arguments"], lab.input(case.name)
    options = [
        {**arguments, name: value + step}
        for name, value in arguments.items()
        if is_number(value) and not is_id(name)
        for step in (1, -1)
    ]
    other = next((item for item in options if schema.allows(item)), None)
    if other is None or not _records(lab.tool(case.name)):
        return []
    entry = lab.call_again(case.name, arguments).data()
    names = [name for name in other if other[name] != arguments[name]]
    if not is_object(entry) or any(entry.get(name) != arguments[name] for name in names):
        return []
    if any(is_id(name) and entry[name] not in arguments.values() for name in entry):
        return []
    if not _lists_entry(lab, reads, entry):
        return []
    answer = lab.call_again(case.name, other)
    if not _lists_entry(lab, reads, answer.data()) or _lists_entry(lab, reads, entry):
        return []
    detail = f"the entry with {names[0]} {arguments[names[0]]!r} was lost by adding one with"
    return [Verdict("C404", f"{detail} {other[names[0]]!r}", "replaced", answer.display_text())]


def _records(definition: Mapping[str, Json]) -> bool:
    """Return True for a tool that claims to add, by its name and by its annotations."""
    words = [*words_of(str(definition.get("name", "")))[:1]]
    words += words_of(str(definition.get("description", ""))[:20])[:1]
    is_additive = hint(definition, "destructiveHint") is False
    is_repeatable = hint(definition, "idempotentHint") is True
    return is_additive and not is_repeatable and not _RECORDING.isdisjoint(words)


def _lists_entry(lab: RunContext, reads: list[Json], entry: Json) -> bool:
    """Return True if a list in one of the reads has an entry."""
    for read in reads:
        waiting: list[Json] = [lab.call(read["name"], read["arguments"]).data()]
        while waiting:
            value = waiting.pop()
            if is_array(value) and entry in value:
                return True
            waiting += value if is_array(value) else value.values() if is_object(value) else ()
    return False
