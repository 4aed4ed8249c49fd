"""Correct scripts run. A broker makes their calls, which are their only access to the outside."""

from __future__ import annotations

import asyncio
import functools
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from checkers import write
from paths import ROOT

from mcpgen.codegen.pipeline import Options, generate
from mcpgen.contract.document import read
from mcpgen.jsontext import loads
from mcpgen.scripting import Call, Checker, Limits, Outcome, ScriptServer, ToolCall, run_script

DEMO = read(loads((ROOT / "golden" / "demo" / "contract.json").read_bytes()))
ANSWERS: dict[str, Any] = {
    "take_inventory": {"counted": 3, "by_genre": {"crime": 2}},
    "search_catalogue": {"items": [], "total": 0},
    "list_opening_hours": [{"day": "monday", "opens": "9", "closes": "5"}],
    "withdraw_items": {"withdrawn": ["B-1"]},
}
PLACES = pytest.mark.parametrize("sandbox", [True, False], ids=["monty", "process"])


async def send(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Answer as a server would."""
    if name == "get_item":
        text = {"type": "text", "text": f"there is no item {arguments['id']}"}
        return {"content": [text], "isError": True}
    if name == "browse_shelves":
        await asyncio.sleep(60)
    if name == "show_cover":
        image = {"type": "image", "mimeType": "image/png", "data": "AAAA"}
        return {"content": [{"type": "text", "text": "A cover"}, image]}
    return {"content": [], "structuredContent": ANSWERS.get(name, {"wrong": 1})}


@functools.cache
def connect_demo() -> ScriptServer:
    return ScriptServer.from_contract(DEMO, send, trust=True)


@pytest.fixture(scope="module", autouse=True)
def checker() -> Iterator[None]:
    with Checker([connect_demo().surface]) as checker:
        KEPT.append(checker)
        yield
    KEPT.clear()


KEPT: list[Checker] = []


def run(script: str, *, sandbox: bool, **options: Any) -> Outcome:
    options = {"limits": Limits(seconds=20), "checker": KEPT[0], **options}
    return asyncio.run(run_script(script, [connect_demo()], sandbox=sandbox, **options))


@PLACES
def test_script_calls_typed_functions_and_gets_plain_json(*, sandbox: bool) -> None:
    script = """\
import asyncio
import bookshelf
from bookshelf import take_inventory

found = await bookshelf.search_catalogue(query="x", from_=1900)
both = await asyncio.gather(take_inventory(), take_inventory())
print(found, [each["by_genre"] for each in both])
print(await bookshelf.list_opening_hours())
print(await bookshelf.show_cover(id="B-1"))
"""
    outcome = run(script, sandbox=sandbox)
    assert outcome.status == "done", outcome.problem
    assert outcome.text() == (
        "{'items': [], 'total': 0} [{'crime': 2}, {'crime': 2}]\n"
        "[{'day': 'monday', 'opens': '9', 'closes': '5'}]\n"
        "A cover\n[image, image/png]\n"
    )
    assert outcome.calls[0].arguments == {"query": "x", "from": 1900}


@PLACES
def test_script_can_catch_failed_calls(*, sandbox: bool) -> None:
    script = """\
import bookshelf as books
from bookshelf import (
    CallTimeout as Late, ToolError,
    get_item)

try:
    await get_item(id="B-9")
except Late:
    print("late")
except ToolError as error:
    print("tool:", error)
try:
    await books.search_catalogue(query="x", limit=500)
except books.InvalidArguments as error:
    print("arguments:", error)
try:
    await books.withdraw_items(ids=["B-1"], reason=None)
except books.NotConfirmed as error:
    print("not confirmed:", error)
try:
    await books.borrow_item(id="B-1", member="a@b.c")
except books.InvalidResult as error:
    print("result:", str(error)[:13])
await get_item(id="B-8")
"""
    outcome = run(script, sandbox=sandbox)
    assert outcome.status == "failed"
    assert outcome.output == (
        "tool: get_item: there is no item B-9\n"
        "arguments: search_catalogue: /limit: 500 is greater than the maximum of 50\n"
        "not confirmed: withdraw_items: the call was not confirmed\n"
        "result: borrow_item: \n"
    )
    assert "line 24: await get_item" in outcome.problem
    assert outcome.problem.endswith("ToolError: get_item: there is no item B-8")
    assert "bookshelf: get_item ToolError x 2" in outcome.text()
    names = ["ToolError", "InvalidArguments", "NotConfirmed", "InvalidResult", "ToolError"]
    assert [tool_call.outcome for tool_call in outcome.calls] == names


@PLACES
def test_a_wrong_script_makes_no_call(*, sandbox: bool) -> None:
    script = "import bookshelf\nawait bookshelf.take_inventory()\nawait bookshelf.get_item(id=1)"
    outcome = run(script, sandbox=sandbox)
    assert (outcome.status, outcome.calls) == ("refused", ())
    assert outcome.text().startswith("1 finding, and nothing was called:\nline 3: ")


@PLACES
def test_user_confirms_harmful_calls(*, sandbox: bool) -> None:
    calls: list[Call] = []

    async def confirm(call: Call) -> bool:
        calls.append(call)
        return call.arguments["ids"] == ["B-1"]

    script = """\
import bookshelf
await bookshelf.take_inventory()
print(await bookshelf.withdraw_items(ids=["B-1"], reason=None))
await bookshelf.withdraw_items(ids=["B-2"], reason=None)
"""
    outcome = run(script, sandbox=sandbox, confirm=confirm)
    assert [call.tool.name for call in calls] == ["withdraw_items"] * 2
    assert outcome.output == "{'withdrawn': ['B-1']}\n"
    assert "NotConfirmed" in outcome.problem


@PLACES
def test_each_call_is_noted_as_it_ends(*, sandbox: bool) -> None:
    noted: list[ToolCall] = []
    run("import bookshelf\nawait bookshelf.take_inventory()", sandbox=sandbox, audit=noted.append)
    [result] = noted
    assert {**result.document(), "seconds": 0} == {
        "module": "bookshelf",
        "tool": "take_inventory",
        "arguments": {},
        "outcome": "done",
        "problem": "",
        "seconds": 0,
    }


LOOP = "import bookshelf\nwhile True:\n    "
STOPPED = {
    "pass": (Limits(seconds=0.7), "longer than 0.7 seconds"),
    "await bookshelf.take_inventory()": (Limits(calls=3), "more than 3 calls"),
    "try:\n        await bookshelf.take_inventory()\n    except Exception:\n        pass": (
        Limits(calls=3),
        "more than 3 calls",
    ),
    "print('x' * 1000)": (Limits(output=5_000), "printed more than 5000"),
    "await bookshelf.browse_shelves()": (Limits(seconds=0.7), "longer than 0.7 seconds"),
}


@pytest.mark.sampled(1)
@PLACES
@pytest.mark.parametrize("body", STOPPED)
def test_script_over_its_limits_is_stopped(body: str, *, sandbox: bool) -> None:
    limits, text = STOPPED[body]
    outcome = run(LOOP + body, sandbox=sandbox, limits=limits)
    assert outcome.status == "failed"
    assert text in outcome.problem
    assert len(outcome.output) <= limits.output


@PLACES
def test_memory_is_limited(*, sandbox: bool) -> None:
    if not sandbox and sys.platform != "linux":
        pytest.skip("this system limits no process's memory")
    limits = Limits(seconds=20, memory=200_000_000)
    outcome = run(
        "a = []\nwhile True:\n    a.append('x' * 1000000 + str(len(a)))",
        sandbox=sandbox,
        limits=limits,
    )
    assert "MemoryError" in outcome.problem


@PLACES
def test_scripts_cannot_read_secrets(*, sandbox: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_TOKEN", "hidden")
    script = "import os\nprint(dict(os.environ))\nprint(os.listdir('.'))"
    outcome = run(script, sandbox=sandbox)
    assert "hidden" not in outcome.text()
    assert outcome.status == ("refused" if sandbox else "done")


@pytest.mark.parametrize("line", ["import urllib.request", "from uuid import uuid4"])
def test_unsupported_feature_is_reported_before_the_first_call(line: str) -> None:
    script = f"import bookshelf, json\nawait bookshelf.take_inventory()\n{line}"
    outcome = run(script, sandbox=True)
    assert outcome.status == "refused"
    assert f"line 3: the sandbox has no module {line.split()[1]}" in outcome.problem
    outcome = run(f"{script}\nclass A(Exception):\n    pass", sandbox=True)
    assert (outcome.status, outcome.calls) == ("refused", ())


def test_a_process_cannot_speak_for_the_connection() -> None:
    script = """\
import bookshelf, os
print('{"done": ""}')
os.write(1, b'{"id": 0, "call": ["bookshelf", "withdraw_items", [], {}]}\\n')
print((await bookshelf.take_inventory())["counted"])
"""
    outcome = run(script, sandbox=False)
    assert outcome.status == "done", outcome.problem
    assert outcome.output.endswith("\n3\n")
    assert [tool_call.tool for tool_call in outcome.calls] == ["take_inventory"]


@PLACES
def test_script_with_its_own_event_loop_runs_unchanged(*, sandbox: bool) -> None:
    script = """\
import asyncio, bookshelf

async def main():
    print((await bookshelf.take_inventory())["counted"])

if __name__ == "__main__":
    asyncio.run(main())
"""
    outcome = run(script, sandbox=sandbox)
    assert (outcome.output, outcome.problem) == ("3\n", "")


@PLACES
def test_exception_of_a_script_is_reported_with_its_line(*, sandbox: bool) -> None:
    outcome = run("def f():\n    return {}['a']\nf()", sandbox=sandbox)
    assert outcome.problem.splitlines()[0] == "line 3: f()"
    assert outcome.problem.splitlines()[-1].replace("'", "") == "KeyError: a"


@pytest.mark.slow
def test_generated_client_makes_calls_over_its_own_connection(tmp_path: Path) -> None:
    write(generate(DEMO, Options(name="books")).files, tmp_path / "books")
    code = """
import asyncio
from books import BooksClient
from mcpgen.demo import server
from mcpgen.scripting import run_script, served_by

SCRIPT = '''
import books
print((await books.take_inventory())["counted"])
try:
    await books.get_item(id="B-99")
except books.ToolError as error:
    print(error)
await books.withdraw_items(ids=["B-1"], reason=None)
'''

async def main():
    async with BooksClient.connect(
        server, trust=True, confirm=lambda tool, given: False
    ) as client:
        found = await run_script(SCRIPT, [served_by(client)], confirm_when="never")
        print(found.output + found.problem)

asyncio.run(main())
"""
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.stderr == ""
    *lines, last = run.stdout.splitlines()
    assert lines == [
        "3",
        "get_item: there is no item B-99; known are B-1, B-2, F-1",
        'line 8: await books.withdraw_items(ids=["B-1"], reason=None)',
    ]
    assert last.startswith("NotConfirmed: withdraw_items")


@PLACES
@pytest.mark.parametrize("value", ["datetime.date(2024, 1, 1)", "b'a'", "pathlib.Path('a')"])
def test_non_json_argument_raises_in_the_script(value: str, *, sandbox: bool) -> None:
    script = f"""\
import datetime, bookshelf, pathlib
values: dict = {{"query": {value}}}
try:
    print(await bookshelf.search_catalogue(**values))
except bookshelf.InvalidArguments as error:
    print("refused", error)
"""
    outcome = run(script, sandbox=sandbox)
    assert (outcome.status, outcome.output[:7]) == ("done", "refused"), outcome.problem


@PLACES
def test_system_exit_ends_a_script(*, sandbox: bool) -> None:
    assert run("print(1)\nraise SystemExit", sandbox=sandbox).status == "done"
    outcome = run('print(1)\nraise SystemExit("enough")', sandbox=sandbox)
    assert (outcome.status, "enough" in outcome.problem) == ("failed", True)


def test_broken_connection_ends_a_process_script() -> None:
    async def broken(_: str, __: Mapping[str, Any]) -> dict[str, Any]:
        raise OSError("gone")

    with Checker([connect_demo().surface]) as checker, pytest.raises(OSError, match="gone"):
        asyncio.run(
            run_script(
                "import bookshelf\nawait bookshelf.take_inventory()",
                [ScriptServer.from_contract(DEMO, broken, trust=True)],
                sandbox=False,
                checker=checker,
            )
        )
