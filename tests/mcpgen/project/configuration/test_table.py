"""The table of a server: every key, its errors with line and suggestion, and its JSON Schema."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from paths import ROOT
from projects import call, project

from mcpgen.codegen import pipeline
from mcpgen.errors import UsageError
from mcpgen.files.toml import parse
from mcpgen.project.configuration import table
from mcpgen.project.configuration.table import read
from mcpgen.project.discovery import find_project

SCHEMA = json.loads((ROOT / "schema" / "config" / "config.schema.json").read_text())


def error_of(text: str) -> str:
    """Return the error message for an invalid table."""
    with pytest.raises(UsageError) as caught:
        read(parse(text.encode(), "pyproject.toml")["tool"]["mcpgen"], "pyproject.toml")
    return str(caught.value)


def test_every_key_is_read() -> None:
    text = """
    [tool.mcpgen.servers.weather]
    source = ["npx", "-y", "weather"]
    contract = "w.json"
    client = {output = "src", name = "sky", style = "typeddict"}
    server = {output = ".", docker = true}
    include = ["get_*"]
    exclude = ["get_secret"]
    rename = {get_weather = "now"}
    env = ["TOKEN"]
    header = ["A: b"]
    cwd = "x"
    timeout = 5
    transport = "stdio"
    era = "modern"
    [[tool.mcpgen.ignore]]
    fingerprint = "0123456789ab"
    reason = "seen"
    until = 2027-01-31
    """
    settings = read(parse(text.encode(), "")["tool"]["mcpgen"], "")
    weather = settings.servers["weather"]
    assert weather.source == ("npx", "-y", "weather")
    assert weather.client
    assert weather.server
    assert (weather.client.name, weather.client.style) == ("sky", "typeddict")
    assert (weather.server.name, weather.server.docker, weather.timeout) == ("weather", True, 5.0)
    assert settings.ignore[0].until == date(2027, 1, 31)


@pytest.mark.parametrize(
    ("text", "where", "hint"),
    [
        ("[tool.mcpgen]\nserver = {}", "tool.mcpgen", "did you mean 'servers'?"),
        ("[tool.mcpgen.servers.a]\nsorce = 'x'", "servers.a", "did you mean 'source'?"),
        (
            "[tool.mcpgen.servers.a]\nsource = 'x'\nclient = {stile = 'x'}",
            "servers.a.client",
            "did you mean 'style'?",
        ),
        (
            "[tool.mcpgen.servers.a]\nsource = 'x'\nclient = {style = 'dataclas'}",
            "servers.a.client.style",
            "did you mean 'dataclass'?",
        ),
        ("[tool.mcpgen.servers.a]\nclient = {}", "servers.a", "source ="),
        ("[tool.mcpgen.servers.a]\nsource = 'x'\nclient = true", "servers.a.client", ""),
        ("[tool.mcpgen.servers.a]\nsource = 'x'\ninclude = 'b'", "servers.a.include", ""),
        ("[tool.mcpgen.servers.a]\nsource = 'x'\ninclude = [1]", "servers.a.include[0]", ""),
        ("[tool.mcpgen.servers.a]\nsource = 'x'\ntimeout = true", "servers.a.timeout", ""),
        ("[tool.mcpgen.servers.a]\nsource = []", "servers.a.source", "npx"),
        ("[tool.mcpgen.servers.'a b']\nsource = 'x'", "servers.a b", "letters"),
        ("[[tool.mcpgen.ignore]]\nfingerprint = '0123456789ab'", "mcpgen.ignore[0]", "reason"),
    ],
)
def test_error_has_line_and_suggestion(text: str, where: str, hint: str) -> None:
    message = error_of(text)
    pointer = message.splitlines()[1]
    assert pointer.startswith("  at   pyproject.toml: ")
    assert pointer.endswith(where)
    assert hint in message


def test_two_packages_in_one_place_are_refused() -> None:
    both = "source = 'x'\nclient = {name = 'x', output = 'src'}\n"
    message = error_of(f"[tool.mcpgen.servers.a]\n{both}[tool.mcpgen.servers.b]\n{both}")
    assert "'src/x' is taken" in message
    assert "tool.mcpgen.servers.a.client is written there too" in message


@pytest.mark.parametrize(
    "value",
    [
        {"servers": {"a": {"source": "x"}}},
        {"servers": {"a": {"source": ["x"], "timeout": 1.5}}},
        {"servers": {"a": {"source": ""}}},
        {"servers": {"a": {"source": [""]}}},
        {"servers": {"a": {}}},
        {"servers": {"a": {"contract": "x", "rename": {"b": "c"}}}},
        {"servers": {"a": {"contract": "x", "rename": {"b": 1}}}},
        {"servers": {"a": {"contract": "x", "client": {"nmae": "b"}}}},
        {"servers": {"a": {"contract": "x", "server": {"docker": 1}}}},
        {"servers": {"a": {"contract": "x", "timeout": 0}}},
        {"servers": {"a": {"contract": "x", "account": "work"}}},
        {"servers": {"a": {"contract": "x", "account": ""}}},
        {"servers": {"a": {"contract": "x", "era": "new"}}},
        {"servers": {".a": {"contract": "x"}}},
        {"servers": []},
        {"server": {}},
        {"ignore": [{"fingerprint": "0123456789ab", "reason": "x"}]},
        {"ignore": [{"fingerprint": "0123456789aB", "reason": "x"}]},
        {"ignore": {}},
        {},
    ],
    ids=str,
)
def test_editor_schema_agrees_with_the_reader(value: Any) -> None:
    try:
        read(value, "")
        is_fine = True
    except UsageError:
        is_fine = False
    assert Draft202012Validator(SCHEMA).is_valid(value) == is_fine


def test_the_schema_knows_the_readers_keys_and_styles() -> None:
    keys = SCHEMA["$defs"]["entry"]["properties"]
    assert set(keys) == set(table.ENTRY)
    assert tuple(keys["client"]["properties"]["style"]["enum"]) == table.STYLES == pipeline.STYLES


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("uvx mcp-server-time", ("uvx", "mcp-server-time")),
        (" npx -y 'a b' \"c d\" e\\ f ", ("npx", "-y", "a b", "c d", "e f")),
        (
            "server.exe --token=${TOKEN} --n=${N:-1}",
            ("server.exe", "--token=${TOKEN}", "--n=${N:-1}"),
        ),
        ("uvx x --note a#b", ("uvx", "x", "--note", "a#b")),
        ("my server.py:mcp", "my server.py:mcp"),
        ("mcp.json:My Server", "mcp.json:My Server"),
        ("https://example.org/mcp?q=a b", "https://example.org/mcp?q=a b"),
        ("demo", "demo"),
    ],
)
def test_command_string_is_split_like_in_a_shell(text: str, source: Any, tmp_path: Path) -> None:
    (tmp_path / "my server.py").touch()
    ended = call(tmp_path, "init", "--name", "it", "--source", text)
    assert (ended.returncode, ended.stderr.splitlines()[-1:]) == (
        0,
        ["pyproject.toml: [tool.mcpgen.servers.it] written"],
    )
    assert find_project(str(tmp_path)).settings.servers["it"].source == source


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("uvx 'a", "cannot be split"),
        ("uvx a | tee log", "would act on '|'"),
        ("uvx a && b", "would act on '&&'"),
        ("uvx a > log", "would act on '>'"),
        ("TOKEN=x uvx a", "env = [...]"),
        ("uvx a $TOKEN", "write ${NAME}"),
        ("uvx a `date`", "write ${NAME}"),
    ],
)
def test_shell_only_syntax_is_rejected(text: str, message: str, tmp_path: Path) -> None:
    ended = call(tmp_path, "init", "--name", "it", "--source", text)
    assert (ended.returncode, message in ended.stderr) == (2, True)
    assert not (tmp_path / "pyproject.toml").exists()


def test_command_string_in_a_table_suggests_a_list(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "a", "[tool.mcpgen.servers.time]\nsource = 'uvx mcp-server-time'\n")
    ended = call(root, "lock")
    assert ended.returncode == 2
    assert 'hint: the words of a command are a list: source = ["uvx", "mcp-server-time"]' in (
        ended.stderr
    )
