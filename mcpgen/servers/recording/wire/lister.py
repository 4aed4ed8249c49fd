"""Lists the definitions of a stdio server, without the SDK, which imports slowly.

Protocol eras are negotiated as in the SDK, and requests of the server get the same responses.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import TextIO

from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.servers.endpoint.target import Stdio
from mcpgen.servers.recording.follow_up import Person, RequestPlan, Rounds, answer_elicitation
from mcpgen.servers.recording.raw_responses import CONNECTION_CLOSED, Answers, ErrorAnswer, Mode
from mcpgen.servers.recording.wire import handshake, json_rpc, server_process
from mcpgen.servers.recording.wire.handshake import HANDSHAKE_REVISIONS, MODERN_REVISIONS
from mcpgen.servers.recording.wire.json_rpc import Failure, InvalidMessage, Result
from mcpgen.servers.recording.wire.server_process import Child, TooLongError
from mcpgen.servers.recording.wire.transcript import Transcript
from mcpgen.servers.recording.wire.walk import walk, wished_lists

_INVALID_REQUEST = -32600
_METHOD_NOT_FOUND = -32601
_REQUEST_TIMEOUT = -32001
_UNSUPPORTED_REVISION = -32022
_PAUSE = 0.05
"""Seconds between rounds of a request."""
_PATIENCE = 10.0
"""Seconds until a server that doesn't respond to `server/discover` counts as a legacy server."""


def attempt(  # noqa: PLR0913 - what all attempts get, and what runs already
    target: Stdio,
    mode: Mode,
    transcript: Transcript,
    *,
    ends: float,
    stderr: TextIO,
    started: Child | None = None,
    capabilities: Collection[str] | None = None,
    request_plan: RequestPlan | None = None,
) -> Answers | None:
    """List everything a server offers. Returns None if it doesn't respond in time.

    A server that has responded is left to exit, which :func:`server_process.end_all` ensures. Any
    other is terminated.
    """
    process = started or server_process.start(target.argv, target.env, target.cwd, stderr)
    transcript.give_up = _give_up
    answers: Answers | None = None
    try:
        declared = handshake.declaration(capabilities)
        answers = _Session(process, transcript, ends, declared, request_plan).answers(mode)
    except TooLongError as error:
        transcript.too_much = transcript.too_much or str(error)
    except (TimeoutError, _GivenUp):
        pass
    finally:
        if answers is None:
            process.end(server_process.GRACE)
    process.leave()
    return answers


class _GivenUp(Exception):
    """The server sends more than the limit."""


def _give_up() -> None:
    raise _GivenUp


@dataclass(slots=True)
class _Session:
    """A session. Its revision is known after the handshake."""

    process: Child
    transcript: Transcript
    ends: float
    declared: Json
    request_plan: RequestPlan | None = None
    revision: str = ""
    number: int = 0

    def answers(self, mode: Mode) -> Answers:
        if mode == "legacy":
            self._initialize()
        else:
            self._negotiate()
        transcript = self.transcript
        method, value = list(transcript.greetings.items())[-1]
        failed = self._walk(wished_lists(value.get("capabilities"), self.request_plan))
        answers = Answers(
            revision=self.revision,
            greeting=value,
            pages=transcript.pages,
            client_capabilities=transcript.client_capabilities.get(method, {}),
            failed=failed,
            junk=transcript.junk,
        )
        if self.request_plan is not None:
            self._fulfil(self.request_plan, answers)
        return answers

    def _fulfil(self, request_plan: RequestPlan, answers: Answers) -> None:
        """Send the further requests of a plan. Errors are thrown into its generator."""
        steps = request_plan.further(answers)
        try:
            step = next(steps)
            while True:
                try:
                    result = self._result(Rounds(step, request_plan.person))
                except ErrorAnswer as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(result)
        except StopIteration:
            pass

    def _result(self, rounds: Rounds) -> Json:
        """Send a request in as many rounds as the server needs, and return its result."""
        method = rounds.ask.method
        while True:
            self._ask(method, rounds.params() | self._envelope())
            if rounds.is_over(self.transcript.answer):
                return self.transcript.answer
            time.sleep(_PAUSE)

    def _envelope(self) -> dict[str, Json]:
        is_modern = self.revision in MODERN_REVISIONS
        return handshake.envelope(self.revision, self.declared) if is_modern else {}

    def _negotiate(self) -> None:
        """Negotiate the revision. A server without one since 2026-07-28 uses the handshake."""
        revision = MODERN_REVISIONS[-1]
        try:
            discover = self._discover(revision)
        except ErrorAnswer as error:
            supported = _supported_revisions(error)
            mutual = _mutual(supported)
            if mutual:
                discover = self._discover_again(mutual)
            elif supported is not None and not set(supported) & set(HANDSHAKE_REVISIONS):
                raise  # the server only supports revisions unknown to mcpgen
            else:
                discover = self._initialize_or_discover()
        if discover is not None:
            self._adopt(discover)

    def _adopt(self, message: Json) -> None:
        supported = _texts(message.get("supportedVersions"))
        if mutual := _mutual(supported):
            self.revision = mutual
        else:
            self._initialize()

    def _discover(self, revision: str) -> Json:
        envelope = handshake.envelope(revision, self.declared)
        return self._ask("server/discover", envelope, _PATIENCE)

    def _discover_again(self, revision: str) -> Json:
        try:
            return self._discover(revision)
        except ErrorAnswer as error:
            supported = _supported_revisions(error)
            if supported is not None and not set(supported) & set(HANDSHAKE_REVISIONS):
                raise
        self._initialize()
        return None

    def _initialize_or_discover(self) -> Json:
        try:
            self._initialize()
        except ErrorAnswer as error:
            # Its response to the first request was late, and the session now has that revision.
            if mutual := _mutual(_supported_revisions(error)):
                return self._discover_again(mutual)
            raise
        return None

    def _initialize(self) -> None:
        introduction = handshake.introduction(self.declared)
        revision = self._ask("initialize", introduction).get("protocolVersion")
        if not isinstance(revision, str):
            raise ValueError("initialize: protocolVersion should be a string")
        if revision not in HANDSHAKE_REVISIONS:
            raise RuntimeError(f"Unsupported protocol version from the server: {revision}")
        self.revision = revision
        self._send({"method": "notifications/initialized"})

    def _walk(self, offered: Json) -> dict[str, str]:
        envelope = self._envelope()
        pages = walk(self.transcript, offered)
        try:
            listing, cursor = next(pages)
            while True:
                params = envelope if cursor is None else {**envelope, "cursor": cursor}
                try:
                    self._ask(listing.method, params)
                except ErrorAnswer as error:
                    listing, cursor = pages.throw(error)
                else:
                    listing, cursor = next(pages)
        except StopIteration as ended:
            failed: dict[str, str] = ended.value
            return failed

    # Requests and responses

    def _ask(self, method: str, params: Json, patience: float | None = None) -> dict[str, Json]:
        self.number += 1
        self.transcript.note_request(self.number, method, params)
        self.process.send(handshake.request(self.number, method, params))
        late = math.inf if patience is None else time.monotonic() + patience
        try:
            while (
                answer := self._next(min(self._end(), late))
            ) is None or answer.number != self.number:
                pass
        except TimeoutError:
            if late >= self._end():
                raise
            raise ErrorAnswer(_REQUEST_TIMEOUT, f"Request {method!r} timed out") from None
        if isinstance(answer, Failure):
            raise answer.error
        return answer.value

    def _next(self, until: float) -> Result | Failure | None:
        """Receive a message: record it, respond to a request, return a response."""
        text = self.process.receive(until)
        if text is None:
            raise ErrorAnswer(CONNECTION_CLOSED, "Connection closed")
        self.transcript.note_raw_list(text)
        message = json_rpc.read(text)
        if isinstance(message, InvalidMessage):
            self.transcript.note_junk(message.text)
            return None
        self.transcript.note_size(len(text))
        if isinstance(message, Result):
            remaining = self.transcript.note_result(message.number, message.value)
            return Result(message.number, remaining)
        if isinstance(message, Failure):
            self.transcript.note_error(message.error.data)
            return message
        if message.number is not None:
            reply = self._reply(message.method, message.params)
            self._send({"id": message.number, **reply})
        return None

    def _reply(self, method: str, params: Json) -> dict[str, Json]:
        reply = reply_to(method, self.revision, self.declared)
        is_declined = reply.get("result") == _DECLINED
        return {"result": answer_elicitation(self._person(), params)} if is_declined else reply

    def _person(self) -> Person | None:
        return self.request_plan.person if self.request_plan else None

    def _end(self) -> float:
        """Return the end of the time limit, without time spent waiting for the user."""
        person = self._person()
        return self.ends + (person.waited if person else 0.0)

    def _send(self, message: dict[str, Json]) -> None:
        self.process.send(handshake.line({"jsonrpc": "2.0", **message}))


def _supported_revisions(error: ErrorAnswer) -> list[str] | None:
    """Return the revisions that an error names, or None for other errors."""
    data = error.data
    if error.code != _UNSUPPORTED_REVISION or not is_object(data):
        return None
    return _texts(data.get("supported")) if isinstance(data.get("requested"), str) else None


def _texts(value: Json) -> list[str] | None:
    if not is_array(value) or not all(isinstance(item, str) for item in value):
        return None
    return value


def _mutual(supported: list[str] | None) -> str:
    return next((item for item in reversed(MODERN_REVISIONS) if item in (supported or ())), "")


_ASKED_BACK = {
    "ping": HANDSHAKE_REVISIONS,
    "roots/list": HANDSHAKE_REVISIONS,
    "sampling/createMessage": HANDSHAKE_REVISIONS,
    "elicitation/create": HANDSHAKE_REVISIONS[2:],
}
"""The revisions in which a server may send these requests."""
_DECLINED = {"action": "decline"}
_REFUSED = {
    "roots/list": "List roots not supported",
    "sampling/createMessage": "Sampling not supported",
}


def reply_to(method: str, revision: str, declared: Json) -> dict[str, Json]:
    """Respond to a request of the server: decline questions to the user, reject others."""
    if (revision or HANDSHAKE_REVISIONS[-1]) not in _ASKED_BACK.get(method, ()):
        error = {"code": _METHOD_NOT_FOUND, "message": "Method not found", "data": method}
        return {"error": error}
    if method == "roots/list" and "roots" in declared:
        return {"result": {"roots": []}}
    if method == "sampling/createMessage" and "sampling" in declared:
        return {"error": handshake.REJECTED}
    if method in _REFUSED:
        return {"error": {"code": _INVALID_REQUEST, "message": _REFUSED[method]}}
    return {"result": _DECLINED if method == "elicitation/create" else {}}
