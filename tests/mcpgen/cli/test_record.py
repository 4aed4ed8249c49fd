"""`mcpgen record`, end to end: every server failure prints one line and no traceback."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from guards import PATIENCE, until
from paths import ROOT, SUPPORT
from servers.web import Web, running
from stdio_clients import both_ways, way

from mcpgen import cli, jsontext
from mcpgen.contract import document as contract
from mcpgen.jsontext import Json
from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.servers.recording.project_servers import contract_of

__all__ = ["way"]

BARE = (sys.executable, str(SUPPORT / "servers" / "bare.py"))
IN_PROCESS = str(SUPPORT / "servers" / "in_process.py")
FORMAT = json.loads((ROOT / "schema/contract/contract.schema.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Run:
    code: int
    out: str
    err: str

    @property
    def contract(self) -> Any:
        assert self.code == 0, self.err
        document = json.loads(self.out)
        jsonschema.Draft202012Validator(FORMAT).validate(document)
        return document

    def error(self) -> tuple[int, str]:
        """Return the exit code and the single line that describes the error."""
        assert self.out == ""
        assert "Traceback" not in self.err
        assert "ExceptionGroup" not in self.err
        lines = [line for line in self.err.splitlines() if line.startswith("error: ")]
        assert len(lines) == 1, self.err
        return self.code, lines[0].removeprefix("error: ")


Record = Callable[..., Run]


@pytest.fixture
def record(capfd: pytest.CaptureFixture[str]) -> Record:
    def run(*arguments: str) -> Run:
        with pytest.raises(SystemExit) as ended:
            cli.main(["record", *arguments])
        out, err = capfd.readouterr()
        assert isinstance(ended.value.code, int)
        return Run(ended.value.code, out, err)

    return run


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    with running() as web:
        yield web


def stdio(behaviour: str, *arguments: str) -> list[str]:
    return ["--", *BARE, behaviour, *arguments]


def run_command(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


# Failures over stdio

LIMITS = ("0.5", "5", "50")
"""Seconds to wait for what never comes: more, where a busy machine needs them to begin at all."""


@pytest.mark.sampled(8)
@both_ways
@pytest.mark.parametrize(
    ("behaviour", "code", "message"),
    [
        ("exits", 4, "the server exited before it responded"),
        ("junk", 4, "text that isn't JSON-RPC on stdout: 'Welcome to my server!'"),
        ("binary", 4, "text that isn't JSON-RPC on stdout"),
        ("silent", 4, "no response within {} seconds"),
        ("slow", 4, "tools/list was not answered within {} seconds"),
        ("refuses", 5, "the server answered initialize with an error: Method not found"),
        ("ancient", 5, "Unsupported protocol version from the server: 1999-01-01"),
        ("nameless", 5, "the server's response can't be used"),
        ("broken", 5, "the server answered tools/list with an error: Method not found"),
        ("garbled", 5, "the server's response can't be read: it isn't a JSON-RPC response"),
        ("many", 5, "the server's response is too large: tools/list lists more than 10,000 tools"),
        ("long", 5, "the server's response is too large: it sent a message of more than 64 MiB"),
        ("circle", 5, "tools/list never ends: after 2 pages"),
        ("endless", 5, "tools/list never ends: after 1000 pages"),
    ],
)
def test_server_failure_is_one_line(
    record: Record, behaviour: str, code: int, message: str
) -> None:
    is_waited_for = behaviour in ("silent", "slow", "junk", "binary")
    for limit in LIMITS if is_waited_for else LIMITS[-1:]:
        run = record("--timeout", limit, *stdio(behaviour))
        if message.format(limit) in run.error()[1]:
            break
    assert run.error()[0] == code
    assert message.format(limit) in run.error()[1]


@pytest.mark.slow
@both_ways
def test_process_ignoring_signals_is_killed(record: Record) -> None:
    for limit in LIMITS:
        run = record("--timeout", limit, *stdio("stubborn"))
        assert run.error() == (4, f"no response within {limit} seconds")
        messages = [line for line in run.err.splitlines() if line.strip().isdecimal()]
        if messages:
            break
    child = int(messages[0])
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


@pytest.mark.slow
@both_ways
@pytest.mark.parametrize("behaviour", ["forks", "forks_and_stays"])
def test_child_processes_of_a_server_end_with_it(
    record: Record, behaviour: str, tmp_path: Path
) -> None:
    assert record(*stdio(behaviour, str(tmp_path / "pid"))).contract
    child = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


@both_ways
def test_missing_command_is_named(record: Record) -> None:
    run = record("--", "no-such-command-anywhere", "--flag")
    assert run.error() == (4, "the command 'no-such-command-anywhere' was not found")
    assert "hint: check its spelling, or install it" in run.err


@both_ways
def test_non_executable_command_is_rejected(record: Record, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("hello")
    assert record("--", str(tmp_path / "notes")).error()[0] == 4


@pytest.mark.sampled(1)
@both_ways
def test_a_launcher_may_still_be_installing(
    record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "npx").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "npx").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    run = record("--timeout", "0.5", "--", "npx", "-y", "some-server")
    assert run.error()[0] == 4
    assert (
        "hint: npx may still be installing it: run the command on its own; raise the limit"
        in run.err
    )


@both_ways
def test_the_command_is_shown_in_full_before_it_starts(record: Record) -> None:
    run = record(*stdio("exits", "a b", "c"))
    assert run.err.splitlines()[0] == f"starting: {shlex.join([*BARE, 'exits', 'a b', 'c'])}"


@both_ways
@pytest.mark.parametrize(("flags", "is_shown"), [((), False), (("-v",), True)])
def test_the_log_of_a_child_is_shown_on_demand(
    record: Record, flags: tuple[str, ...], is_shown: bool
) -> None:
    run = record(*flags, *stdio("shy"))
    assert run.contract["revision"] == "2025-06-18"
    assert "I do not know that" not in run.err  # the attempt that failed is not spoken of
    noisy = ["--", sys.executable, "-c", f"import sys; print('log', file=sys.stderr); {_SERVE}"]
    assert ("the server's log:\n  log\n" in record(*flags, *noisy).err) == is_shown


_SERVE = f"sys.path.insert(0, {str(SUPPORT)!r}); from servers.bare import serve; serve('plain')"


@both_ways
def test_the_log_of_a_child_is_shown_on_failure(record: Record) -> None:
    run = record(*stdio("exits"))
    assert "the server's log:\n  cannot open the database\n" in run.err


# Failures over HTTP


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("path", "code", "message"),
    [
        ("/401", 3, "the server requires authorization (HTTP 401)"),
        ("/403", 3, "the server requires authorization (HTTP 403)"),
        ("/404", 4, "the server responded with HTTP 404"),
        ("/500", 4, "the server responded with HTTP 500"),
        ("/307", 4, "the server redirects (HTTP 307) to https://example.org/elsewhere"),
        ("/301/sse", 4, "the server redirects (HTTP 301) to https://example.org/elsewhere"),
        ("/html", 4, "the answer to initialize isn't an MCP message: HTTP 200 of type text/html"),
        ("/text", 4, "the answer to initialize isn't an MCP message: it isn't a message"),
        ("/hang", 4, "no response within 0.5 seconds"),
        ("/mcp/refuses", 5, "the server answered initialize with an error: Method not found"),
        ("/401/sse", 3, "the server requires authorization (HTTP 401)"),
        ("/404/sse", 4, "the server responded with HTTP 404"),
        ("/hang/sse", 4, "no response within 0.5 seconds"),
        ("/refused/sse", 3, "the server requires authorization (HTTP 401)"),
    ],
)
def test_http_failure_is_one_line(
    record: Record, web: Web, path: str, code: int, message: str
) -> None:
    run = record("--timeout", "0.5" if "hang" in path else "50", web.url + path)
    assert run.error()[0] == code
    assert run.error()[1].startswith(message)


def test_rejection_names_the_required_scheme(record: Record, web: Web) -> None:
    assert "--header 'Authorization: Basic ${TOKEN}'" in record(f"{web.url}/401").err


@pytest.mark.parametrize(
    ("path", "message", "hint"),
    [
        ("/404", "the server responded with HTTP 404", "check the path"),
        ("/500", "the server responded with HTTP 500", "the fault is on the server's side"),
        ("/500/long", "HTTP 500: the database is away the database", "on the server's side"),
        ("/429", "the server responded with HTTP 429", "try again in 7 seconds"),
        ("/400/tls", "HTTP 400: Client sent an HTTP request to", "give the address as https"),
        ("/403/html", "(HTTP 403): Ask Ada first.", ", or pass credentials"),
        ("/403/json", "(HTTP 403): no, \\x1b[2J you ()", "run: mcpgen login http"),
        ("/401/oauth", "(HTTP 401): it has expired", "described at https://example.org/.well-known/"),
    ],
)  # fmt: skip
def test_server_message_is_shown_with_a_hint(
    record: Record, web: Web, path: str, message: str, hint: str
) -> None:
    run = record(web.url + path)
    assert message in run.error()[1]
    assert len(run.error()[1]) < 280
    assert hint in run.err.partition("hint: ")[2]
    assert "canary" not in record(web.url + "/307").err


def test_wrong_and_missing_token_get_different_messages(record: Record, web: Web) -> None:
    token = ["--header", "Authorization: Bearer Canary5b1fZz"]
    assert record(f"{web.url}/401").error()[1].startswith("the server requires authorization")
    run = record(*token, f"{web.url}/401")
    assert run.error() == (3, "the server rejects the given credentials (HTTP 401)")
    run = record(*token, f"{web.url}/403/json")
    assert "they may be valid but insufficient" in run.err
    assert "you (${Authorization})" in run.err
    assert "Canary" not in run.err


@pytest.mark.parametrize(
    ("answer", "scheme", "hint"),
    [
        (b"\x15\x03\x01\x00\x02\x02\x46", "http", "try the same address with https://"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "https", "try the same address with http://"),
    ],
)
def test_the_wrong_scheme_for_a_port_is_guessed(
    record: Record, answer: bytes, scheme: str, hint: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(4096)
                    connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        run = record(f"{scheme}://127.0.0.1:{listening.getsockname()[1]}/mcp")
        listening.shutdown(socket.SHUT_RDWR)
    assert run.error()[0] == 4
    assert hint in run.err


def test_a_port_of_this_machine_needs_no_scheme(record: Record, web: Web) -> None:
    result = record(web.url.replace("http://127.0.0.1", "localhost") + "/mcp/plain").contract
    assert result["origin"]["url"] == web.url.replace("127.0.0.1", "localhost") + "/mcp/plain"


@pytest.mark.parametrize("path", ["/mcp", "/sse"])
def test_closed_port_is_reported(record: Record, path: str) -> None:
    with socket.socket() as used:
        used.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{used.getsockname()[1]}{path}"
        assert record(url).error() == (4, "the connection was refused, or the host is unknown")


def test_headers_are_sent_and_only_their_names_kept(
    record: Record, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "canary-8f3c")
    header = "Authorization: Bearer ${MY_TOKEN}"
    result = record("--header", header, f"{web.url}/mcp/plain").contract
    assert web.requests[-1][1]["authorization"] == "Bearer canary-8f3c"
    assert result["origin"]["headers"] == ["Authorization"]
    assert result["origin"]["headerValues"] == {"Authorization": "Bearer ${MY_TOKEN}"}
    assert "canary" not in json.dumps(result)


@pytest.mark.parametrize("url", ["http://", "http://[canary/mcp", "https://h:canary/", "http:///x"])
def test_invalid_url_is_rejected(record: Record, url: str) -> None:
    run = record(url)
    assert run.error() == (2, "the address isn't an http(s) URL")
    assert "canary" not in run.err


def test_invalid_header_is_not_repeated(record: Record, web: Web) -> None:
    run = record("--header", "X-Key: canary\u20ac", web.url)
    assert run.error() == (2, "the value has characters that a header cannot")
    assert "canary" not in run.err


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "1e12", "soon"])
def test_a_timeout_is_a_number_of_seconds(record: Record, seconds: str) -> None:
    run = record("--timeout", seconds, "demo")
    assert run.code == 2
    assert "--timeout" in run.err


# Recorded contracts


@both_ways
@pytest.mark.parametrize(
    ("pointer", "path"),
    [
        ("stdio", ""),
        ("http", "/mcp/all"),
        ("http", "/events/all"),
        ("http", "/moved/all"),
        ("sse", "/sse"),
    ],
)
def test_all_lists_are_recorded_over_every_transport(
    record: Record, web: Web, pointer: str, path: str
) -> None:
    result = record(*([web.url + path] if path else stdio("all"))).contract
    assert sorted(result["tools"]) == ["alerts", "forecast"]
    assert list(result["prompts"]) == ["ask"]
    assert list(result["resources"]) == ["a://b"]
    assert result["origin"]["transport"] == pointer


@both_ways
def test_unknown_properties_are_preserved(record: Record) -> None:
    result = record(*stdio("all")).contract
    assert result["tools"]["forecast"]["definition"]["x-vendor"] == {"kept": [1, 2.5, None]}
    assert result["prompts"]["ask"]["x-vendor"] == 1
    assert result["server"]["x-vendor"] is True


@both_ways
@pytest.mark.parametrize(
    ("behaviour", "era", "revision"),
    [
        ("modern", "auto", "2026-07-28"),
        ("modern", "modern", "2026-07-28"),
        ("plain", "auto", "2025-06-18"),
        ("plain", "legacy", "2025-06-18"),
        ("oldest", "auto", "2024-11-05"),
        ("shy", "auto", "2025-06-18"),
    ],
)
def test_both_eras_are_spoken(record: Record, behaviour: str, era: str, revision: str) -> None:
    result = record("--era", era, *stdio(behaviour)).contract
    assert result["revision"] == revision
    assert result["server"]["name"] == "bare"
    assert result["instructions"] == "Ask for the weather."
    assert result["clientCapabilities"] == {"elicitation": {"form": {}, "url": {}}}


@both_ways
def test_unsupported_era_is_reported(record: Record) -> None:
    modern = record("--era", "modern", *stdio("plain")).error()
    assert modern == (5, "the server speaks only an older revision: 2025-06-18")
    assert record("--era", "legacy", *stdio("modern")).error()[0] == 5


@both_ways
def test_all_pages_are_fetched_including_an_empty_cursor(record: Record) -> None:
    result = record(*stdio("paged")).contract
    assert sorted(result["tools"]) == ["alerts", "forecast", "tides"]


@both_ways
def test_invalid_tool_does_not_affect_others(record: Record) -> None:
    run = record("-v", *stdio("odd"))
    assert run.contract["tools"]["forecast"]["definition"]["x-vendor"]
    assert len(run.contract["tools"]) == 9
    for pointer, reason in {
        "no_schema/inputSchema": "no inputSchema",
        "null_schema/inputSchema": "no inputSchema",
        "no_root_type/inputSchema": '"type": "object" at its root',
        "not_a_schema/inputSchema/properties/a/type": "not a valid schema",
        "array_output/outputSchema/type": "violates the protocol",
        "number_description/description": "expected a string",
        "bad_default/inputSchema/properties/n/default": "the default is not valid",
        "far_ref/inputSchema/$ref": "leaves the document",
        "forecast": "listed twice",
        "10": "no string 'name'",
        "11": "no string 'name'",
    }.items():
        lines = [line for line in run.err.splitlines() if f"/tools/{pointer}: " in line]
        assert len(lines) == 1, (pointer, run.err)
        assert reason in lines[0]


@both_ways
def test_server_printing_a_banner_is_recorded_with_a_notice(record: Record) -> None:
    run = record(*stdio("banner"))
    assert sorted(run.contract["tools"]) == ["alerts", "forecast"]
    assert "notice: /server: the server prints text that isn't JSON-RPC" in run.err


@both_ways
@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ("empty", "/capabilities: the server declares neither tools"),
        ("sloppy", "/server: the answer to initialize breaks the protocol"),
        ("failing", "/prompts: the server failed to answer prompts/list: the database is away"),
        ("no_list", "/tools: the answer to tools/list breaks the protocol"),
    ],
)
def test_oddity_is_reported_as_a_notice(record: Record, behaviour: str, message: str) -> None:
    run = record(*stdio(behaviour))
    assert f"notice: {message}" in run.err
    assert run.contract["tools"] or behaviour in ("empty", "no_list")


@both_ways
@pytest.mark.parametrize("path", ["", "/mcp/unheld", "/events/unheld"])
def test_unreadable_json_affects_only_its_tool(record: Record, web: Web, path: str) -> None:
    run = record("-v", *([web.url + path] if path else stdio("unheld")))
    assert set(run.contract["tools"]) == {"forecast", "nested"}
    for name in ("deep", "digits", "no_number"):
        assert f"/tools/{name}" in run.err, run.err


@both_ways
def test_strict_makes_notices_errors(record: Record, tmp_path: Path) -> None:
    run = record("--strict", "-o", str(tmp_path / "c.json"), *stdio("banner"))
    assert run.error() == (1, "1 notice, and --strict was given")
    assert "/server" in run.err
    assert not (tmp_path / "c.json").exists()
    assert record("--strict", *stdio("plain")).code == 0


@both_ways
def test_many_notices_are_counted(record: Record) -> None:
    run = record(*stdio("odd"))
    notices = [line for line in run.err.splitlines() if line.startswith("notice: ")]
    assert len(notices) < 9
    assert "notice: no input schema: 2 in 2 tools, e.g. /tools/no_schema/inputSchema: " in run.err
    assert run.err.splitlines()[-1] == "show each of them with -v"
    assert "notice" not in record("-q", *stdio("odd")).err


# Secrets

CANARY = "Canary-5b1f-Zz"


@both_ways
@pytest.mark.parametrize("behaviour", ["telltale", "leaks"])
@pytest.mark.parametrize("flags", [(), ("-v",)])
def test_a_secret_is_nowhere_in_the_output(
    record: Record, behaviour: str, flags: tuple[str, ...], tmp_path: Path
) -> None:
    config = {
        "command": sys.executable,
        "args": [BARE[1], behaviour, "--token", "${TOKEN_A}", "--url=${TOKEN_A}"],
        "env": {"TOKEN_B": "${TOKEN_A}", "TOKEN_C": f"{CANARY}-written"},
    }
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"it": config}}))
    args = ["--env", f"TOKEN_A={CANARY}-a", "--env", f"TOKEN_D={CANARY}-d"]
    run = record(*flags, *args, f"{file}:it")
    assert run.code == (0 if behaviour == "telltale" else 4)
    assert "TOKEN_A" in run.out + run.err
    assert CANARY not in run.out + run.err


@both_ways
@pytest.mark.parametrize("behaviour", ["telltale", "leaks"])
def test_a_secret_argument_is_shown_in_the_command_alone(record: Record, behaviour: str) -> None:
    run = record("-v", *stdio(behaviour, "--token", CANARY, f"--url=https://u:{CANARY}@h/"))
    started, _, rest = run.err.partition("\n")
    assert CANARY in started
    assert CANARY not in run.out + rest


@both_ways
def test_a_notice_quotes_no_part_of_a_secret(record: Record) -> None:
    rest = record(*stdio("chatty", CANARY * 9)).err.partition("\n")[2]
    assert "no string 'name'" in rest
    assert CANARY[:6] not in rest


@both_ways
def test_secret_expanded_by_the_shell_is_shown_by_name(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", CANARY)
    run = record(*stdio("leaks", f"--token={CANARY}"))
    assert "--token=$SERVICE_TOKEN" in run.err.splitlines()[0]
    assert CANARY not in run.err


@pytest.mark.parametrize("path", ["/mcp/plain", "/401", "/404", "/html", "/sse", "/401/sse"])
def test_secret_in_a_url_is_never_printed(record: Record, web: Web, path: str) -> None:
    url = web.url.replace("//", f"//user:{CANARY}@") + f"{path}?key={CANARY}"
    run = record("-v", "--header", f"X-Key: {CANARY}-x", url)
    assert CANARY not in run.out + run.err


def test_possibly_secret_url_path_is_omitted(record: Record, web: Web) -> None:
    run = record(f"{web.url}/mcp/plain/{CANARY}0123456789")
    assert run.contract["origin"]["url"] == f"{web.url}/mcp/plain/${{BARE_URL_PART}}"
    assert CANARY not in run.out + run.err


# Configuration files


@both_ways
def test_an_entry_of_a_configuration_is_recorded_by_name(
    record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = {"command": "${PYTHON}", "args": ["${SCRIPT:-nothing.py}", "${HOW:-plain}"]}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"weather": entry}}))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHON", sys.executable)
    monkeypatch.setenv("SCRIPT", BARE[1])
    run = record("weather")
    assert sorted(run.contract["tools"]) == ["alerts", "forecast"]
    assert (
        run.err.splitlines()[0] == "starting: '${PYTHON}' '${SCRIPT:-nothing.py}' '${HOW:-plain}'"
    )
    assert str(tmp_path) not in run.out


def test_unset_variable_is_named_with_its_file(
    record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = {"command": "python", "args": ["${NOT_SET_ANYWHERE}"]}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"weather": entry}}))
    monkeypatch.chdir(tmp_path)
    run = record("weather")
    assert run.error() == (2, "the variable NOT_SET_ANYWHERE is not set")
    assert ".mcp.json#/mcpServers/weather/args" in run.err


# Servers of this process


@pytest.mark.parametrize(("name", "tool"), [("", "add"), (":mcp", "add"), (":low", "low_tool")])
def test_a_server_object_is_asked_in_this_process(
    record: Record, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, tool: str
) -> None:
    monkeypatch.chdir(tmp_path)
    run = record("--env", "GREETING=from-the-option", IN_PROCESS + name)
    assert list(run.contract["tools"]) == [tool]
    assert run.contract["origin"]["target"] == f"in_process.py{name or ':mcp'}"
    assert "GREETING" not in os.environ


def test_a_fastmcp_server_is_asked_in_this_process(record: Record, tmp_path: Path) -> None:
    pytest.importorskip("fastmcp")
    (tmp_path / "fast.py").write_text(
        "from fastmcp import FastMCP\n"
        "server = FastMCP('fast')\n"
        "@server.tool\n"
        "def double(n: int) -> list[int]:\n"
        "    return [n, n]\n"
        "@server.resource('notes://{name}')\n"
        "def note(name: str) -> str:\n"
        "    return name\n"
    )
    result = record(str(tmp_path / "fast.py")).contract
    assert result["tools"]["double"]["definition"]["outputSchema"]["x-fastmcp-wrap-result"] is True
    assert list(result["resourceTemplates"]) == ["notes://{name}"]


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        (":nothing", 2, "'nothing' isn't an MCP server but int"),
        (":lwo", 2, "there is no MCP server named 'lwo' here"),
        (":stuck", 4, "tools/list was not answered within {} seconds"),
        (":leaving", 4, "the server ended with SystemExit"),
    ],
)
def test_failing_server_object_is_one_line(
    record: Record, name: str, code: int, message: str
) -> None:
    for limit in LIMITS if name == ":stuck" else LIMITS[-1:]:
        error = record("--timeout", limit, IN_PROCESS + name).error()
        if error == (code, message.format(limit)):
            break
    assert error == (code, message.format(limit))


@pytest.mark.parametrize(
    ("source", "code", "message"),
    [
        ("import no_such_module", 4, "the server needs 'no_such_module'"),
        ("1 / 0", 4, "importing the server failed: ZeroDivisionError: division by zero"),
        ("raise SystemExit(0)", 4, "importing the server failed: SystemExit: 0"),
        ("x = 1", 2, "there is no MCP server named 'mcp', 'server', 'app' here"),
    ],
)
def test_failing_import_is_one_line(
    record: Record, tmp_path: Path, source: str, code: int, message: str
) -> None:
    (tmp_path / "broken_server.py").write_text(source)
    assert record(str(tmp_path / "broken_server.py")).error() == (code, message)


def test_endless_import_is_terminated(tmp_path: Path) -> None:
    (tmp_path / "sleeper.py").write_text("import time\nwhile True:\n    time.sleep(9)\n")
    command = [sys.executable, "-m", "mcpgen", "record", "--timeout", "0.2", "./sleeper.py"]
    run = run_command(command, tmp_path)
    assert run.returncode == 4
    assert run.stderr.startswith("error: no response within 0.2 seconds\n  at   sleeper.py\n")


# Files


@both_ways
def test_contract_is_written_and_unchanged_if_equal(record: Record, tmp_path: Path) -> None:
    file = tmp_path / "new" / "contract.json"
    first = record("-o", str(file), *stdio("all"))
    written = file.read_bytes(), file.stat().st_mtime_ns
    summary = "contract.json: 2 tools, 1 prompt, 1 resource (revision 2025-06-18)"
    assert first.err.splitlines()[-1].endswith(summary)
    again = record("-o", str(file), *stdio("all"))
    assert again.err.splitlines()[-1].endswith(", unchanged")
    assert (file.read_bytes(), file.stat().st_mtime_ns) == written
    assert [path.name for path in file.parent.iterdir()] == ["contract.json"]
    assert record(str(file)).out == file.read_text(encoding="utf-8")


def test_a_folder_is_not_written_over(record: Record, tmp_path: Path) -> None:
    assert record("-o", str(tmp_path), "demo").error() == (2, "this is a folder")


def test_a_server_and_its_contract_give_the_same_order(tmp_path: Path) -> None:
    dump = tmp_path / "dump.json"
    schema = {"type": "object", "properties": {"b": {}, "a": {}}}
    dump.write_text(json.dumps({"tools": [{"name": "t", "inputSchema": schema}]}))
    recorded_contract = contract_of(ServerArguments(server=str(dump)), print).contract
    assert list(recorded_contract.tools["t"]["inputSchema"]["properties"]) == ["a", "b"]
    assert recorded_contract == contract.read(json.loads(recorded_contract.text()))


@pytest.mark.parametrize("text", ["", "{", '{"name": "package"}', "[]"])
def test_other_file_is_not_overwritten(record: Record, tmp_path: Path, text: str) -> None:
    (tmp_path / "package.json").write_text(text)
    run = record("-o", str(tmp_path / "package.json"), *stdio("plain"))
    assert run.error() == (2, "the file isn't a contract and would be overwritten")
    assert (tmp_path / "package.json").read_text() == text


def test_recording_anew_keeps_the_names_of_tools(record: Record, tmp_path: Path) -> None:
    file, dump = tmp_path / "contract.json", tmp_path / "dump.json"
    tools = [{"name": "get-user", "inputSchema": {"type": "object"}}]
    dump.write_text(json.dumps({"tools": tools}))
    assert record("-o", str(file), str(dump)).code == 0
    tools.append({"name": "get_user", "inputSchema": {"type": "object"}})
    dump.write_text(json.dumps({"tools": tools}))
    assert record("-o", str(file), str(dump)).code == 0
    assert json.loads(file.read_text())["names"] == {"get-user": "get_user"}


def test_recording_anew_keeps_the_names_of_shared_classes(record: Record, tmp_path: Path) -> None:
    file, dump = tmp_path / "contract.json", tmp_path / "dump.json"

    def tool(name: str, member: str) -> Json:
        item = {"type": "object", "properties": {member: {"type": "string"}}}
        output: Json = {"type": "object", "properties": {"i": {"$ref": "#/$defs/Item"}}}
        output["$defs"] = {"Item": item}
        return {"name": name, "inputSchema": {"type": "object"}, "outputSchema": output}

    tools = [tool("get", "a")]
    dump.write_text(json.dumps({"tools": tools}))
    assert record("-o", str(file), str(dump)).code == 0
    assert "classes" not in json.loads(file.read_text())
    tools.append(tool("list", "b"))
    dump.write_text(json.dumps({"tools": tools}))
    for _ in range(2):
        assert record("-o", str(file), str(dump)).code == 0
        pins = json.loads(file.read_text())["classes"]
        assert pins == {"Item": "/tools/get/outputSchema/$defs/Item"}


def test_a_duplicate_in_a_dump_is_noticed(record: Record, tmp_path: Path) -> None:
    tool = {"name": "a/b", "inputSchema": {"type": "object"}}
    (tmp_path / "dump.json").write_text(json.dumps({"result": {"tools": [tool, tool]}}))
    run = record(str(tmp_path / "dump.json"))
    listed, named = run.err.splitlines()
    assert listed == "notice: /tools/a~1b: listed twice; the first one is kept"
    assert named.startswith("notice: /tools/a~1b: a tool's name should have 1 to 128 of")


def test_reading_a_file_needs_no_sdk(tmp_path: Path) -> None:
    (tmp_path / "dump.json").write_text('{"tools": []}')
    code = (
        "import sys, mcpgen.cli\n"
        "try: mcpgen.cli.main(['record', '-q', './dump.json'])\n"
        "finally: print([n for n in ('mcp', 'pydantic', 'black') if n in sys.modules])"
    )
    run = run_command([sys.executable, "-c", code], tmp_path)
    assert run.stdout.splitlines()[-1] == "[]", run.stderr


def test_a_name_cannot_act_on_the_terminal(record: Record, tmp_path: Path) -> None:
    name = "evil\x1b[2J\nerror: all is lost"
    (tmp_path / "dump.json").write_text(json.dumps({"tools": [{"name": name}]}))
    run = record(str(tmp_path / "dump.json"))
    assert "\x1b" not in run.err
    assert not any(line.startswith("error") for line in run.err.splitlines())


def test_the_format_is_a_valid_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(FORMAT)


@pytest.mark.parametrize("case", sorted(p.parent.name for p in ROOT.glob("golden/*/contract.json")))
def test_every_golden_contract_satisfies_the_format(case: str) -> None:
    try:
        recorded_contract = contract.read(
            jsontext.loads((ROOT / "golden" / case / "contract.json").read_bytes())
        )
    except contract.ContractError:
        assert case.startswith("refused")
        return
    document = json.loads(recorded_contract.text())
    jsonschema.Draft202012Validator(FORMAT).validate(document)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["npx", "-y", "some-server"], "a command goes after --: mcpgen record -- npx ..."),
        (["python", "server", "--token", "canary"], "mcpgen record -- python ..."),
        (["--"], "try: mcpgen record demo"),
    ],
)
def test_a_command_without_its_dashes_is_helped(
    record: Record, monkeypatch: pytest.MonkeyPatch, arguments: list[str], hint: str
) -> None:
    monkeypatch.setattr("shutil.which", {"npx": "npx", "python": "python"}.get)
    run = record(*arguments)
    assert run.code == 2
    assert hint in run.err


@both_ways
def test_an_interruption_ends_the_child_too(way: str, tmp_path: Path) -> None:
    switch = (
        "from mcpgen.servers.recording import server_process; "
        f"server_process.IS_USED = {way == 'ours'}"
    )
    program = f"{switch}; from mcpgen.cli import main; main()"
    command = [sys.executable, "-c", program, "record", *stdio("tells", str(tmp_path / "pid"))]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as run:
        until((tmp_path / "pid").exists)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == 130
    assert err.splitlines()[-1] == "interrupted"
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
