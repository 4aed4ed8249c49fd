"""Stdio servers recorded without the SDK: the same contract, and nothing left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from guards import PATIENCE
from listed_servers import Heard
from paths import SUPPORT
from stdio_clients import way

from mcpgen.errors import McpgenError
from mcpgen.servers.recording.project_servers import contract_of
from mcpgen.servers.recording.request import ServerArguments
from mcpgen.servers.recording.wire import server_process

__all__ = ["way"]


BARE = (sys.executable, str(SUPPORT / "servers" / "bare.py"))


BEHAVIOURS = """
    all banner chatty empty failing modern no_list odd oldest paged plain shy sloppy unheld
"""


@pytest.mark.parametrize("behaviour", BEHAVIOURS.split())
def test_contract_has_the_bytes_of_the_sdk_path(
    behaviour: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ServerArguments(command=(*BARE, behaviour, "some"))
    contracts_ = []
    for is_used in (True, False):
        monkeypatch.setattr(server_process, "IS_USED", is_used)
        contracts_.append(contract_of(arguments, str))
    ours, theirs = contracts_
    assert ours.contract.text() == theirs.contract.text()
    assert ours.notices == theirs.notices


ASKED = """
    asked = ["ping", "roots/list", "sampling/createMessage", "elicitation/create", "nobody/knows"]
    given = {"sampling/createMessage": {"messages": [], "maxTokens": 1}, "elicitation/create":
             {"message": "m", "requestedSchema": {"type": "object", "properties": {}}}}
    if method == WHEN:
        say(method="notifications/message", params={"level": "info", "data": "x"})
        for at, name in enumerate(asked):
            say(id=f"s{at}", method=name, params=given.get(name, {}))


    if method == "server/discover": refuse(number)
    if method == "initialize": say(id=number, result={**greeting, "protocolVersion": REVISION})
    if method == "tools/list": waiting = number
    count += method is None
    if waiting and count == len(asked):
        say(id=waiting, result={"tools": []})
        waiting = None
"""


@pytest.mark.parametrize(
    ("when", "revision"),
    [("initialize", "2025-11-25"), ("tools/list", "2025-11-25"), ("tools/list", "2025-03-26")],
)
def test_server_requests_get_the_sdks_responses(
    ask_program: Heard, monkeypatch: pytest.MonkeyPatch, when: str, revision: str
) -> None:
    program = ASKED.replace("WHEN", repr(when)).replace("REVISION", repr(revision))
    answers = []
    for is_used in (True, False):
        monkeypatch.setattr(server_process, "IS_USED", is_used)
        result, notifications = ask_program(program)
        assert result == revision
        answers.append({item["id"]: item for item in notifications if "method" not in item})
    assert answers[0] == answers[1]
    assert len(answers[0]) == 5


@pytest.mark.slow
def test_asking_a_command_needs_no_sdk(tmp_path: Path) -> None:
    code = (
        "import sys, mcpgen.cli\n"
        f"try: mcpgen.cli.main(['client', '-q', '--', *{[*BARE, 'all']!r}])\n"
        "finally: print([n for n in ('mcp', 'anyio', 'asyncio', 'httpx2') if n in sys.modules])"
    )
    completed = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=True,
    )  # fmt: skip
    assert completed.stdout.splitlines()[-1] == "[]", completed.stderr
    assert (tmp_path / "bare" / "client.py").exists()


SLEEPY = f"""
import sys, time
sys.path.insert(0, {str(SUPPORT)!r})
from servers.bare import serve
serve("plain")
time.sleep(60)
"""


def test_server_is_not_awaited_after_its_responses(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SLEEPY)
    contract_of(ServerArguments(command=(sys.executable, str(tmp_path / "server.py"))), str)
    (remaining,) = server_process._STARTED
    assert remaining.process.poll() is None
    server_process.end_all()
    assert remaining.process.returncode is not None
    assert server_process._STARTED == []


def test_the_next_server_ends_the_one_before(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SLEEPY)
    arguments = ServerArguments(command=(sys.executable, str(tmp_path / "server.py")))
    contract_of(arguments, str)
    (first,) = server_process._STARTED
    contract_of(arguments, str)
    assert first.process.returncode is not None
    server_process.end_all()


def test_a_fork_ends_no_server_of_its_parent(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SLEEPY)
    contract_of(ServerArguments(command=(sys.executable, str(tmp_path / "server.py"))), str)
    (remaining,) = server_process._STARTED
    if (fork := os.fork()) == 0:
        server_process.end_all()
        os._exit(0)
    os.waitpid(fork, 0)
    assert remaining.process.poll() is None
    server_process.end_all()


def test_remaining_process_ends_with_ours(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(
        f"import os\nprint(os.getpid(), file=open('pid', 'w'))\n{SLEEPY}"
    )
    code = (
        "from mcpgen.servers.recording.project_servers import contract_of\n"
        "from mcpgen.servers.recording.request import ServerArguments\n"
        f"contract_of(ServerArguments(command=({sys.executable!r}, 'server.py')), str)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, timeout=PATIENCE)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


@pytest.mark.slow
def test_server_no_longer_reading_loses_only_the_response() -> None:
    error = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no"}}
    script = (
        "import os, sys, time\n"
        "sys.stdin.readline()\n"
        "os.close(0)\n"
        f"print({json.dumps(error)!r}, flush=True)\n"
        "time.sleep(60)"
    )
    arguments = ServerArguments(command=(sys.executable, "-c", script), timeout=PATIENCE)
    with pytest.raises(McpgenError, match="the server exited before it responded"):
        contract_of(arguments, str)
    assert server_process._STARTED == []


@pytest.mark.slow
def test_flooding_server_does_not_block_writing() -> None:
    script = (
        'import sys\nline = \'{"jsonrpc":"2.0","id":1,"method":"ping"}\\n\' * 1000\n'
        "while True: sys.stdout.write(line)"
    )
    arguments = ServerArguments(command=(sys.executable, "-c", script), timeout=2)
    with pytest.raises(McpgenError):
        contract_of(arguments, str)
    assert server_process._STARTED == []
