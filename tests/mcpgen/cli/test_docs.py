"""`mcpgen docs`: files, comparison, refusals, and example calls that run."""

from __future__ import annotations

import asyncio
import html
import importlib
import json
import re
import shlex
import sys
from pathlib import Path

import pytest
from projects import DEMO

from mcpgen.cli.app import run
from mcpgen.codegen.pipeline import Options, generate
from mcpgen.contract.document import read
from mcpgen.files import write
from mcpgen.jsontext import loads

NAMED = '{"server": {"name": "%s"}, "tools": [{"name": "%s", "inputSchema": {"type": "object"}}]}'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.json").write_text(NAMED % ("one", "first"))
    (tmp_path / "two.json").write_text(NAMED % ("one", "second"))
    return tmp_path


def docs(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = run(["docs", *args])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_file_is_named_after_the_server(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, out, err = docs(capsys, "one.json")
    assert (code, out, err) == (0, "", "one.html: 1 tool\n")
    assert "first" in (folder / "one.html").read_text()
    assert docs(capsys, "one.json")[2] == "one.html: 1 tool, unchanged\n"


def test_several_servers_get_one_file_each(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    assert docs(capsys, "one.json", "other=two.json", "-o", "site/")[0] == 0
    assert sorted(path.name for path in (folder / "site").iterdir()) == ["one.html", "other.html"]


def test_equal_names_are_refused_before_anything_is_written(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    code, _, err = docs(capsys, "one.json", "two.json")
    assert code == 2
    assert "two servers are called one" in err
    assert "NAME=SERVER" in err
    assert not list(folder.glob("*.html"))


def test_several_pages_need_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = docs(capsys, "one.json", "b=two.json", "-o", "all.html")
    assert code == 2
    assert "several pages need a folder" in err


def test_other_files_are_not_replaced(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "one.html").write_text("mine")
    code, _, err = docs(capsys, "one.json")
    assert code == 2
    assert "wasn't written by mcpgen docs" in err
    assert (folder / "one.html").read_text() == "mine"


def test_stdout_gets_the_page(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, out, _ = docs(capsys, "one.json", "-o", "-")
    assert code == 0
    assert out.startswith("<!DOCTYPE html>")
    assert not list(folder.glob("*.html"))


def test_json_lists_the_files(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = docs(capsys, "one.json", "--json")
    assert json.loads(out) == {"files": ["one.html"], "notices": []}


def test_json_and_page_exclude_each_other_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = docs(capsys, "one.json", "--json", "-o", "-")
    assert (code, out) == (2, "")
    assert "can't both go to stdout" in err


def test_left_out_definition_is_a_notice(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    template = '{"resourceTemplates": [{"name": "t", "uriTemplate": "a://{"}], "tools": []}'
    (folder / "broken.json").write_text(template)
    assert "not an RFC 6570 template; left out" in docs(capsys, "broken.json")[2]
    assert docs(capsys, "broken.json", "--strict", "-o", "other.html")[0] == 1
    assert not (folder / "other.html").exists()


def test_comparison_shows_removed_and_added_tools(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    code, _, err = docs(capsys, "--diff", "one.json", str(folder / "two.json"))
    assert (code, err) == (0, "one-changes.html: 1 breaking, 1 compatible\n")
    page = (folder / "one-changes.html").read_text()
    assert ">tool first<" in page
    assert ">tool second<" in page
    assert str(folder) not in page


def test_comparison_takes_two(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = docs(capsys, "--diff", "one.json", "two.json", "one.json")
    assert code == 2
    assert "--diff compares two" in err


def calls(capsys: pytest.CaptureFixture[str], language: str) -> list[str]:
    _, page, _ = docs(capsys, str(DEMO), "-o", "-")
    pattern = rf"<figcaption>{language}</figcaption><pre[^>]*><code>(.*?)</code>"
    return [html.unescape(code) for code in re.findall(pattern, page, re.DOTALL)]


@pytest.mark.slow
def test_shell_examples_of_the_demo_run(capsys: pytest.CaptureFixture[str]) -> None:
    commands = calls(capsys, "Shell")
    assert len(commands) == 11
    for command in commands:
        # A shell joins lines that end with a backslash; shlex doesn't.
        program, name, server, *args = shlex.split(command.replace("\\\n", " "))
        assert (program, server) == ("mcpgen", "bookshelf")
        assert run([name, "--yes", "demo", *args] if name == "call" else [name, "demo", *args]) in (
            0,
            6,  # the demo doesn't have the item with the generated ID
        )


def test_python_examples_of_the_demo_run(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generated = generate(read(loads(DEMO.read_bytes())), Options(name="bookshelf_pages"))
    write.write(generated.files, folder / "bookshelf_pages")
    monkeypatch.syspath_prepend(folder)
    package = importlib.import_module("bookshelf_pages")
    setup, *examples = calls(capsys, "Python")
    assert "async with BookshelfClient.connect() as bookshelf:" in setup
    lines = "".join(f"        {line}\n" for code in examples for line in code.splitlines())
    program = f"async def main():\n    async with fake as bookshelf:\n{lines}"
    fake = package.BookshelfPagesClient.fake(unmatched="generate")
    namespace = {"fake": fake}
    exec(program, namespace)
    asyncio.run(namespace["main"]())  # type: ignore[operator]
    assert len(examples) == 12
    del sys.modules["bookshelf_pages"]
