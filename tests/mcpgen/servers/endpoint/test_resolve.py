"""Resolution of `<server>`, and redaction of its parts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from mcpgen_runtime.display import visible
from resolved_servers import command, word, write_config

from mcpgen.errors import UsageError
from mcpgen.servers.endpoint import Http, InProcess, Offline, Overrides, Stdio, resolve


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rejection(server: str, **values: Any) -> UsageError:
    with pytest.raises(UsageError) as refusal:
        word(server, **values)
    return refusal.value


def test_arguments_after_the_dashes_are_the_command() -> None:
    assert command("npx", "-y", "a server").argv == ("npx", "-y", "a server")
    assert str(command("npx", "-y", "a server")) == "npx -y 'a server'"


def test_demo_is_the_bundled_server() -> None:
    target = word("demo")
    assert isinstance(target, Stdio)
    assert target.argv == (sys.executable, "-I", "-m", "mcpgen.demo")


@pytest.mark.parametrize(
    ("url", "values", "kind"),
    [
        ("http://localhost:1/mcp", {}, "http"),
        ("HTTPS://example.org", {}, "http"),
        ("https://example.org/sse", {}, "sse"),
        ("https://example.org/sse/?a=b", {}, "sse"),
        ("https://example.org/sse", {"transport": "http"}, "http"),
        ("https://example.org/mcp", {"transport": "sse"}, "sse"),
        ("https://example.org/sse-like", {}, "http"),
    ],
)
def test_url_means_streamable_http_unless_it_ends_in_sse(
    url: str, values: dict[str, Any], kind: str
) -> None:
    target = word(url, **values)
    assert isinstance(target, Http)
    assert target.kind == kind


@pytest.mark.parametrize(
    ("server", "module", "name"),
    [
        ("server.py", "server.py", ""),
        ("./server.py:app", "./server.py", "app"),
        ("package.module:server", "package.module", "server"),
    ],
)
def test_python_is_imported(server: str, module: str, name: str) -> None:
    Path("server.py").touch()
    assert word(server) == InProcess(module, name)


def test_a_dump_is_read_offline() -> None:
    Path("dump.json").write_text('{"tools": []}')
    assert word("dump.json") == Offline("dump.json")


@pytest.mark.parametrize(
    ("pointer", "key"),
    [(".mcp.json", "mcpServers"), (".vscode/mcp.json", "servers"), (".cursor/mcp.json", "servers")],
)
def test_configured_server_is_found_by_name_and_file(pointer: str, key: str) -> None:
    write_config({"command": "run", "args": ["it"]}, pointer, key)
    by_name, by_file = word("it"), word(f"{pointer}:it")
    assert by_name == by_file
    assert isinstance(by_name, Stdio)
    assert by_name.argv == ("run", "it")
    assert Path(str(by_name.cwd)).resolve() == Path.cwd().resolve()


def test_name_is_searched_up_to_the_repository_root(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_config({"command": "outer"})
    inner = folder / "repository" / "folder"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    error = rejection("it")
    assert error.problem == "there is no server named 'it'"
    assert error.where == "no configuration file here that lists servers, such as .mcp.json"
    (folder / ".git").mkdir()
    target = word("it")
    assert isinstance(target, Stdio)
    assert target.argv == ("outer",)


def test_comments_are_allowed_in_a_configuration() -> None:
    Path("mcp.json").write_text(
        '{ // ours\n "servers": {"it": {"url": "https://h/mcp//x",}, /* no more */ } }'
    )
    assert word("mcp.json:it") == word("https://h/mcp//x")


@pytest.mark.parametrize(
    ("server", "problem", "hint"),
    [
        ("dmeo", "there is no server named 'dmeo'", "did you mean 'demo'?"),
        ("./nothing.py", "there is no such file", ""),
        ("folder/nothing.json:it", "there is no such file", ""),
        (".mcp.json:itt", "the file has no server 'itt'", "did you mean .mcp.json:it?"),
        ("./empty.json", "not JSON", ""),
    ],
)
def test_a_mistake_is_explained(server: str, problem: str, hint: str) -> None:
    write_config({"command": "run"})
    Path("empty.json").touch()
    error = rejection(server)
    assert error.problem.startswith(problem)
    assert hint in error.hint


def test_a_server_and_a_command_are_not_both_given() -> None:
    with pytest.raises(UsageError, match="not both"):
        resolve("demo", ("run",), Overrides())


@pytest.mark.parametrize(
    ("server", "values", "where"),
    [
        ("demo", {"headers": {"A": "b"}}, "--header"),
        ("https://h/mcp", {"cwd": "."}, "--cwd"),
        ("https://h/mcp", {"transport": "stdio"}, "--transport"),
        ("demo", {"transport": "sse"}, "--transport"),
        ("demo", {"cwd": "nowhere"}, "nowhere"),
        ("dump.json", {"env": {"A": "b"}}, "--env"),
    ],
)
def test_inapplicable_option_is_rejected(server: str, values: dict[str, Any], where: str) -> None:
    Path("dump.json").write_text('{"tools": []}')
    assert rejection(server, **values).where == where


@pytest.mark.parametrize(
    ("entry", "problem", "where"),
    [
        ({"command": "run", "env": {"A": "${NO}"}}, "the variable NO is not set", "/it/env/A"),
        ({"url": "https://${NO}/"}, "the variable NO is not set", "/it/url"),
        ({"url": "https://h", "headers": {"A": "${NO}"}}, "the variable NO", "/it/headers/A"),
        ({"command": "${input:key}"}, "an editor would ask for ${input:key}", "/it/command"),
        ({"command": "run", "args": "one"}, "expected a list of strings", "/it/args"),
        ({"command": "run", "env": ["A"]}, "expected an object of strings", "/it/env"),
        ({"type": "http"}, "the entry has neither a command nor a url", "/it"),
        ("run", "the entry has neither a command nor a url", "/it"),
    ],
)
def test_a_bad_entry_is_named_with_its_file(entry: Any, problem: str, where: str) -> None:
    write_config(entry)
    error = rejection("it")
    assert error.problem.startswith(problem)
    assert error.where == f".mcp.json#/mcpServers{where}"


def test_control_characters_become_visible() -> None:
    assert visible("a\x1b[2Jb\u202ec\n\td") == "a\\x1b[2Jb\\u202ec\n\\td"
