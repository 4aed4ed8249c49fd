"""Stored origins contain no values, no host paths and no secrets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from resolved_servers import command, word, write_config


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("argv", "stored"),
    [
        (["npx", "-y", "@scope/server@1.2.3"], ["npx", "-y", "@scope/server@1.2.3"]),
        (["uvx", "--from", "pkg[x]==1", "tool"], ["uvx", "--from", "pkg[x]==1", "tool"]),
        (["python3", "-m", "my.server", "--verbose"], ["python3", "-m", "my.server", "--verbose"]),
        (["/opt/venv/bin/python3.12", "srv.py"], ["${MCP_COMMAND:-python}", "srv.py"]),
        (["/usr/bin/node", "/home/me/x.js"], ["${MCP_COMMAND:-node}", "${MCP_ARG_1}"]),
        (["run-it", "--key", "abc", "-k=abc"], ["run-it", "--key", "${MCP_KEY}", "-k=${MCP_KEY}"]),
        (["server", "a b", "a b"], ["server", "${MCP_ARG_1}", "${MCP_ARG_1}"]),
        (["C:\\tools\\server.exe", "stdio"], ["${MCP_COMMAND:-server}", "stdio"]),
    ],
)  # fmt: skip
def test_a_command_is_written_without_values_and_host_paths(
    argv: list[str], stored: list[str]
) -> None:
    document = command(*argv).origin().document
    assert [document["command"], *document["args"]] == stored


def test_only_names_of_variables_are_written() -> None:
    origin = command("server", env={"B": "secret-1", "A": "secret-2"}).origin()
    assert origin.document["env"] == ["A", "B"]
    assert origin.secrets.hide("it is secret-1") == "it is ${B}"


@pytest.mark.parametrize(
    ("url", "stored"),
    [
        (
            "https://me:pass@example.org:8/mcp?key=1#x",
            "https://${MCP_URL_USER}:${MCP_URL_PASSWORD}@example.org:8/mcp?key=${MCP_URL_KEY}",
        ),
        ("https://example.org/v1/my-server/mcp", "https://example.org/v1/my-server/mcp"),
        ("https://example.org/k3yG7hQ29xLm/mcp", "https://example.org/${MCP_URL_PART}/mcp"),
    ],
)
def test_url_is_stored_without_possible_secrets(url: str, stored: str) -> None:
    assert word(url).origin().document["url"] == stored  # type: ignore[union-attr]


def test_an_entry_is_written_with_its_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "canary-77")
    write_config(
        {"url": "https://${HOST:-example.org}/mcp", "headers": {"Authorization": "${TOKEN}"}}
    )
    origin = word("it").origin()  # type: ignore[union-attr]
    assert origin.document["headers"] == ["Authorization"]
    assert "canary" not in json.dumps(origin.document)
    assert "canary" not in origin.secrets.hide("got canary-77")
