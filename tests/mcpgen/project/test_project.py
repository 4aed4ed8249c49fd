"""`[tool.mcpgen]`: its options, the position of errors in it, and `mcpgen init`."""

from __future__ import annotations

import json
import re
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from paths import ROOT
from projects import DEMO, call, on_a_terminal, project, run

from mcpgen.codegen import pipeline
from mcpgen.contract.document import Contract
from mcpgen.contract.document import read as read_contract
from mcpgen.errors import UsageError
from mcpgen.files.toml import parse
from mcpgen.jsontext import loads
from mcpgen.project import table
from mcpgen.project.discovery import find_project
from mcpgen.project.model import Entry
from mcpgen.project.select import select
from mcpgen.project.table import read

SCHEMA = json.loads((ROOT / "schema" / "config" / "config.schema.json").read_text())


def error_of(text: str) -> str:
    """Return the error message for an invalid table."""
    with pytest.raises(UsageError) as caught:
        read(parse(text.encode(), "pyproject.toml")["tool"]["mcpgen"], "pyproject.toml")
    return str(caught.value)


def entry(**values: Any) -> Entry:
    return Entry(name="bookshelf", contract="c.json", **values)


def demo() -> Contract:
    return read_contract(loads(DEMO.read_bytes()))


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


def test_the_nearest_table_up_to_the_repository_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project(tmp_path / "a")
    below = root / "one" / "two"
    below.mkdir(parents=True)
    (root / "one" / "pyproject.toml").write_text("[project]\nname = 'other'\n")
    monkeypatch.chdir(below)
    assert find_project().folder == root
    (root / "one" / ".git").mkdir()
    with pytest.raises(UsageError, match="with a table"):
        find_project()


def test_unknown_server_error_suggests_a_name(tmp_path: Path) -> None:
    ended = run(project(tmp_path / "a"), "generate", "bokshelf")
    assert ended.returncode == 2
    assert "hint: did you mean 'bookshelf'?" in ended.stderr


def test_tools_are_chosen_by_patterns_and_renamed() -> None:
    contract = select(demo(), entry(include=("*_item", "search_*"), exclude=("b*",)))
    assert "borrow_item" not in contract.tools
    assert "search_catalogue" in contract.tools
    contract = select(demo(), entry(rename={"search_catalogue": "look"}))
    assert contract.names == {"search_catalogue": "look"}


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"include": ("serch_*",)}, "no tool of the contract is 'serch_*'"),
        ({"exclude": ("x",)}, "no tool of the contract is 'x'"),
        ({"rename": {"x": "y"}}, "no tool of the contract is 'x'"),
        ({"rename": {"search_catalogue": "Look Up"}}, "cannot be the name of a method"),
        ({"rename": {"search_catalogue": "class"}}, "cannot be the name of a method"),
        ({"rename": {"search_catalogue": "response"}}, "every client has"),
        ({"rename": {"search_catalogue": "borrow_item"}}, "'borrow_item' is taken"),
    ],
    ids=str,
)
def test_selection_without_matches_is_rejected(values: Any, problem: str) -> None:
    with pytest.raises(UsageError) as caught:
        select(demo(), entry(**values))
    assert problem in caught.value.problem
    assert caught.value.where.startswith("tool.mcpgen.servers.bookshelf.")


def test_exclusion_does_not_rename_similar_tools() -> None:
    tools = {name: {"name": name, "inputSchema": {}} for name in ("get-user", "get_user")}
    contract = Contract(tools=tools)
    alone = select(contract, entry(exclude=("get_user",)))
    assert alone.names["get-user"].startswith("get_user_")


def test_init_writes_a_readable_table(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "mine"')
    ended = run(tmp_path, "init", "--client", "src", "--", "npx", "-y", "@a/server-files@1.2", '"')
    assert (ended.returncode, ended.stdout.splitlines()[0][:17]) == (0, "mcpgen lock files")
    result = find_project(str(tmp_path)).settings.servers["files"]
    assert result.source == ("npx", "-y", "@a/server-files@1.2", '"')
    assert result.contract == "mcp/files.contract.json"
    again = run(tmp_path, "init", "--name", "files", "--source", "demo")
    assert (again.returncode, "already" in again.stderr) == (2, True)


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


def test_init_needs_a_server_where_nobody_can_be_asked(tmp_path: Path) -> None:
    ended = run(tmp_path, "init", stdin="")
    assert ended.returncode == 2
    assert "--source" in ended.stderr
    assert not (tmp_path / "pyproject.toml").exists()


ADDED = """\
[tool.mcpgen.servers.w]
source = "demo"
contract = "mcp/w.contract.json"
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ADDED),
        ('[project]\nname = "x" # mine', f'[project]\nname = "x" # mine\n\n{ADDED}'),
        (
            "# first\n[tool.mcpgen.servers.a] # an own one\nsource = 'demo'\n\n[tool.z]\na=1 # b\n",
            "# first\n[tool.mcpgen.servers.a] # an own one\nsource = 'demo'\n\n"
            f"{ADDED}\n[tool.z]\na=1 # b\n",
        ),
        (
            "tool = {mcpgen = {servers = {}}}\n",
            'tool = {mcpgen = {servers = {w = {source = "demo",'
            ' contract = "mcp/w.contract.json"}}}}\n',
        ),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_init_keeps_comments_order_and_line_ends(
    before: str, after: str, newline: str, tmp_path: Path
) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_bytes(before.replace("\n", newline).encode())
    ended = call(tmp_path, "init", "--name", "w", "--source", "demo")
    assert ended.returncode == 0, ended.stderr
    if "\n" in before:  # otherwise the file doesn't show its line endings
        after = after.replace("\n", newline)
    assert file.read_bytes().decode() == after


def test_init_does_not_modify_an_unsuitable_file(tmp_path: Path) -> None:
    text = "tool = {mcpgen = {servers = []}}\n"
    (tmp_path / "pyproject.toml").write_text(text)
    ended = run(tmp_path, "init", "--source", "demo")
    assert ended.returncode == 2
    assert "add it by hand: [tool.mcpgen.servers.demo]" in ended.stderr
    assert (tmp_path / "pyproject.toml").read_text() == text


@pytest.mark.skipif(sys.platform == "win32", reason="terminals are others there")
def test_init_asks_for_missing_options_at_a_terminal(tmp_path: Path) -> None:
    code, text = on_a_terminal(tmp_path, "init", answers="npx -y mcp-server-git .\n\nlib\n")
    assert code == 0, text
    result = find_project(str(tmp_path)).settings.servers["git"]
    assert result.source == ("npx", "-y", "mcp-server-git", ".")
    assert result.client
    assert result.client.output == "lib"


def test_the_tables_in_the_documentation_can_be_read() -> None:
    page = (ROOT / "docs" / "pipelines.md").read_text(encoding="utf-8")
    tables = [
        parse(text.encode(), "") for text in re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    ]
    named = [item["tool"]["mcpgen"] for item in tables if "mcpgen" in item.get("tool", {})]
    assert [set(read(item, "").servers) for item in named] == [{"weather", "files", "acme"}, set()]
    keys = {key for entry in named[0]["servers"].values() for key in entry}
    assert all(f"`{key}`" in page for key in table.ENTRY)
    assert keys <= set(table.ENTRY)
