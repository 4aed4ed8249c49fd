"""Messages about missing arguments, wrong arguments and unwritable paths."""

from __future__ import annotations

import errno
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcpgen_runtime.tls import CertificatesError
from projects import call, run

from mcpgen.servers.endpoint import Http
from mcpgen.servers.endpoint.redaction import Secrets
from mcpgen.servers.recording.diagnose import explain
from mcpgen.servers.recording.raw_responses import ErrorAnswer
from mcpgen.servers.recording.wire.transcript import Transcript

DUMP = json.dumps({"tools": [{"name": "a", "inputSchema": {"type": "object"}}]})


@pytest.mark.parametrize("command", ["client", "record", "server"])
@pytest.mark.parametrize("args", [[], ["--"]])
def test_command_without_server_suggests_the_demo(
    tmp_path: Path, command: str, args: list[str]
) -> None:
    completed = call(tmp_path, command, *args)
    assert completed.returncode == 2
    assert completed.stderr.endswith(f"hint: try: mcpgen {command} demo\n")


@pytest.mark.parametrize(
    ("args", "problem", "hint"),
    [
        (["diff", "nofile.json"], "there is no such file", "at   nofile.json"),
        (["diff", "folder/nofile"], "there is no such file", "at   folder/nofile"),
        (["diff", "dum.json"], "there is no such file", "did you mean dump.json?"),
        (["diff", "nofile"], "there is no server named 'nofile'", "a file needs its folder"),
        (["diff", "demo"], "there is no second contract to compare with", "give a second contract"),
        (["client", "example.org/mcp"], "there is no such file", "https://example.org/mcp?"),
        (["client", "example.org:8443/mcp"], "there is no such file", "https://example.org:8443"),
        (["mock", "-"], "stdin is for the client's messages", "--http 8000"),
        (["mock", "nofile.json"], "the file cannot be read: No such file", "record one with"),
    ],
)
def test_missing_file_or_server_is_named(
    tmp_path: Path, args: list[str], problem: str, hint: str
) -> None:
    (tmp_path / "dump.json").write_text(DUMP)
    completed = call(tmp_path, *args)
    assert completed.returncode == 2
    assert completed.stderr.startswith(f"error: {problem}")
    assert hint in completed.stderr


@pytest.mark.slow
@pytest.mark.parametrize("text", [DUMP, "tools:\n  a: {inputSchema: {type: object}}\n"])
def test_dash_reads_stdin(tmp_path: Path, text: str) -> None:
    (tmp_path / "dump.json").write_text(DUMP)
    assert json.loads(run(tmp_path, "record", "-", stdin=text).stdout)["tools"]["a"]
    completed = run(tmp_path, "client", "-", "--name", "made", stdin=text)
    assert completed.stderr == "made: MadeClient with 1 tool\n"
    assert "stdin -> dump.json" in run(tmp_path, "diff", "-", "dump.json", stdin=text).stdout
    assert run(tmp_path, "client", "-", stdin="{").stderr.startswith("error: not JSON")


def test_unwritable_folder_is_named_relative_to_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dump.json").write_text(DUMP)

    def refuse(*, dir: Path, prefix: str, **_: Any) -> str:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(dir / f"{prefix}x1"))

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    completed = call(tmp_path, "client", "dump.json", "-o", "out")
    assert completed.stderr.splitlines() == [
        "error: cannot write the files: Permission denied",
        f"  at   {Path('out')}",
    ]


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        (httpx2.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] self-signed"), "SSL_CERT_FILE"),
        (httpx2.ConnectError("[SSL: WRONG_VERSION_NUMBER]"), "the same address with http://"),
        (CertificatesError("can't use the file in SSL_CERT_FILE"), "set it to a file"),
        (httpx2.ProxyError("502"), "HTTPS_PROXY"),
        (httpx2.RemoteProtocolError("illegal status line"), ""),
    ],
)
def test_connection_error_suggests_a_cause(error: Exception, hint: str) -> None:
    mcpgen_error = explain(
        error, Http("https://h.org/mcp", "https://h.org/mcp"), Transcript(), Secrets()
    )
    assert hint in mcpgen_error.hint
    assert bool(hint) == bool(mcpgen_error.hint)


def test_truncated_message_contains_no_part_of_a_secret() -> None:
    canary = "canary-0123456789"
    target = Http("https://h.org/mcp", "https://h.org/mcp")
    for before in range(130, 170):
        error = ErrorAnswer(-32000, f"{'x' * before} {canary} {'y' * 200}")
        mcpgen_error = explain(error, target, Transcript(), Secrets({canary: "${TOKEN}"}))
        assert "canary" not in str(mcpgen_error), before
