"""A model's script is checked before its first call, with errors that help fix it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from paths import CORPUS, ROOT

from mcpgen.contract.document import Contract, read
from mcpgen.errors import UsageError
from mcpgen.jsontext import loads
from mcpgen.scripting import Checker, check_script, report, surface
from mcpgen.scripting.checks import ty

DEMO = read(loads((ROOT / "golden" / "demo" / "contract.json").read_bytes()))


def orders() -> Contract:
    line = {
        "type": "object",
        "properties": {"article": {"type": "string"}, "count": {"type": "integer"}},
        "required": ["article"],
    }
    order = {"lines": {"type": "array", "items": line}, "by": line, "tags": {"type": "object"}}
    schema = {"type": "object", "properties": order}
    return read({"server": {"name": "orders"}, "tools": [{"name": "add", "inputSchema": schema}]})


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    with Checker([surface(DEMO), surface(orders())]) as checker:
        yield checker


BEGINNING = """\
import asyncio, bookshelf, orders
found = await bookshelf.search_catalogue(query="night")
first = found["items"][0]
"""
FAULTS = {
    'await bookshelf.serch_catalogue(query="a")': "did you mean search_catalogue?",
    "await bookshelf.search_catalogue(query=5)": "Expected `str`, found `Literal[5]`",
    'await bookshelf.search_catalogue(query="a", genre="crim")': "did you mean crime?",
    "await bookshelf.search_catalogue()": "hint: async def search_catalogue(*, query: str",
    'await bookshelf.search_catalogue(querry="a")': "did you mean query?",
    'await bookshelf.search_catalogue("a")': "arguments are given by name",
    'bookshelf.search_catalogue(query="a")': "write await before the call",
    'x = bookshelf.search_catalogue(query="a")\nprint(x["items"])': "write await before the call",
    'print(found["totl"])': "did you mean total? members: items, total",
    'print(found.get("totl"))': "did you mean total?",
    'print(first["pages"])': "look first which one it is",
    'found["total"] + "a"': "Operator `+`",
    'print(found["total"].upper())': "no attribute `upper`",
    'print((await bookshelf.show_cover(id="B-1"))["title"])': "parse it with json.loads",
    'await bookshelf.withdraw_items(ids="B-1", reason=None)': "pass a list, even of one item",
    "print(found.total)": 'properties are read by name: ["total"]',
    "print(first.titel)": "did you mean title?",
    'if first["genre"] == "horror":\n    print(1)': "is always false",
    'print(first["creator"]["born"] + 1)': "it may be None",
    'a = {"query": "a", "genre": "crim"}\nawait bookshelf.search_catalogue(**a)': "mean crime?",
    'a = [{"artcle": "x"}]\nawait orders.add(lines=a)': 'Unknown key "artcle"',
    "if found['total']:\n    a = 1\nprint(a)": "it a value on every path",
    "print(foud)": "did you mean found?",
    'await get_item(id="B-1")': "write bookshelf.get_item(...), with: import bookshelf",
    "import requests": "a script has Python's standard library, and bookshelf, orders",
    "def f():\n    await bookshelf.take_inventory()": "hint: write async def",
    "def f(:": "line 4:",
    "await bookshelf.get_item(id=5)  # type: ignore\n": "Expected `str`",
}
RIGHT = [
    'for g in ["crime", "poetry"]:\n    await bookshelf.search_catalogue(query="a", genre=g)',
    'a = {"query": "a", "genre": "crime"}\nawait bookshelf.search_catalogue(**a)',
    'a = {"query": "a"}\na["limit"] = 5\nawait bookshelf.search_catalogue(**a)',
    'a = {"article": "x", "count": 2}\nawait orders.add(lines=[a], by=a, tags={"x": 1})',
    'a = []\na.append({"article": "x"})\nawait orders.add(lines=a)',
    'a = [{"article": t} for t in "ab"]\nb = {"lines": a}\nawait orders.add(**b)',
    'async def f():\n    print((await bookshelf.get_item(id="B-1"))["lent"])\nasyncio.run(f())',
    'print(await asyncio.gather(*[bookshelf.get_item(id=i["id"]) for i in found["items"]]))',
    'try:\n    await bookshelf.get_item(id="B")\nexcept bookshelf.ToolError as e:\n    print(e)',
    'from bookshelf import InvalidArguments, get_item\nawait get_item(id="B-1")',
    'if first["kind"] == "book":\n    print(first["pages"], first.get("series", "none"))',
    'if not found:\n    print("none")\nwhile True:\n    break',
    'import os\nprint(os.path.join("a", "b"), {"a": 1}.get("b"))',
    'a = await bookshelf.take_inventory()\nprint(a["by_genre"].get("crime", 0) + 1)',
    'x = "héhé"; print(x, found["total"])',
    "if first is None:\n    print(1)",
]


@pytest.mark.parametrize("line", FAULTS)
def test_fault_is_reported_at_its_line_with_a_fix(checker: Checker, line: str) -> None:
    script = BEGINNING + line
    findings = checker.check(script)
    assert findings
    assert all(finding.line > BEGINNING.count("\n") for finding in findings)
    report_text = report(findings, script)
    assert "and nothing was called:" in report_text
    assert FAULTS[line] in report_text


@pytest.mark.parametrize("line", RIGHT)
def test_a_right_script_is_left_alone(checker: Checker, line: str) -> None:
    assert report(checker.check(BEGINNING + line), "") == ""


def test_findings_point_into_the_original_script(checker: Checker) -> None:
    line = 'é = "𝄞"; a = {"query": "a"}; found.get("total"); bookshelf.get_item(**a, id=foud)'
    [unknown, undefined] = [f for f in checker.check(BEGINNING + line) if f.column > 50][:2]
    assert line[unknown.column - 1 :].startswith(("bookshelf", "**a"))
    assert line[undefined.column - 1 :].startswith("foud)")


@pytest.mark.slow
def test_one_shot_checker_agrees_with_the_running_one(checker: Checker) -> None:
    for line in [*FAULTS, *RIGHT][::6]:
        script = BEGINNING + line
        assert checker.check_once(script) == checker.check(script)


def test_a_script_is_checked_by_one_call() -> None:
    assert check_script("import shop\nawait shop.take_inventory()", shop=DEMO) == []
    [finding] = check_script("import bookshelf\nawait bookshelf.take_stock()", DEMO)
    assert (finding.line, finding.rule) == (2, "missing-attribute")


def test_killed_checker_restarts() -> None:
    with Checker([surface(DEMO)]) as checker:
        assert checker.check("print(1)") == []
        assert checker._server
        checker._server._process.kill()
        assert [finding.rule for finding in checker.check("print(a)")] == ["unresolved-reference"]
        assert [finding.rule for finding in checker.check("print(b)")] == ["unresolved-reference"]
    checker.close()


def test_nothing_of_a_script_is_run(checker: Checker, capsys: pytest.CaptureFixture[str]) -> None:
    checker.check("print('run')\nraise SystemExit")
    assert capsys.readouterr().out == ""


@pytest.mark.slow
@pytest.mark.skipif(not (CORPUS / "live").is_dir(), reason="no recorded servers")
def test_stubs_of_recorded_servers_have_no_errors(tmp_path: Path) -> None:
    files = sorted((CORPUS / "live").glob("*.json"))
    contracts = {f"s{n}": read(loads(file.read_bytes())) for n, file in enumerate(files)}
    ty.lay_out(
        tmp_path, {name: surface(contract, name).stub for name, contract in contracts.items()}
    )
    args = [ty.command(), "check", "--output-format", "concise"]
    run = subprocess.run(args, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (run.stdout, run.returncode) == ("All checks passed!\n", 0)


def test_server_module_names_must_be_unique_and_free() -> None:
    with pytest.raises(UsageError, match="two servers have the same name"):
        Checker([surface(DEMO), surface(DEMO)])
    with pytest.raises(UsageError, match="a script's module can't have this name"):
        check_script("", json=DEMO)


def test_missing_ty_error_explains_the_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(UsageError, match=r"checking scripts requires ty\nhint: .*\[scripts\]"):
        check_script("", DEMO)


def test_pinned_ty_version_is_installed() -> None:
    completed = subprocess.run(
        [ty.command(), "--version"], capture_output=True, text=True, check=True
    )
    assert f'"ty=={completed.stdout.split()[1]}"' in (ROOT / "pyproject.toml").read_text("utf-8")
