"""The page that receives a login, and pasted URLs."""

from __future__ import annotations

import asyncio
import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from authorization import AuthorizationServer
from guards import PATIENCE
from login_servers import Command
from mcpgen_runtime.auth.store import Store

from mcpgen.servers.login import loopback


def pasting(monkeypatch: pytest.MonkeyPatch, answer: Callable[[str], str]) -> Callable[[str], None]:
    """Answer the prompt with a value computed from the printed URL."""
    displayed: list[str] = []
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.setattr("mcpgen.cli.login._read_pasted", lambda: answer(displayed[-1]))
    monkeypatch.setattr("mcpgen.cli.login.log_always", displayed.append)
    return displayed.append


def led_to(url: str) -> str:
    return httpx2.get(url).headers["location"]


@pytest.mark.parametrize("part", ["address", "query", "code"])
def test_a_pasted_answer_will_do(
    command: Command, server: AuthorizationServer, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    def answer(url: str) -> str:
        query = urlsplit(led_to(url)).query
        parts = {"address": f"http://127.0.0.1:9/callback?{query}\n", "query": query}
        return parts.get(part, parse_qs(query)["code"][0])

    pasting(monkeypatch, answer)
    assert command("login", server.mcp, "--no-browser").code == 0
    assert Store().find(server.mcp)


@pytest.mark.slow
def test_pasted_url_is_read_from_stdin(tmp_path: Path, server: AuthorizationServer) -> None:
    args = [sys.executable, "-m", "mcpgen", "login", server.mcp, "--no-browser"]
    own = {**os.environ, "MCPGEN_LOGINS": str(tmp_path / "logins")}
    pipe = subprocess.PIPE
    with subprocess.Popen(args, stdin=pipe, stderr=pipe, stdout=pipe, text=True, env=own) as login:
        assert login.stdin is not None
        assert login.stderr is not None
        login.stderr.readline()
        url = login.stderr.readline().strip()
        messages = login.communicate(f"{led_to(url)}\n", timeout=PATIENCE)
    assert (login.returncode, messages[1]) == (0, "")
    assert messages[0].startswith(f"logged in: {server.mcp}: use;")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda _: "", "nothing was pasted"),
        (lambda url: f"{led_to(url)}x&state=y".replace("state=", "no="), "another login"),
        (lambda _: "http://127.0.0.1/callback?code=1&state=wrong", "another login"),
        (lambda _: "wrong-code", "issues no token"),
    ],
)
def test_wrong_pasted_url_is_rejected(
    command: Command,
    server: AuthorizationServer,
    monkeypatch: pytest.MonkeyPatch,
    answer: Callable[[str], str],
    message: str,
) -> None:
    pasting(monkeypatch, answer)
    outcome = command("login", server.mcp, "--no-browser")
    assert (outcome.code, message in outcome.err) == (3, True)
    assert Store().find(server.mcp) is None


def test_the_page_of_a_browser_serves_nothing_else() -> None:
    async def page() -> httpx2.Response:
        port = loopback.free_port()
        async with loopback.listening(port) as answers:
            answers.state = "right"
            async with httpx2.AsyncClient() as client:
                return await client.get(f"{loopback.address(port)}?code=c&state=right")

    answer = asyncio.run(page())
    assert "mcpgen received the response" in answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-security-policy"] == "default-src 'none'"
