"""Shells complete servers, files and rules."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from called_servers import CONTRACT, SERVER, Shell
from click.shell_completion import ShellComplete
from projects import (
    project,
    run,
)

from mcpgen.cli.app import cli
from mcpgen.servers.recording.wire import server_process


def test_a_shell_completes_the_names_of_servers(tmp_path: Path) -> None:
    root = project(tmp_path / "project")
    args = {"COMP_WORDS": "mcpgen check bo", "COMP_CWORD": "2"}
    ended = run(root, _MCPGEN_COMPLETE="bash_complete", **args)
    assert ended.stdout == "plain,bookshelf\n"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("record bo", "plain,bookshelf"),
        ("client wea", "plain,weather"),
        ("diff mcp/li", "file,mcp/li"),
        ("explain I03", "plain,I03"),
        ("explain L305", "plain,L305"),
        ("explain argument-bec", "plain,argument-became-required"),
    ],
)
def test_a_shell_completes_servers_files_and_rules(
    typed: str, offered: str, tmp_path: Path
) -> None:
    root = project(tmp_path / "project")
    (root / ".mcp.json").write_text('{"mcpServers": {"weather": {"command": "x"}}}')
    args = {"COMP_WORDS": f"mcpgen {typed}", "COMP_CWORD": "2"}
    ended = run(root, _MCPGEN_COMPLETE="bash_complete", **args)
    assert ended.stdout.splitlines()[0] == offered


def complete(*args: str) -> list[str]:
    shell = ShellComplete(cli, {}, "mcpgen", "_MCPGEN_COMPLETE")
    return [completion.value for completion in shell.get_completions([*args[:-1]], args[-1])]


@pytest.mark.parametrize(
    ("args", "labels"),
    [
        (["call", CONTRACT, "se"], ["search-catalogue"]),
        (["call", CONTRACT, "search_"], ["search_catalogue"]),
        (["call", CONTRACT, "search-catalogue", "--q"], ["--query", "--quiet"]),
        (["call", CONTRACT, "search-catalogue", "--query", "x", "--qu"], ["--quiet"]),
        (["call", CONTRACT, "search-catalogue", "--genre", "cr"], ["crime"]),
        (["call", CONTRACT, "search-catalogue", "--query", "x"], []),
        (["call", CONTRACT, "nothing", "--q"], ["--quiet"]),
        (["call", "--ti"], ["--timeout"]),
        (["prompt", CONTRACT, "rec"], ["recommend"]),
        (["prompt", CONTRACT, "recommend", "--g"], ["--genre"]),
        (["read", CONTRACT, "book"], ["bookshelf://rules"]),
        (["call", "never-asked", "a"], []),
    ],
    ids=str,
)
def test_a_shell_completes_by_the_contract(args: list[str], labels: list[str]) -> None:
    assert complete(*args) == labels


def test_completion_uses_the_last_listing_and_starts_no_server(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = {"command": sys.executable, "args": [SERVER, str(shell.log)]}
    Path(".mcp.json").write_text(json.dumps({"mcpServers": {"mine": command}}))
    assert complete("call", "mine", "ec") == []
    assert shell("call", "mine", "echo").code == 0
    monkeypatch.setattr(server_process, "start", None)
    assert complete("call", "mine", "ec") == ["echo"]
    assert complete("call", "mine", "echo", "--genre", "n") == ["nature"]
    assert [text for text in complete("call", "mine", "") if not text.isprintable()] == []
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert complete("call", "mine", "ec") == []


UNSAFE = [
    "x;{touch,a}",
    "$(id)",
    "`id`",
    "a b",
    "a|b",
    "~root",
    "=ls",
    "a>b",
    "a&b",
    "é\u202e",
]


@pytest.mark.parametrize("command", ["call", "read", "prompt"])
def test_completion_offers_only_words_safe_for_shells(command: str, tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"kind": {"enum": [*UNSAFE, "plain"]}}}
    names = [*UNSAFE, "plain"]
    contract = {
        "tools": [{"name": name, "inputSchema": schema} for name in names],
        "prompts": [{"name": name} for name in names],
        "resources": [{"uri": f"r:{name}", "name": name} for name in names],
    }
    file = tmp_path / "hostile.json"
    file.write_text(json.dumps(contract))
    offered = [text for text in complete(command, str(file), "") if text[:1] != "-"]
    assert ("r:plain" if command == "read" else "plain") in offered
    for text in offered:
        assert shlex.split(f"echo {text}") == ["echo", text]
        assert set("`$;|&<>(){}*?[]#~!\\'\" ").isdisjoint(text)
        assert text[0] != "="
    if command == "call":
        assert complete("call", str(file), "plain", "--kind", "") == ["plain"]
