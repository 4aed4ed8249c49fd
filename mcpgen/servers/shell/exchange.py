"""Sends a call after the lists are known, as a task if the tool requires one."""

from __future__ import annotations

from collections.abc import Generator, Mapping

from mcpgen_runtime.connection.wire import results
from mcpgen_runtime.connection.wire.faults import Broken, HttpRejection, Unreadable

from mcpgen.contract.lists import Listing
from mcpgen.errors import AnswerError
from mcpgen.jsontext import Json, flaw, is_object
from mcpgen.servers.recording.diagnose import is_closed
from mcpgen.servers.recording.follow_up import FollowUpRequest
from mcpgen.servers.recording.raw_responses import Answers, ErrorAnswer, entries_of

_MAX_LEVELS = 240
"""Maximum nesting of a result, equal to the limit of generated clients."""
_ASKED_FOR_TASKS = "2025-11-25"
"""The revision in which clients request tasks and ``tasks/result`` waits for results."""


def listed_definitions(answers: Answers, listing: Listing) -> dict[str, Mapping[str, Json]]:
    """Return the listed definitions by name. If a name repeats, the first one counts."""
    result: dict[str, Mapping[str, Json]] = {}
    for page in answers.pages.get(listing.method, ()):
        for entry in entries_of(page, listing):
            if is_object(entry) and isinstance(entry.get("name"), str):
                result.setdefault(entry["name"], entry)
    return result


def call_tool(
    definition: Mapping[str, Json], arguments: Mapping[str, Json], revision: str
) -> Generator[FollowUpRequest, Json, Json]:
    """Call a tool, as a task if it requires one, and return its result.

    Raises:
        AnswerError: The tool requires a task, but the server created none.
    """
    name = definition["name"]
    params: dict[str, Json] = {"name": name, "arguments": dict(arguments)}
    if not _is_always_task(definition, revision):
        return (yield FollowUpRequest("tools/call", params))
    started = yield FollowUpRequest("tools/call", {**params, "task": {}})
    task = started.get("task") if is_object(started) else None
    if not is_object(task):
        raise AnswerError("the tool requires a task, but the server created none", name)
    return (yield FollowUpRequest("tasks/result", {"taskId": task.get("taskId")}))


def _is_always_task(definition: Mapping[str, Json], revision: str) -> bool:
    """Return True if the client must request a task. Since 2026-07-28 the server decides."""
    execution = definition.get("execution")
    support = execution.get("taskSupport") if is_object(execution) else None
    return support == "required" and revision == _ASKED_FOR_TASKS


def send_one(ask: FollowUpRequest) -> Generator[FollowUpRequest, Json, Json]:
    """Send one request."""
    return (yield ask)


def checked_result(
    exchange: Generator[FollowUpRequest, Json, Json], method: str, name: str
) -> Generator[FollowUpRequest, Json, dict[str, Json]]:
    """Send a request and return its result.

    Raises:
        AnswerError: The server returned an error, or a result that a client would reject.
    """
    try:
        result = valid_result(method, (yield from exchange), name)
    except ErrorAnswer as error:
        if not is_answer(error):
            raise
        raise AnswerError(f"the server refused: {error.message} ({error.code})", name) from None
    return result


def valid_result(method: str, raw: Json, name: str) -> dict[str, Json]:
    """Return a result as the generated client would parse it.

    Raises: AnswerError: The client would reject it.
    """
    problem = flaw(raw, _MAX_LEVELS) or results.problem(method, raw)
    if problem:
        raise AnswerError(f"the result breaks the protocol: {problem}", name)
    return raw if is_object(raw) else {}


def is_answer(error: ErrorAnswer) -> bool:
    """Return True if the server itself returned an error, not its connection."""
    return not isinstance(error.data, Broken | HttpRejection | Unreadable) and not is_closed(error)
