"""Runs requests for checks, within limits, and records the findings."""

from __future__ import annotations

import json
import re
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from mcpgen_runtime.redaction.credentials import Credentials

from mcpgen.contract.document import Contract
from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsontext import Json, canonical, is_object
from mcpgen.schemas.validation import messages
from mcpgen.servers.recording.follow_up import FollowUpRequest
from mcpgen.testing.answer import (
    INTERNAL_ERROR,
    Answer,
    Fault,
    has_worked,
    links_of,
    may_be_taken,
)
from mcpgen.testing.arguments.entities import count_items, has_list, role_of
from mcpgen.testing.arguments.fresh_arguments import Renewal
from mcpgen.testing.arguments.known_values import KnownValues, naming_values
from mcpgen.testing.arguments.safety import acts_outside
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.connection.overheard import Overheard
from mcpgen.testing.connection.session import Session
from mcpgen.testing.contents import leaks, problems, shown_secret
from mcpgen.testing.coverage import Coverage
from mcpgen.testing.run_options import CALLS, CALLS_A_TOOL, Limits, SpentError

_RECHECK = 5.0
_FIRST_TIMES = 8
_MAX_WRITES = 500
_MAX_REPEATED = 10
_MAX_TAKEN = 3
_MAX_REMEMBERED = 2_000
_LONGEST_REMEMBERED = 5_000


@dataclass(slots=True)
class RunContext:
    """The state of a test run on one server."""

    session: Session
    contract: Contract
    limits: Limits
    known_values: KnownValues = field(default_factory=KnownValues)
    coverage: Coverage = field(default_factory=Coverage)
    calls: int = 0
    ends: float = 0.0
    suspects: set[str] = field(default_factory=set[str])
    """Tools annotated as read-only that preceded a change."""
    watched: dict[str, list[Json]] = field(default_factory=dict[str, list["Json"]])
    """The reads that showed a change after calls of a tool."""
    changing: set[str] = field(default_factory=set[str])
    """Tools that read, and have given different results for the same arguments."""
    last_pages: dict[str, dict[str, Json]] = field(default_factory=dict[str, dict[str, "Json"]])
    """The arguments that show the last page of a paginated tool."""
    with_cursor: dict[str, dict[str, Json]] = field(default_factory=dict[str, dict[str, "Json"]])
    """The arguments of a paginated tool with a cursor from its own results."""
    links: dict[tuple[str, str], Json] = field(default_factory=dict[tuple[str, str], "Json"])
    """Links to resources in a tool's results, with the arguments of the call."""
    follow_ups: list[Case] = field(default_factory=list[Case])
    """Cases that a check found on its way: results that break a schema, crashes, hangs."""
    unanswered: list[tuple[Case, Answer]] = field(default_factory=list[tuple[Case, Answer]])
    """Unrepeatable calls to evaluate later, because their entity was destroyed."""
    credentials: Credentials = field(default_factory=Credentials)
    secrets: frozenset[str] = frozenset()
    """Secrets passed to the server. No message may show them, not even a result."""
    overheard: Overheard = field(init=False)
    times: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    """The seconds that the first results of each tool took."""
    filled_in: set[str] = field(default_factory=set[str])
    """The prompts that returned a result."""
    renewals: dict[str, Renewal] = field(default_factory=dict[str, Renewal])
    """The tools whose calls can't be repeated unchanged, with their renewals."""
    strict: bool = False
    """Whether the server rejects unknown properties somewhere."""
    refuses_true: set[str] = field(default_factory=set[str])
    """The types for which the server has refused true, as JSON."""
    refuses_integral: bool = False
    """Whether the server refuses integers written as 7.0. It will refuse all of them."""
    _entries: dict[str, dict[bytes, tuple[int, Json]]] = field(
        default_factory=dict[str, "dict[bytes, tuple[int, Json]]"]
    )
    """The number of entries in results, by name and value of an argument."""
    _writes: deque[tuple[str, Json]] = field(default_factory=lambda: deque(maxlen=_MAX_WRITES))
    """The last successful calls that wrote something."""
    _results: dict[bytes, int] = field(default_factory=dict[bytes, int])
    """The hash of the first result of each call that reads."""
    _read_before: dict[bytes, Answer] = field(default_factory=dict[bytes, Answer])
    """The short results of calls that read, so that equal calls needn't be repeated."""
    _broken: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """Tools and pointers at which their results violate the protocol."""
    _destroyed: set[bytes] = field(default_factory=set[bytes])
    """Values that named the entities of successful destructive calls."""
    _hung: set[bytes] = field(default_factory=set[bytes])
    _good: set[bytes] = field(default_factory=set[bytes])
    _vain: set[bytes] = field(default_factory=set[bytes])
    """The calls of tools that read whose results contained only empty lists."""
    _inputs: dict[str, Schema] = field(default_factory=dict[str, Schema])
    _outputs: dict[str, Schema] = field(default_factory=dict[str, Schema])

    def __post_init__(self) -> None:
        """Start the clock, and listen to the session."""
        self.overheard = Overheard(self.credentials, self.secrets)
        self.ends = time.monotonic() + self.limits.seconds

    @property
    def calls_left(self) -> int:
        """Number of calls left."""
        return max(0, self.max_calls - self.calls)

    @property
    def max_calls(self) -> int:
        """Maximum number of calls."""
        usual = max(CALLS, CALLS_A_TOOL * len(self.contract.tools))
        return usual if self.limits.calls is None else self.limits.calls

    def tool(self, name: str) -> dict[str, Json]:
        """Return the definition of a tool, or an empty one if it is unknown."""
        return dict(self.contract.tools.get(name, {}))

    def input(self, name: str) -> Schema:
        """Return the schema of a tool's arguments."""
        if name not in self._inputs:
            schema = self.tool(name).get("inputSchema")
            self._inputs[name] = Schema(schema if is_object(schema) else {})
        return self._inputs[name]

    def output(self, name: str) -> Schema | None:
        """Return the output schema of a tool, or None without one."""
        schema = self.tool(name).get("outputSchema")
        if not is_object(schema):
            return None
        if name not in self._outputs:
            self._outputs[name] = Schema(schema)
        return self._outputs[name]

    def ask(self, method: str, params: dict[str, Json], limit: float | None = None) -> Answer:
        """Send a request."""
        return self.ask_all([FollowUpRequest(method, params)], limit)[0]

    def call(self, tool: str, arguments: Json) -> Answer:
        """Call a tool and record the outcome. A call that hung is not repeated."""
        key = canonical([tool, arguments])
        if key in self._hung:
            return Answer(fault=Fault.SILENT)
        return self.call_again(tool, arguments)

    def call_again(self, tool: str, arguments: Json) -> Answer:
        """Call a tool, even if the same call hung before."""
        renewed = self.renew(tool, arguments)
        answer = self.ask("tools/call", {"name": tool, "arguments": renewed})
        for _ in range(_MAX_TAKEN if renewed is not arguments else 0):
            if not may_be_taken(answer):
                break
            self.note(tool, renewed, answer)
            renewed = self.renewals[tool].advance(self.input(tool), arguments) or renewed
            answer = self.ask("tools/call", {"name": tool, "arguments": renewed})
        if answer.fault is Fault.SILENT:
            self._hung.add(canonical([tool, arguments]))
        self.note(tool, renewed, answer)
        if renewed is not arguments and has_worked(answer):
            self._good.add(canonical([tool, arguments]))
        return answer

    def recall(self, tool: str, arguments: Json) -> Answer:
        """Return the result of an equal earlier call of a tool that reads, or call it."""
        key = canonical([tool, arguments])
        return self._read_before.get(key) or self.call(tool, arguments)

    def renew(self, tool: str, arguments: Json) -> Json:
        """Return arguments with a new value if an earlier call has taken the present one."""
        renewal = self.renewals.get(tool)
        return renewal.renew(self.input(tool), arguments) if renewal else arguments

    def note(self, tool: str, arguments: Json, answer: Answer) -> None:
        """Record the outcome of a call."""
        self.coverage.note(tool, answer)
        if (renewal := self.renewals.get(tool)) and self.input(tool).allows(arguments):
            renewal.note(arguments, has_worked=has_worked(answer))
        if has_worked(answer) and self.input(tool).allows(arguments):
            for uri in links_of(answer.result):
                self.links.setdefault((tool, uri), arguments)
            output = self.output(tool)
            is_typed = output is not None and answer.has_structured()
            if (
                self._is_newly_broken(tool, answer)
                or (is_typed and output and not output.allows(answer.structured_content()))
                or (output is not None and not answer.has_structured())
                or any(shown_secret(answer.result, arguments, self.secrets))
            ):
                self.follow_up(tool, arguments, answer)
            self._note_result(tool, arguments, answer)
        elif answer.is_refusal and self.input(tool).allows(arguments):
            self.known_values.hear(tool, arguments, answer)
            if answer.code == INTERNAL_ERROR or any(self._leaks_of(answer, arguments)):
                self.follow_up(tool, arguments)
        elif answer.fault is not None and self.input(tool).allows(arguments):
            self.follow_up(tool, arguments, answer)
        if answer.is_success:
            times = self.times.setdefault(tool, [])
            if len(times) < _FIRST_TIMES:
                times.append(answer.seconds)

    def _note_result(self, tool: str, arguments: Json, answer: Answer) -> None:
        """Learn from the result of a call that the schema allows."""
        role = role_of(self.tool(tool))
        if role == "read":
            self._compare(tool, arguments, answer)
            is_short = len(answer.text()) <= _LONGEST_REMEMBERED
            if is_short and len(self._read_before) < _MAX_REMEMBERED:
                self._read_before[canonical([tool, arguments])] = answer
            if count_items(answer.data()) == 0 and has_list(answer.data()):
                self._vain.add(canonical([tool, arguments]))
        elif not acts_outside(self.tool(tool)):
            self._writes.append((tool, arguments))
        if role == "destroy" and is_object(arguments):
            self._destroyed |= {canonical(value) for value in arguments.values()}
        self._count_entries(arguments, answer)
        self.known_values.learn(tool, arguments, answer)
        self._good.add(canonical([tool, arguments]))

    def _is_newly_broken(self, tool: str, answer: Answer) -> bool:
        """Return True if a tool's result violates the protocol in a new way."""
        violations = messages.problems(self.contract.revision, "CallToolResult", answer.result)
        pointers = [problem.pointer for problem in violations]
        pointers += [pointer for pointer, _ in problems(answer.result)]
        pointers_of_tool = {(tool, re.sub(r"\d+", "*", pointer)) for pointer in pointers}
        new = pointers_of_tool - self._broken
        self._broken |= new
        return bool(new)

    def follow_up(self, tool: str, arguments: Json, answer: Answer | None = None) -> None:
        """Schedule a call as a case of its own, or judge it if it destroys something."""
        case = Case("call", f"tool {tool}", {"arguments": arguments})
        role = role_of(self.tool(tool))
        if answer is not None and (role == "destroy" or (answer.fault and role != "read")):
            self.unanswered.append((case, answer))
        self.follow_ups.append(case)

    def _leaks_of(self, answer: Answer, arguments: Json) -> Iterator[Verdict]:
        text = json.dumps(arguments, ensure_ascii=False)
        return leaks(answer.text(), text, self.credentials, "the error")

    def has_result(self, tool: str) -> bool:
        """Return True if the tool has returned a result to a valid call."""
        return self.coverage.tool_coverage(tool).results > 0

    def richest(self, argument: str) -> Json:
        """Return the value of an argument for which results had the most entries, or None."""
        counts = self._entries.get(argument, {}).values()
        existing = [(count, value) for count, value in counts if not self.is_destroyed(value)]
        count, value = max(existing, key=lambda item: item[0], default=(0, None))
        return value if count > 1 else None

    def _compare(self, tool: str, arguments: Json, answer: Answer) -> None:
        """Note whether a call of a tool that reads had another result before."""
        key, now = canonical([tool, arguments]), hash(answer.comparison_key())
        if self._results.setdefault(key, now) != now:
            self.changing.add(tool)

    def is_vain(self, tool: str, arguments: Json) -> bool:
        """Return True if a tool that reads found nothing for these arguments."""
        return canonical([tool, arguments]) in self._vain

    def _count_entries(self, arguments: Json, answer: Answer) -> None:
        count = count_items(answer.data())
        for name, value in arguments.items() if is_object(arguments) else ():
            if isinstance(value, str | int):
                counts = self._entries.setdefault(name, {})
                key = canonical(value)
                counts[key] = max(count, counts.get(key, (0, None))[0]), value

    def is_destroyed(self, value: Json) -> bool:
        """Return True if a destructive call named this value, so its entity may be gone."""
        return canonical(value) in self._destroyed

    def write_again(self, case: Case) -> int:
        """Repeat earlier writes with a text or ID of a call. Returns their number.

        A restarted server has lost their data, on which the call may depend. Tools that act
        outside are not called again.
        """
        named = naming_values(case.data.get("arguments"))
        earlier = [write for write in self._writes if named & naming_values(write[1])]
        earlier = earlier[-_MAX_REPEATED:]
        for tool, arguments in earlier:
            self.call_again(tool, arguments)
        return len(earlier)

    def is_good(self, tool: str, arguments: Json) -> bool:
        """Return True if a tool returned a result for these arguments."""
        return canonical([tool, arguments]) in self._good

    def ask_by(self, number: int | str, ask: FollowUpRequest) -> Answer:
        """Send a request with an ID of a certain type."""
        if self.calls_left < 1:
            raise SpentError("--calls")
        self.calls += 1
        answer = self.session.ask_by(number, ask, self.limits.answer)
        self.overheard.listen(self.session, [ask])
        self.overheard.look_at(ask, answer)
        return answer

    def ask_all(self, asks: Sequence[FollowUpRequest], limit: float | None = None) -> list[Answer]:
        """Send concurrent requests, within all limits."""
        if self.calls_left < len(asks):
            raise SpentError("--calls")
        if time.monotonic() >= self.ends:
            raise SpentError("--seconds")
        self.calls += len(asks)
        allowed = min(limit or self.limits.answer, max(self.ends - time.monotonic(), 0.5))
        is_cut = allowed < (limit or self.limits.answer)
        answers = self.session.ask_all(asks, allowed)
        if is_cut and any(answer.fault is Fault.SILENT for answer in answers):
            self.session.close()
            raise SpentError("--seconds")  # it may have responded within the limit of one call
        self.overheard.listen(self.session, asks)
        for ask, answer in zip(asks, answers, strict=True):
            self.overheard.look_at(ask, answer)
        if any(answer.fault is Fault.SILENT for answer in answers):
            answers = self._after_silence(answers)
        return answers

    def _after_silence(self, answers: list[Answer]) -> list[Answer]:
        """Check whether the server responds to anything else, and restart it."""
        other = self.session.ask(
            FollowUpRequest("tools/list", {}), min(_RECHECK, self.limits.answer)
        )
        self.session.close()  # the request may still hold a lock
        if other.fault is None:
            return answers
        detail = "and the server responds to nothing else meanwhile"
        return [
            replace(answer, message=detail) if answer.fault is Fault.SILENT else answer
            for answer in answers
        ]
