"""What is asked of a server that has listed what it offers: a call, or one that runs as a task."""

from __future__ import annotations

from collections.abc import Generator, Mapping

from mcpgen_runtime.connection.wire import results
from mcpgen_runtime.connection.wire.faults import Broken, Refused, Unreadable

from mcpgen.contract.lists import Listing
from mcpgen.errors import AnswerError
from mcpgen.jsontext import Json, flaw, is_object
from mcpgen.servers.recording.diagnose import is_closed
from mcpgen.servers.recording.further import Ask
from mcpgen.servers.recording.raw_answers import Answers, ErrorAnswer, entries_of

_MAX_LEVELS = 240
"""How deep a result may be nested, as in generated clients."""
_ASKED_FOR_TASKS = "2025-11-25"
"""The revision in which a client asks for tasks; ``tasks/result`` waits for their results."""


def listed(answers: Answers, listing: Listing) -> dict[str, Mapping[str, Json]]:
    """Return what a server listed, by its name; of two of one name the first counts."""
    known: dict[str, Mapping[str, Json]] = {}
    for page in answers.pages.get(listing.method, ()):
        for entry in entries_of(page, listing):
            if is_object(entry) and isinstance(entry.get("name"), str):
                known.setdefault(entry["name"], entry)
    return known


def called(
    definition: Mapping[str, Json], arguments: Mapping[str, Json], revision: str
) -> Generator[Ask, Json, Json]:
    """Call a tool, as a task where it wants that, and return its result.

    Raises :class:`AnswerError` where it wants a task and makes none.
    """
    name = definition["name"]
    params: dict[str, Json] = {"name": name, "arguments": dict(arguments)}
    if not _is_always_task(definition, revision):
        return (yield Ask("tools/call", params))
    started = yield Ask("tools/call", {**params, "task": {}})
    task = started.get("task") if is_object(started) else None
    if not is_object(task):
        raise AnswerError("the server ran it as no task, which it asks for", name)
    return (yield Ask("tasks/result", {"taskId": task.get("taskId")}))


def _is_always_task(definition: Mapping[str, Json], revision: str) -> bool:
    """Say whether a client has to ask for a task; since 2026-07-28 the server alone decides."""
    execution = definition.get("execution")
    support = execution.get("taskSupport") if is_object(execution) else None
    return support == "required" and revision == _ASKED_FOR_TASKS


def asked(ask: Ask) -> Generator[Ask, Json, Json]:
    """Make one request."""
    return (yield ask)


def answered(
    exchange: Generator[Ask, Json, Json], method: str, name: str
) -> Generator[Ask, Json, dict[str, Json]]:
    """Make a request and return its result.

    Raises: AnswerError: The server returned an error, or a result that a client would reject.
    """
    try:
        result = valid_result(method, (yield from exchange), name)
    except ErrorAnswer as error:
        if not is_answer(error):
            raise
        raise AnswerError(f"the server refused: {error.message} ({error.code})", name) from None
    return result


def valid_result(method: str, raw: Json, name: str) -> dict[str, Json]:
    """Return a result as the generated client reads it.

    Raises: AnswerError: The client would reject it.
    """
    problem = flaw(raw, _MAX_LEVELS) or results.problem(method, raw)
    if problem:
        raise AnswerError(f"the result breaks the protocol: {problem}", name)
    return raw if is_object(raw) else {}


def is_answer(error: ErrorAnswer) -> bool:
    """Say whether the server itself answered with an error, and not its connection failed."""
    return not isinstance(error.data, Broken | Refused | Unreadable) and not is_closed(error)
