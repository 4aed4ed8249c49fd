"""Servers to log in at, and logins made for a test."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from authorization import AuthorizationServer, browse, serving

from mcpgen.cli.app import run
from mcpgen.servers.login import login_prompts


@dataclass
class Ran:
    """The exit code and output of a command."""

    code: int
    out: str
    err: str


Command = Callable[..., Ran]


@pytest.fixture
def server() -> Iterator[AuthorizationServer]:
    with serving() as running:
        yield running


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[str], bool]]:
    """The browsers that logins open. The last one is used."""
    browsers = [browse]
    real = login_prompts.at_browser
    monkeypatch.setattr(
        login_prompts,
        "at_browser",
        lambda *args: real(*args, lambda url: browsers[-1](url)),  # noqa: PLW0108 - the last
    )
    return browsers


@pytest.fixture
def command(  # noqa: PLR0917 - fixtures
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    server: AuthorizationServer,
    browser: list[Callable[[str], bool]],
) -> Command:
    """Run a command in the current folder, and check that neither output nor log contain the
    servers' tokens.
    """
    monkeypatch.setenv("MCPGEN_LOGINS", str(tmp_path / "logins"))
    monkeypatch.chdir(tmp_path)
    caplog.set_level(logging.DEBUG, "mcp.client")
    capsys.readouterr()

    def ran(*args: str) -> Ran:
        code = run(list(args))
        captured = capsys.readouterr()
        logged = "".join(record.getMessage() for record in caplog.records if "mcp" in record.name)
        for secret in (*server.issued, "top-s3cret", "PRIVATE KEY"):
            assert secret not in captured.out + captured.err + logged
        return Ran(code, captured.out, captured.err)

    return ran
