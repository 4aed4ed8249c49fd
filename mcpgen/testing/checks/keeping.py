"""Holds ``destructiveHint: false`` to what reads show: what a call does not name stays."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from mcpgen.display import brief
from mcpgen.jsontext import Json
from mcpgen.testing.entities import by_id, is_volatile
from mcpgen.testing.failure import Case, Verdict
from mcpgen.testing.lab import Lab

Shown = Mapping[str, dict[tuple[str, str, Json], dict[str, Json]]]
_EMPTY: tuple[Json, ...] = (None, "", [], {})


def run(lab: Lab, case: Case) -> list[Verdict]:
    """Read, call the tool, and read again."""
    reads: list[Json] = case.data["reads"]
    _shown(lab, reads)
    before = _shown(lab, reads)
    answer = lab.call(case.name, case.data["arguments"])
    if not answer.is_success:
        return []
    after = _shown(lab, reads)
    for detail, place in _lost(before, after, case.data["arguments"]):
        return [Verdict("C404", detail, place, answer.shown())]
    return []


def _shown(lab: Lab, reads: list[Json]) -> Shown:
    found: dict[str, dict[tuple[str, str, Json], dict[str, Json]]] = {}
    for read in reads:
        answer = lab.ask(read["method"], read["params"])
        if answer.is_success:
            found[json.dumps(read, sort_keys=True)] = by_id(answer.data())
    return found


def _lost(before: Shown, after: Shown, arguments: Json) -> Iterator[tuple[str, str]]:
    """Yield the members that became empty although the call does not name them."""
    named = set(arguments)
    for key, entities in before.items():
        if key not in after:
            continue
        for identity, entity in entities.items():
            now = after[key].get(identity)
            if now is None:
                continue  # another page, or another order
            for name, value in entity.items():
                changed = now.get(name)
                if name in named or value in _EMPTY or is_volatile(name, value, changed):
                    continue
                if changed in _EMPTY:
                    yield (
                        f"{name} of {identity[2]!r} was {brief(repr(value), 40)} and is empty",
                        name,
                    )
