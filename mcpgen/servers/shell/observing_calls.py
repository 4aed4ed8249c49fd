"""Calls the tools of a plan one by one, and collects the results."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field

from mcpgen_runtime.redaction.credentials import CREDENTIALS
from mcpgen_runtime.replay.call_records import RecordedCall
from mcpgen_runtime.replay.definition import definition_hash
from mcpgen_runtime.replay.redactor import Redaction

from mcpgen.contract.lists import LISTINGS
from mcpgen.contract.observation.observe import Call, Definition
from mcpgen.errors import AnswerError
from mcpgen.jsontext import Json, is_object
from mcpgen.servers.recording.follow_up import FollowUpRequest, RequestPlan
from mcpgen.servers.recording.raw_responses import Answers, ErrorAnswer
from mcpgen.servers.shell.exchange import call_tool, is_answer, listed_definitions, valid_result
from mcpgen.servers.shell.observing_plan import Plan

_TOOLS = LISTINGS[0]


@dataclass(slots=True)
class Calling:
    """Calls the tools of a plan, if their definitions haven't changed."""

    plan: Plan
    definitions: Mapping[str, Definition]
    calls: list[Call] = field(default_factory=list[Call])
    changed: set[str] = field(default_factory=set[str])
    """Tools whose definition changed after planning. They are not called."""

    def wish(self) -> RequestPlan:
        """Return the requests to send. The server can't ask the user."""
        return RequestPlan(frozenset({_TOOLS.capability}), self._further)

    def _further(self, answers: Answers) -> Generator[FollowUpRequest, Json, None]:
        self.calls.clear()  # the calls of a failed attempt
        offered = listed_definitions(answers, _TOOLS)
        for planned in self.plan.calls:
            name = planned.tool
            digest = self.definitions[name].hash
            if name not in offered or definition_hash(offered[name]) != digest:
                self.changed.add(name)
                continue
            result: Json = None
            try:
                raw = yield from call_tool(offered[name], planned.arguments, answers.revision)
                result = valid_result("tools/call", raw, name)
            except ErrorAnswer as error:
                if not is_answer(error):
                    raise
            except AnswerError:
                pass  # not a task, or not a valid result: no observation
            self.calls.append(_without_secrets(name, result, digest))


def _without_secrets(name: str, result: Json, definition: str) -> Call:
    """Return a call for the observed file, with secrets in property names redacted."""
    if not is_object(result):
        return Call(name, None, definition)
    rules = Redaction.from_rules((), CREDENTIALS.strip)
    call = rules.redact_call(RecordedCall("tool", name, result=result))
    return Call(name, dict(call.result or {}), definition, in_result(call.redacted))


def in_result(redacted: Sequence[str]) -> tuple[str, ...]:
    """Return the pointers of redacted values relative to the result."""
    return tuple(at.removeprefix("/result") for at in redacted if at.startswith("/result/"))
