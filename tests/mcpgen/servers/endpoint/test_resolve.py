"""Resolution of `<server>`, and redaction of its parts."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcpgen_runtime.display import visible
from mcpgen_runtime.redaction.credentials import Credentials

from mcpgen.errors import UsageError
from mcpgen.servers.endpoint import Http, InProcess, Offline, Overrides, Stdio, resolve
from mcpgen.servers.endpoint.overrides import Headers, parse_env, parse_headers
from mcpgen.servers.endpoint.redaction import Secrets
from mcpgen.servers.endpoint.target import Target


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def word(server: str, **values: Any) -> Target:
    return resolve(server, (), Overrides(**values))


def command(*argv: str, **values: Any) -> Stdio:
    target = resolve(None, argv, Overrides(**values))
    assert isinstance(target, Stdio)
    return target


def write_config(entry: Any, pointer: str = ".mcp.json", key: str = "mcpServers") -> None:
    Path(pointer).parent.mkdir(exist_ok=True)
    Path(pointer).write_text(json.dumps({key: {"it": entry}}))


def rejection(server: str, **values: Any) -> UsageError:
    with pytest.raises(UsageError) as refusal:
        word(server, **values)
    return refusal.value


# Kinds of servers


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
    assert "no server named 'it'" in str(rejection("it"))
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
        ("./empty.json", "this is not JSON", ""),
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


# Options


def test_env_expands_variables_as_headers_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "hidden-value")
    monkeypatch.delenv("NONE", raising=False)
    expanded: dict[str, str] = {}
    arguments = parse_env(["A=${TOKEN}", "B=${NONE:-}", "C=x${NONE:-y}"], expanded)
    assert arguments == {"A": "hidden-value", "B": "", "C": "xy"}
    assert expanded["hidden-value"] == "${TOKEN}"
    with pytest.raises(UsageError, match="NONE"):
        parse_env(["A=${NONE}"])


def test_a_variable_is_given_or_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE", "here")
    assert parse_env(["MINE", "A=b=c", "EMPTY="]) == {
        "MINE": "here",
        "A": "b=c",
        "EMPTY": "",
    }


@pytest.mark.parametrize("item", ["=canary", "a-b=canary", "canary-9 x"])
def test_unparsable_option_is_not_repeated(item: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parse_env([item])
    assert "canary" not in str(refusal.value)
    with pytest.raises(UsageError) as refusal:
        parse_headers([item], {})
    assert "canary" not in str(refusal.value)


def test_variable_with_default_is_recorded_as_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PROXY", raising=False)
    optional: set[str] = set()
    env = parse_env(["A=1", "B=${PROXY:-}", "C=${PROXY:-c}"], None, optional)
    assert (env, optional) == ({"A": "1", "C": "c"}, {"B", "C"})
    origin = command("server", env=env, optional=frozenset(optional)).origin().document
    assert (origin["env"], origin["optionalEnv"]) == (["A"], ["B", "C"])


def test_variable_with_default_in_configuration_is_optional() -> None:
    write_config({"command": "run", "env": {"A": "${UNSET_OF_TEST:-}", "B": "1"}})
    origin = word("it").origin().document
    assert (origin["env"], origin["optionalEnv"]) == (["B"], ["A"])


def test_variable_of_machine_is_optional() -> None:
    origin = command("server", env={"SSL_CERT_FILE": "/x.pem"}).origin().document
    assert "env" not in origin
    assert origin["optionalEnv"] == ["SSL_CERT_FILE"]


def test_a_header_may_take_its_value_from_the_environment() -> None:
    assert parse_headers(["A: Bearer ${B}", "C:d"], {"B": "x"}) == Headers(
        sent_headers={"A": "Bearer x", "C": "d"},
        written={"A": "Bearer ${B}", "C": "d"},
        expanded={"x": "${B}"},
    )


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("${SET}", "value"),
        ("${env:SET}", "value"),
        ("a${SET}b${SET}", "avaluebvalue"),
        ("${NOT_SET:-other}", "other"),
        ("${NOT_SET:-}", ""),
        ("${EMPTY:-other}", "other"),
        ("$SET", "$SET"),
    ],
)
def test_variables_are_expanded(written: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SET", "value")
    monkeypatch.setenv("EMPTY", "")
    write_config({"command": "run", "args": [written], "env": {"A": written}})
    target = word("it")
    assert isinstance(target, Stdio)
    assert target.argv == ("run", value)
    assert target.env.get("A", "") == value  # one with an empty default is not passed


@pytest.mark.parametrize(
    ("entry", "problem", "where"),
    [
        ({"command": "run", "env": {"A": "${NO}"}}, "the variable NO is not set", "/it/env/A"),
        ({"url": "https://${NO}/"}, "the variable NO is not set", "/it/url"),
        ({"url": "https://h", "headers": {"A": "${NO}"}}, "the variable NO", "/it/headers/A"),
        ({"command": "${input:key}"}, "an editor would ask for ${input:key}", "/it/command"),
        ({"command": "run", "args": "one"}, "this must be a list of strings", "/it/args"),
        ({"command": "run", "env": ["A"]}, "this must be an object of strings", "/it/env"),
        ({"type": "http"}, "the entry has neither a command nor a url", "/it"),
        ("run", "the entry has neither a command nor a url", "/it"),
    ],
)
def test_a_bad_entry_is_named_with_its_file(entry: Any, problem: str, where: str) -> None:
    write_config(entry)
    error = rejection("it")
    assert error.problem.startswith(problem)
    assert error.where == f".mcp.json#/mcpServers{where}"


# What is stored


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


# Text on its way out


def test_longer_secrets_are_redacted_first() -> None:
    secrets = Secrets({"abcd": "${A}", "abcd-efgh-1": "${B}"})
    assert secrets.hide("abcd-efgh-1 abcd") == "${B} ${A}"


def test_only_certain_secrets_are_redacted_in_responses() -> None:
    credentials = Credentials({"description": "${A}", "s3cr3t-value": "${B}"})
    before = {"description": ["s3cr3t-value", 7, None], "s3cr3t-value": "description"}
    after = {"description": ["${B}", 7, None], "${B}": "description"}
    assert credentials.strip(before) == after


def test_control_characters_become_visible() -> None:
    assert visible("a\x1b[2Jb\u202ec\n\td") == "a\\x1b[2Jb\\u202ec\n\\td"
