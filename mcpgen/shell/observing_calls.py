"""The tools of a plan are called, one call after the other, and what they answer is kept."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field

from mcpgen.calls.definition import definition_hash
from mcpgen.contract.lists import LISTINGS
from mcpgen.jsontext import Json, is_object
from mcpgen.observation.tools import Call, Definition
from mcpgen.recording.diagnose import is_closed
from mcpgen.recording.further import Ask, Wish
from mcpgen.recording.raw_answers import Answers, ErrorAnswer, entries_of
from mcpgen.recording.wire.faults import Broken, Refused, Unreadable
from mcpgen.shell.observing_plan import Plan

_TOOLS = LISTINGS[0]


@dataclass(slots=True)
class Calling:
    """Calls the tools of a plan, as far as they are those that it was made for."""

    plan: Plan
    definitions: Mapping[str, Definition]
    calls: list[Call] = field(default_factory=list[Call])
    changed: set[str] = field(default_factory=set[str])
    """Tools that have another definition now than when the plan was made; they are not called."""

    def wish(self) -> Wish:
        """Return what is asked of the server; it can ask nobody back."""
        return Wish(frozenset({_TOOLS.capability}), self._further)

    def _further(self, answers: Answers) -> Generator[Ask, Json, None]:
        self.calls.clear()  # of an attempt that failed
        listed = _listed(answers)
        for planned in self.plan.calls:
            name = planned.tool
            known = self.definitions[name].hash
            if name not in listed or definition_hash(listed[name]) != known:
                self.changed.add(name)
                continue
            params = {"name": name, "arguments": planned.arguments}
            result: Json = None
            try:
                result = yield Ask("tools/call", params)
            except ErrorAnswer as error:
                if isinstance(error.data, Broken | Refused | Unreadable) or is_closed(error):
                    raise
            self.calls.append(Call(name, result if is_object(result) else None, known))


def _listed(answers: Answers) -> dict[str, Mapping[str, Json]]:
    entries = [
        each for page in answers.pages.get(_TOOLS.method, ()) for each in entries_of(page, _TOOLS)
    ]
    named = [each for each in entries if is_object(each) and isinstance(each.get("name"), str)]
    return {each["name"]: each for each in reversed(named)}
