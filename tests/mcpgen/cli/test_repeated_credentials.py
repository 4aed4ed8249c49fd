"""A credential that a server repeats never reaches output or files, however it was given."""

from __future__ import annotations

import base64
import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import repeating_server
from mcpgen_runtime.auth.store import Store, StoredLogin
from repeating_server import PARTS, TOKEN, forms

from mcpgen import cli

SERVER = ["--", sys.executable, repeating_server.__file__]
QUOTED = quote(TOKEN, safe="")
SPELLINGS = [*forms(TOKEN).values(), *PARTS]
BASIC = base64.b64encode(f"me:{TOKEN}".encode()).decode()
ENTRIES: dict[str, Any] = {
    "with_env": {"command": sys.executable, "args": SERVER[2:], "env": {"API_KEY": TOKEN}},
    "with_flag": {"command": sys.executable, "args": [*SERVER[2:], "--key", TOKEN]},
    "with_header": {"url": "URL", "headers": {"X-Key": TOKEN}},
    "with_variable": {"url": "URL", "headers": {"Authorization": "Bearer ${TOKEN_OF_TEST}"}},
}

WAYS: dict[str, list[str]] = {
    "bearer": ["--header", f"Authorization: Bearer {TOKEN}", "URL"],
    "own header": ["--header", f"X-Api-Key: {TOKEN}", "URL"],
    "header of a variable": ["--header", "X-Api-Key: ${TOKEN_OF_TEST}", "URL"],
    "cookie": ["--header", f"Cookie: a=b; s={TOKEN}", "URL"],
    "basic": ["--header", f"Authorization: Basic {BASIC}", "URL"],
    "query": [f"URL?key={QUOTED}"],
    "path": [f"URL/{QUOTED}"],
    "user": [f"USER:{QUOTED}@URL"],
    "stored login": ["URL"],
    "variable": ["--env", f"API_KEY={TOKEN}", *SERVER],
    "variable by name": ["--env", "TOKEN_OF_TEST", *SERVER],
    "flag": [*SERVER, "--api-key", TOKEN],
    "flag with a value": [*SERVER, f"--token={TOKEN}"],
    "URL in the command": [*SERVER, f"postgres://u:{QUOTED}@h/db"],
    **{entry: [entry] for entry in ENTRIES},
}
COMMANDS = [
    ["list", "-v"],
    ["list", "--json"],
    ["record", "-o", "-"],
    ["client", "-o", "out", "-v"],
    ["server", "-o", "out", "-v"],
    ["lint", "-f", "sarif"],
    ["lint", "-v"],
    ["docs", "-o", "page.html", "-v"],
    ["observe", "-o", "observed.json", "--yes"],
    ["observe", "-o", "-", "--yes"],
    ["test", "--keep", "kept.json", "-f", "junit", "-o", "report.xml", "--calls", "60"],
    ["call", "plain", "-v"],
    ["call", "plain", "--json"],
    ["call", "failing"],
    ["call", "failing", "--json"],
    ["call", "refusing"],
    ["call", "wrong"],
    ["call", "wrong", "--json"],
    ["call", "named"],
    ["read", f"r:{QUOTED}"],
    ["prompt", "p", "--json"],
]
PROGRAM = "import a\nprint(await a.plain())\nprint(await a.named())\nawait a.failing()"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = repeating_server.serve()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/mcp"
    server.shutdown()
    server.server_close()


@pytest.fixture
def folder(tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOKEN_OF_TEST", TOKEN)
    text = json.dumps({"mcpServers": ENTRIES}).replace("URL", url)
    (tmp_path / ".mcp.json").write_text(text)
    return tmp_path


@pytest.fixture
def stored_login(
    url: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    logins = tmp_path_factory.mktemp("logins")
    monkeypatch.setenv("MCPGEN_LOGINS", str(logins))
    tokens = {"access_token": TOKEN, "token_type": "Bearer"}
    Store(logins).write(StoredLogin(server=url, tokens=tokens, client={"client_id": "x"}))


def arguments(way: str, url: str) -> list[str]:
    user = url.replace("//", f"//me:{QUOTED}@")
    return [
        arg.replace(f"USER:{QUOTED}@URL", user).replace("URL", url) if "URL" in arg else arg
        for arg in WAYS[way]
    ]


def captured_output(args: list[str], capfd: pytest.CaptureFixture[str]) -> str:
    """Return the output of a command, without the command line it repeats."""
    with pytest.raises(SystemExit) as ended:
        cli.main(args)
    assert ended.value.code in (0, 1, 6)
    captured = capfd.readouterr()
    assert "Traceback" not in captured.err
    lines = [line for line in captured.err.splitlines() if not line.startswith("starting: ")]
    return "\n".join([captured.out, *lines])


def check(text: str, folder: Path) -> None:
    """Search the output and all written files for the token."""
    assert [item for item in SPELLINGS if item in text] == []
    for file in folder.rglob("*"):
        if file.is_file() and file.name != ".mcp.json":
            written = file.read_text("utf-8", errors="replace")
            assert [item for item in SPELLINGS if item in written] == [], file


@pytest.mark.sampled(7)
@pytest.mark.usefixtures("stored_login")
@pytest.mark.parametrize("command", [["record", "-v", "-o", "new.json"], ["call", "-v"]], ids=str)
@pytest.mark.parametrize("way", WAYS)
def test_a_credential_given_in_any_way_is_nowhere(
    way: str, command: list[str], url: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = captured_output(_line(command, arguments(way, url), "wrong"), capfd)
    check(text, folder)


@pytest.mark.sampled(4)
@pytest.mark.usefixtures("stored_login")
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("way", ["stored login", "flag"])
def test_no_command_shows_a_credential(
    way: str, command: list[str], url: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = captured_output(_line(command, arguments(way, url)), capfd)
    check(text, folder)


@pytest.mark.usefixtures("stored_login")
@pytest.mark.parametrize("way", ["stored login", "with_env"])
def test_no_script_shows_a_credential(
    way: str, url: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    server = f"a={arguments(way, url)[0]}"
    (folder / "program.py").write_text(PROGRAM)
    command = ["run", "--server", server, "--yes", "--audit", "audit.jsonl", "program.py"]
    text = captured_output(command, capfd)
    assert "redacted" in text
    check(text, folder)


def _line(command: list[str], server: list[str], tool: str = "") -> list[str]:
    """Build a command line, with the tool name after the server but before a server command."""
    args = [*command[1:]] + ([tool] if tool and command[0] == "call" else [])
    names = command[0] in ("call", "read", "prompt")
    at = server.index("--") if "--" in server else len(server)
    if not names:
        return [command[0], *args, *server]
    return [
        command[0],
        *server[:at],
        *sorted(args, key=lambda arg: arg[:1] == "-"),
        *server[at:],
    ]
