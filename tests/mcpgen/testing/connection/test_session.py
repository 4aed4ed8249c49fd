"""The session of contract tests: how it ends, and which metadata its requests carry."""

from __future__ import annotations

import contextlib
import io
import socket
import sys
import time
from functools import partial
from types import SimpleNamespace
from typing import Any, Literal

import anyio
import pytest
from anyio.from_thread import BlockingPortal
from guards import until
from mcp import types
from mcp.shared.message import SessionMessage
from tested import NOTES

from mcpgen.errors import UnreachableError
from mcpgen.servers.endpoint import Http, Stdio
from mcpgen.servers.recording.follow_up import FollowUpRequest
from mcpgen.servers.recording.wire import early_start
from mcpgen.testing.answer import Fault
from mcpgen.testing.connection.raw_connection import RETYPED, RawConnection
from mcpgen.testing.connection.request_headers import request_headers
from mcpgen.testing.connection.session import Session

REVISION = "2026-07-28"
NOBODY: Any = Stdio(("no-such-command-anywhere",), ("no-such-command-anywhere",))
LIST = FollowUpRequest("tools/list", {})


def unused_port() -> int:
    with contextlib.closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


@pytest.mark.parametrize("kind", ["stdio", "http", "sse"])
def test_unavailable_server_is_reported_with_the_cause(
    kind: Literal["stdio", "http", "sse"],
) -> None:
    url = f"http://127.0.0.1:{unused_port()}/mcp?key=hunter2-hunter2"
    target = NOBODY if kind == "stdio" else Http(url, url, kind=kind)
    with early_start.open_log() as log, Session(target, REVISION, log) as session:
        with pytest.raises(UnreachableError, match="can't be called again: ") as raised:
            session.ask(LIST, 5)
        assert "TaskGroup" not in raised.value.problem
        assert "hunter2" not in str(raised.value)
        with pytest.raises(UnreachableError):
            session.ask(LIST, 5)
        assert session.starts == 2


def test_next_request_restarts_a_terminated_server() -> None:
    command = (sys.executable, str(NOTES))
    with early_start.open_log() as log:
        with Session(Stdio(command, command), REVISION, log) as session:
            assert session.ask(LIST, 15).is_success
            session.close()
            assert session.ask(LIST, 15).is_success
            assert session.starts == 2
        with Session(Stdio(command, command, {"BUG": "dies"}), REVISION, log) as session:
            params = {"name": "search_books", "arguments": {"query": "\U0001f389"}}
            assert session.ask(FollowUpRequest("tools/call", params), 15).fault is Fault.CLOSED
            assert session.ask(LIST, 15).is_success


def test_interruption_during_the_handshake_terminates_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = (sys.executable, "-c", "import time; time.sleep(60)")

    def interrupt(portal: BlockingPortal, hold: Any) -> None:
        portal.start_task_soon(partial(hold, task_status=anyio.TASK_STATUS_IGNORED))
        until(lambda: hold.__self__._tasks is not None)
        raise KeyboardInterrupt

    monkeypatch.setattr(BlockingPortal, "start_task", interrupt)
    before = time.monotonic()
    with early_start.open_log() as log:
        session = Session(Stdio(command, command), REVISION, log)
        with pytest.raises(KeyboardInterrupt), session:
            session.ask(LIST, 60)
    assert time.monotonic() - before < 20  # the handshake was not awaited


@pytest.mark.parametrize(
    ("token", "is_mirrored"), [("Region", True), ("not a token\r\n", False), (5, False)]
)
def test_valid_header_annotations_mirror_arguments(token: object, is_mirrored: bool) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "x-mcp-header": token}}}
    params = {"name": "search", "arguments": {"a": "north"}}

    result = request_headers("tools/call", params, REVISION, {"search": schema})
    assert result is not None
    assert ("Mcp-Param-Region" in result) is is_mirrored
    assert len(result) == (4 if is_mirrored else 3)
    assert result["mcp-name"] == "search"


@pytest.mark.parametrize(
    ("method", "params", "flaws"),
    [
        ("notifications/message", {"level": "info", "data": 1}, 0),
        ("notifications/message", {"data": 1}, 1),
        ("notifications/progress", {"progressToken": 0, "progress": 1}, 1),
        ("notifications/tools/list_changed", None, 0),
    ],
)
def test_notifications(method: str, params: Any, flaws: int) -> None:
    message = types.JSONRPCNotification(jsonrpc="2.0", method=method, params=params)

    async def listen() -> list[str]:
        connection = RawConnection(NOBODY, "2025-11-25", io.StringIO(), {})
        connection.filter_received(SessionMessage(message))
        return connection.take_flaws()

    assert len(anyio.run(listen)) == flaws


@pytest.mark.parametrize(
    ("method", "flaw"),
    [
        ("sampling/createMessage", "which the client doesn't declare"),
        ("roots/list", "which the client doesn't declare"),
        ("notifications/message", "has an ID"),
        ("elicitation/create", ""),
        ("ping", ""),
    ],
)
def test_requests_of_servers(method: str, flaw: str) -> None:
    message = types.JSONRPCRequest(jsonrpc="2.0", id="s1", method=method, params={})

    async def listen() -> list[str]:
        connection = RawConnection(NOBODY, "2025-11-25", io.StringIO(), {})
        connection.filter_received(SessionMessage(message))
        return connection.take_flaws()

    flaws = anyio.run(listen)
    assert len(flaws) == bool(flaw)
    assert flaw in "".join(flaws)


@pytest.mark.parametrize(
    ("request_id", "answered", "flaws"),
    [(7, "7", [RETYPED]), ("7", 7, [RETYPED]), (7, 7, []), (7, "8", [])],
)
def test_response_with_an_id_of_another_type(
    request_id: int | str, answered: int | str, flaws: list[str]
) -> None:
    message = types.JSONRPCResponse(jsonrpc="2.0", id=answered, result={})

    async def listen() -> list[str]:
        connection = RawConnection(NOBODY, "2025-11-25", io.StringIO(), {})
        waiting: Any = SimpleNamespace(settle=lambda _: None)
        connection._waiting[request_id] = waiting
        connection.filter_received(SessionMessage(message))
        return connection.take_flaws()

    assert anyio.run(listen) == flaws


FLAWED = """
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        result = {"protocolVersion": "2025-11-25", "serverInfo": {"name": "a", "version": "1"}}
        result["capabilities"] = {"tools": NAMED}
    elif "id" not in message:
        if NAMED is True:
            error = {"code": -32601, "message": "no such method"}
            print(json.dumps({"jsonrpc": "2.0", "id": None, "error": error}), flush=True)
        continue
    else:
        result = {"tools": []}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


@pytest.mark.parametrize(
    ("capability", "flaws"),
    [
        ("{}", []),
        (
            "True",
            [
                "an error without an ID, although every message was readable",
                "initialize: True is not of type 'object'",
            ],
        ),
    ],
)
def test_flaws_of_the_handshake(capability: str, flaws: list[str]) -> None:
    command = (sys.executable, "-c", FLAWED.replace("NAMED", capability))
    with early_start.open_log() as log, Session(Stdio(command, command), "2025-11-25", log) as it:
        assert it.ask(LIST, 15).is_success
        assert sorted(it.flaws()) == flaws
