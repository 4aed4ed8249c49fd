"""Recordings of errors and of several processes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError
from mcpgen_runtime import Record, Replay, errors, problem
from mcpgen_runtime.replay import answers as runtime_answers
from replayed_calls import SHOP, lines, record, replay
from runtime.packages import folder, import_client
from runtime.scripted import Scripted, text_result


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (MCPError(-32602, "No such thing", {"x": 1}), "ProtocolError"),
        (text_result("too busy", is_error=True), "ToolError"),
    ],
)
def test_error_is_replayed_as_the_same_error(path: Path, error: Any, kind: str) -> None:
    with pytest.raises(getattr(errors, kind)) as before:
        record(path, lambda client: client.count(), Scripted(count=error))
    with pytest.raises(getattr(errors, kind)) as after:
        replay(path, lambda client: client.count())
    assert str(after.value) == str(before.value)


ALL_ERRORS = [
    errors.ProtocolError("count", -32000, "No", {"a": [1]}),
    errors.HttpError("count", 503, 2.0, "", "busy", "Service Unavailable"),
    errors.ConnectionLost("it ended", "", may_have_run=False),
    errors.TaskCancelled("count", "t1", "enough"),
    errors.InvalidResult("count", [problem.Problem("/a", "no")]),
    errors.CallTimeout("count", 60.0),
]


@pytest.mark.parametrize("error", ALL_ERRORS, ids=lambda error: type(error).__name__)
def test_every_response_error_round_trips(path: Path, error: Any) -> None:
    path.parent.mkdir()
    stored = json.loads(json.dumps(runtime_answers.error_json(error)))
    path.write_text(json.dumps({"kind": "tool", "name": "count", "error": stored}))
    with pytest.raises(type(error)) as caught:
        replay(path, lambda client: client.count())
    assert caught.value.__reduce__()[1] == error.__reduce__()[1]


def test_failed_connection_keeps_its_http_error() -> None:
    http = errors.HttpError("here", 401)
    error = errors.AuthorizationRequired("here", "no", "", http, "read")
    again = runtime_answers.error_of(runtime_answers.error_json(error), "count", "here", 1.0)
    assert (type(again), again.http.status, again.scope) == (type(error), 401, "read")


def test_locally_rejected_call_is_not_recorded(path: Path) -> None:
    with pytest.raises(SHOP.InvalidArguments):
        record(path, lambda client: client.label(code="abc"))
    assert lines(path) == []


def test_unknown_error_type_is_reported_with_its_line(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('\n{"kind": "tool", "name": "count", "error": {"type": "Odd"}}\n')
    with pytest.raises(SHOP.InvalidRecording, match=r"calls\.jsonl:2: .*'Odd' is unknown"):
        replay(path, lambda client: client.count())


def test_invalid_recording_fails_on_connecting(path: Path) -> None:
    with pytest.raises(SHOP.InvalidRecording, match="no such file; record it: connect"):
        SHOP.Client.connect(replay=path)
    path.parent.mkdir()
    path.write_text("[]\n")
    with pytest.raises(SHOP.InvalidRecording, match=r"calls\.jsonl:1: not an object"):
        SHOP.Client.connect(replay=path)
    with pytest.raises(SHOP.InvalidRecording):
        SHOP.Client.connect(record=path.parent)
    with pytest.raises(TypeError, match="records or replays"):
        SHOP.Client.connect(record=path, replay=path)
    with pytest.raises(ValueError, match="match is"):
        Replay(path, match="name")
    with pytest.raises(TypeError, match="redact must be a list"):
        Record(path, redact="token")


PARALLEL = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from mcp import StdioServerParameters
from {package} import Client

async def main():
    server = StdioServerParameters(command=sys.executable, args=["-m", "mcpgen.demo"])
    async with Client.connect(server, record=sys.argv[2], verify="off") as client:
        await asyncio.gather(*(client.get_item(id=f"B-{{n}}") for n in (1, 2, 2)))

asyncio.run(main())
"""


@pytest.mark.slow
def test_several_processes_record_into_one_file(path: Path) -> None:
    from mcpgen.contract import document
    from mcpgen.jsontext import loads

    golden = Path(__file__).parents[3] / "golden" / "demo" / "contract.json"
    result = import_client(document.read(loads(golden.read_bytes())), "replay_parallel")
    code = PARALLEL.format(package="replay_parallel")
    command = [sys.executable, "-c", code, str(folder()), str(path)]
    running = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]

    async def act(client: Any) -> list[str]:
        return [type(await client.get_item(id="B-2")).__name__ for _ in range(6)]

    assert len(lines(path)) == 9
    assert replay(path, act, result) == ["GetItemOutput"] * 6
