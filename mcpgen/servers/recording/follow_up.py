"""Requests in addition to the lists, and the user, whom the server may ask."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from mcpgen.jsontext import Json, is_object
from mcpgen.servers.recording.raw_responses import Answers, ErrorAnswer

MOST_ROUNDS = 10
"""Maximum number of rounds of input requests before a result."""
_ELICIT = "elicitation/create"


@dataclass(frozen=True, slots=True)
class FollowUpRequest:
    """A request: a tool to call, a resource to read, a prompt to get."""

    method: str
    params: dict[str, Json]


Further: TypeAlias = Callable[[Answers], Generator[FollowUpRequest, Json, None]]
"""Yields requests in order and receives the raw result of each."""


class Person(Protocol):
    """Answers a server's questions. ``waited`` is the time that took, in seconds."""

    waited: float

    def answer(self, params: Json) -> Json:
        """Return the result of ``elicitation/create``."""
        ...


@dataclass(frozen=True, slots=True)
class RequestPlan:
    """The lists to read by capability, further requests, and the user who can be asked."""

    lists: frozenset[str]
    further: Further
    person: Person | None = None


@dataclass(slots=True)
class Rounds:
    """The rounds of one request since 2026-07-28. A server may request input before it responds."""

    ask: FollowUpRequest
    person: Person | None
    number: int = 0
    more: dict[str, Json] = field(default_factory=dict[str, "Json"])

    def params(self) -> dict[str, Json]:
        """Return the parameters of the next round."""
        return {**self.ask.params, **self.more}

    def is_over(self, result: Json) -> bool:
        """Return True for the final result. Otherwise the requested input is stored."""
        if result.get("resultType") != "input_required":
            return True
        self.number += 1
        if self.number > MOST_ROUNDS:
            raise ErrorAnswer(0, f"the server asked for more {MOST_ROUNDS} times")
        input_requests = result.get("inputRequests")
        self.more = {}
        if is_object(input_requests):
            self.more["inputResponses"] = {
                key: self._answer(input_requests[key]) for key in input_requests
            }
        if isinstance(result.get("requestState"), str):
            self.more["requestState"] = result["requestState"]
        return False

    def _answer(self, request: Json) -> Json:
        method = request.get("method") if is_object(request) else None
        if method != _ELICIT:
            raise ErrorAnswer(0, f"the server asks for {method}, which this client doesn't support")
        return answer_elicitation(self.person, request.get("params"))


def answer_elicitation(person: Person | None, params: Json) -> Json:
    """Ask the user if possible, otherwise decline."""
    if person is None or not is_object(params):
        return {"action": "decline"}
    return person.answer(params)
