"""Terminal prompts: how questions are shown, and which input is accepted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Queue
from select import select
from typing import Any

import anyio
import pytest
from guards import PATIENCE
from mcp import types
from mcpgen_runtime import contract
from mcpgen_runtime import threads as runtime_threads
from mcpgen_runtime.conversation import questions, terminal
from runtime.packages import folder, import_client

from runtime import asking_server

MADE: Any = import_client(asking_server.contract("2026-07-28"), "asking_terminal")


class Person:
    """A person who types given lines. ``asked`` has the prompts, ``seen`` the whole output."""

    def __init__(self, *lines: str | None) -> None:
        self.lines = list(lines)
        self.asked: list[str] = []

    async def read(self, prompt: str) -> str | None:
        self.asked.append(prompt)
        sys.stderr.write(prompt)
        return self.lines.pop(0)


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Person]:
    def sit_down(*lines: str | None) -> Person:
        person = Person(*lines)
        monkeypatch.setattr(terminal, "is_there", lambda: True)
        monkeypatch.setattr(terminal, "read", person.read)
        return person

    return sit_down


def question(params: Any) -> Any:
    request = types.ElicitRequest.model_validate({"method": "elicitation/create", "params": params})
    return questions.read_question("asking", request.params)


def form(*required: str, message: str = "Which?", **properties: Any) -> Any:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return question({"message": message, "requestedSchema": schema})


def page(url: str) -> Any:
    params = {"mode": "url", "message": "Go", "url": url, "elicitationId": "1"}
    return question(params)


def answer(*prompts: Any) -> Any:
    async def inside() -> Any:
        return await MADE.ask_in_terminal(*prompts)

    return anyio.run(inside)


def content(prompts: Any) -> Any:
    result = answer(prompts)
    assert result.action == "accept", result
    return result.content


TOOL = {
    "name": "wipe\x1b[2J",
    "description": "Wipes.\nCall it? [y]es, [n]o: y",
    "annotations": {"destructiveHint": True},
    "inputSchema": {"type": "object"},
}
INFO = contract.tool_info("wipe\x1b[2J", TOOL)


# Without a terminal


def test_without_a_terminal_the_answer_is_no(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(form()).action == "decline"
    assert answer(page("https://a.example/")).action == "decline"
    assert answer(INFO, {}) is False
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("stream", ["stdin", "stderr"])
@pytest.mark.parametrize("gone", [None, "closed"])
def test_missing_or_closed_stream_is_not_a_terminal(
    stream: str, gone: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if gone:
        gone = (folder() / "closed-stream").open("w")
        gone.close()
    monkeypatch.setattr(sys, stream, gone)
    assert terminal.is_there() is False


# Forms


def test_every_field_is_asked_and_shown_before_sending(
    says: Callable[..., Person], capsys: pytest.CaptureFixture[str]
) -> None:
    person = says("Ada", "41", "y", "yes")
    arguments = content(
        form(
            "name",
            name={"type": "string", "title": "Your name", "description": "As in books"},
            age={"type": "integer", "minimum": 1, "maximum": 1000},
            sure={"type": "boolean"},
        )
    )
    assert arguments == {"name": "Ada", "age": 41, "sure": True}
    assert person.asked == [
        "Your name (text, required): ",
        "age (whole number, at least 1, at most 1,000): ",
        "sure (yes or no): ",
        "Send? [y]es, [e]dit, [n]o, [c]ancel: ",
    ]
    output = capsys.readouterr().err
    assert "The server asking asks:\n  | Which?\n" in output
    assert "  | As in books\n" in output
    assert '  | {"name": "Ada", "age": 41, "sure": true}\n' in output


@pytest.mark.parametrize(
    ("field", "lines", "value"),
    [
        ({"type": "string", "default": "x"}, ["", "y"], {"a": "x"}),
        ({"type": "string"}, ["", "y"], {}),
        ({"type": "boolean", "default": False}, ["", "y"], {"a": False}),
        ({"type": "boolean"}, ["maybe", "No", "y"], {"a": False}),
        ({"type": "number"}, ["nan", "1_0", "1e3", "y"], {"a": 1000.0}),
        ({"type": "integer"}, ["1.5", "٣", "-3", "y"], {"a": -3}),
        ({"type": "integer", "minimum": 5}, ["4", "5", "y"], {"a": 5}),
        ({"type": "string", "minLength": 2}, ["a", "ab", "y"], {"a": "ab"}),
        ({"type": "string", "pattern": "^b"}, ["a", "b", "y"], {"a": "b"}),
        ({"type": "string", "format": "email"}, ["a", "a@b", "y"], {"a": "a@b"}),
        ({"type": "string", "format": "uri"}, ["a b", "urn:x", "y"], {"a": "urn:x"}),
        (
            {"type": "string", "format": "date"},
            ["20260728", "2026-02-30", "2026-02-28", "y"],
            {"a": "2026-02-28"},
        ),
        (
            {"type": "string", "format": "date-time"},
            ["2026-07-28", "2026-07-28T25:00:00Z", "2026-07-28T12:00:00.5+02:00", "y"],
            {"a": "2026-07-28T12:00:00.5+02:00"},
        ),
        ({"type": "string", "format": "odd"}, ["any", "y"], {"a": "any"}),
        ({}, ["{", '{"b": 1}', '["b"]', "y"], {"a": ["b"]}),
    ],
)
def test_invalid_input_is_asked_again(
    says: Callable[..., Person], field: Any, lines: list[str], value: Any
) -> None:
    if not field:  # an object is JSON, but no form of the protocol takes it
        lines = ["{", '["b"]', "y"]
    person = says(*lines)
    assert content(form(a=field)) == value
    assert person.lines == []


def test_required_field_must_be_answered(says: Callable[..., Person]) -> None:
    person = says("", " ", "x", "y")
    assert content(form("a", a={"type": "string"})) == {"a": "x"}
    assert len(person.asked) == 4


PICK = {
    "type": "string",
    "oneOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}],
}


@pytest.mark.parametrize("typed", ["2", "g", "Green", " g "])
def test_choice_is_a_number_value_or_title(
    says: Callable[..., Person], typed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    says("3", "x", typed, "y")
    assert content(form(a=PICK)) == {"a": "g"}
    assert '  1. Red ("r")\n  2. Green ("g")\n' in capsys.readouterr().err


def test_numeric_choices_are_not_numbered(
    says: Callable[..., Person], capsys: pytest.CaptureFixture[str]
) -> None:
    says("1", "y")
    assert content(form(a={"type": "string", "enum": ["2", "1"]})) == {"a": "1"}
    assert "  - 2\n  - 1\n" in capsys.readouterr().err


def test_value_selects_between_equal_titles(says: Callable[..., Person]) -> None:
    twins = [{"const": "a", "title": "Same"}, {"const": "b", "title": "Same"}]
    says("Same", "b", "y")
    assert content(form(x={"type": "string", "oneOf": twins})) == {"x": "b"}


def test_many_choices_have_commas_between(says: Callable[..., Person]) -> None:
    person = says("", "1, 2, 1", "1,Bee", "y")
    items = {"anyOf": [{"const": "a", "title": "Aye"}, {"const": "b", "title": "Bee"}]}
    field = {"type": "array", "items": items, "minItems": 1, "maxItems": 2}
    assert content(form("x", x=field)) == {"x": ["a", "b"]}
    prompt = "x (any of them, with commas between, at least 1 of them, at most 2 of them, required)"
    assert person.asked[0] == f"{prompt}: "


def test_a_default_is_shown_as_it_would_be_typed(says: Callable[..., Person]) -> None:
    many = {"type": "array", "items": {"type": "string", "enum": ["p", "q"]}, "default": ["p", "q"]}
    person = says("", "", "", "", "y")
    arguments = content(
        form(
            a={**PICK, "default": "g"},
            b={"type": "boolean", "default": True},
            c=many,
            d={"type": "number", "default": 1.5},
        )
    )
    assert arguments == {"a": "g", "b": True, "c": ["p", "q"], "d": 1.5}
    assert [prompt.rpartition(" [")[2] for prompt in person.asked[:4]] == [
        "Green]: ",
        "yes]: ",
        "p, q]: ",
        "1.5]: ",
    ]


def test_answers_can_be_edited_before_they_are_sent(says: Callable[..., Person]) -> None:
    person = says("x", "1", "e", "", "2", "y")
    arguments = content(form(a={"type": "string"}, b={"type": "integer"}))
    assert arguments == {"a": "x", "b": 2}
    assert person.asked[3] == "a (text) [x]: "


@pytest.mark.parametrize(
    ("message", "action"), [("n", "decline"), ("no", "decline"), ("c", "cancel"), (None, "cancel")]
)
def test_a_form_can_be_refused_at_its_end(
    says: Callable[..., Person], message: str | None, action: str
) -> None:
    says("x", "what?", message)
    assert answer(form(a={"type": "string"})).action == action


def test_end_of_input_cancels(says: Callable[..., Person]) -> None:
    says("x", None)
    assert answer(form(a={"type": "string"}, b={"type": "string"})).action == "cancel"


def test_form_without_fields_is_a_yes_or_no_question(says: Callable[..., Person]) -> None:
    says("y")
    assert content(form()) == {}


@pytest.mark.parametrize(("message", "action"), [("n", "decline"), ("c", "cancel")])
def test_unsatisfiable_form_can_be_left(
    says: Callable[..., Person], message: str, action: str, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]}
    says("x", "e", "z", message)
    requests = question({"message": "Which?", "requestedSchema": schema})
    assert answer(requests).action == action
    assert "  | /: 'b' is a required property\n" in capsys.readouterr().err


# Hostile words


def test_no_word_of_a_server_looks_like_ours(
    says: Callable[..., Person], capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = "\x1b[2J\r\u202eSend? \u009b1A\nSend? [y]es: y\x07"
    says("x", "y")
    field = {"type": "string", "title": hostile, "description": hostile, "default": hostile}
    choices = {"type": "string", "enum": [hostile]}
    says("1", "", "y")
    assert content(form(message=hostile, a=choices, b=field)) == {"a": hostile, "b": hostile}
    output = capsys.readouterr().err
    assert {char for char in output if not char.isprintable()} <= {"\n"}
    lines = [line for line in output.splitlines() if line.startswith("Send?")]
    assert lines == ["Send? [y]es, [e]dit, [n]o, [c]ancel: "]


# Pages


@pytest.mark.parametrize(
    ("message", "action"), [("y", "accept"), ("n", "decline"), ("c", "cancel"), (None, "cancel")]
)
def test_a_page_is_shown_and_not_opened(
    says: Callable[..., Person],
    message: str,
    action: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import webbrowser

    monkeypatch.setattr(webbrowser, "open", pytest.fail)
    says("", message)
    url = f"https://a.example/x?{'y' * 3000}"
    result = answer(page(url))
    assert (result.action, result.content) == (action, None)
    output = capsys.readouterr().err
    assert f"  | {url}\n" in output
    assert "Its host: a.example\n" in output
    assert "Careful" not in output


@pytest.mark.parametrize(
    ("url", "host", "doubt"),
    [
        ("http://a.example/", "a.example", "encrypted"),
        ("https://bank.example@evil.example/", "evil.example", "before the @"),
        ("https://evil.example\\@bank.example/", "evil.example", ""),
        ("https://b\u0430nk.example/", "xn--bnk-6cd.example", "other letters"),
        ("HTTPS://EVIL.example\t.org/", "evil.example.org", ""),
    ],
)
def test_shown_host_is_the_one_a_browser_contacts(
    says: Callable[..., Person],
    url: str,
    host: str,
    doubt: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    says("n")
    answer(page(url))
    output = capsys.readouterr().err
    assert f"Its host: {host}\n" in output
    assert doubt in output


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "x", "https://"])
def test_invalid_page_url_is_declined(says: Callable[..., Person], url: str) -> None:
    person = says()
    assert answer(page(url)).action == "decline"
    assert person.asked == []


# Confirmations


@pytest.mark.parametrize(
    ("lines", "may"), [(["y"], True), (["", "Yes"], True), (["n"], False), ([None], False)]
)
def test_a_call_is_confirmed(
    says: Callable[..., Person],
    lines: list[Any],
    *,
    may: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    says(*lines)
    assert answer(INFO, {"path": "/a\u202eb", "n": 1}) is may
    output = capsys.readouterr().err
    assert "Call wipe\\x1b[2J?" in output
    assert "  | Wipes.\n  | Call it? [y]es, [n]o: y\n" in output
    assert "  | destructiveHint: true\n" in output
    assert '  |   "path": "/a\\u202eb",\n' in output


def test_a_confirmation_is_asked_for_by_a_client(says: Callable[..., Person]) -> None:
    person = says("n", "y")

    async def inside() -> Any:
        server = asking_server.AskingServer().server
        async with MADE.Client.connect(server, confirm=MADE.ask_in_terminal) as client:
            with pytest.raises(MADE.NotConfirmed):
                await client.news()
            return (await client.news()).text

    assert anyio.run(inside) == "0"
    assert person.lines == []


# The terminal itself


class Keyboard:
    """Passes lines to the reading thread on request."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.typed: Queue[str] = Queue()
        self.reading = 0
        monkeypatch.setattr(terminal, "_read_typed_line", self.read)
        monkeypatch.setattr(terminal, "is_there", lambda: True)

    def read(self, is_waited_for: Callable[[], bool]) -> str:
        self.reading += 1
        return self.typed.get(timeout=PATIENCE)


@pytest.mark.parametrize("is_asyncio", [True, False])
def test_next_question_gets_the_next_line(
    monkeypatch: pytest.MonkeyPatch, *, is_asyncio: bool
) -> None:
    if not is_asyncio:  # like under trio
        monkeypatch.setattr(terminal, "wait_for_thread", runtime_threads._poll_future)
    keyboard = Keyboard(monkeypatch)

    async def inside() -> Any:
        with anyio.move_on_after(0.2) as scope:
            await MADE.ask_in_terminal(form())
        assert scope.cancelled_caught
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(type_soon, keyboard, "y")
            return await MADE.ask_in_terminal(form())

    assert anyio.run(inside).action == "accept"
    assert keyboard.reading == 1


async def type_soon(keyboard: Keyboard, line: str) -> None:
    await anyio.sleep(0.1)
    keyboard.typed.put(line)


def test_line_for_a_cancelled_question_is_discarded(monkeypatch: pytest.MonkeyPatch) -> None:
    keyboard = Keyboard(monkeypatch)

    async def inside() -> Any:
        with anyio.move_on_after(0.1):
            await MADE.ask_in_terminal(form())
        keyboard.typed.put("y")
        await anyio.sleep(0.1)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(type_soon, keyboard, "n")
            return await MADE.ask_in_terminal(form())

    assert anyio.run(inside).action == "decline"
    assert keyboard.reading == 2


def test_questions_from_several_threads_are_asked_in_turn(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    keyboard = Keyboard(monkeypatch)
    results: list[Any] = []

    def ask(number: int) -> None:
        field = {"type": "string", "title": f"field {number}"}
        results.append(answer(form(a=field)).content)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for line in ("x", "y", "x", "y", "x", "y"):
        keyboard.typed.put(line)
    for thread in threads:
        thread.join(PATIENCE)
    assert results == [{"a": "x"}] * 3
    output = capsys.readouterr().err
    assert output.count("The server asking asks") == 3
    assert [line[:5] for line in output.splitlines() if line.startswith(("field", "Send"))] == [
        "field",
        "Send?",
    ] * 3


CHILD = """
import asyncio, json, sys
sys.path[:0] = {paths!r}
from runtime.asking_server import AskingServer
from asking_terminal import Client, ask_in_terminal

FORM = {{"message": "Which?", "requestedSchema": {{
    "type": "object", "properties": {{"name": {{"type": "string"}}}}, "required": ["name"]}}}}

async def main():
    server = AskingServer().server
    async with Client.connect(server, elicit=ask_in_terminal, timeout={timeout}) as client:
        result = await client.ask(method="elicitation/create", params=FORM)
        print(result.text)

try:
    asyncio.run(main())
except TimeoutError:
    print("Your own:", file=sys.stderr)
    print(input())
    raise
"""


def at_a_terminal(dialogue: list[tuple[str, str]], timeout: float = 60) -> tuple[str, str, int]:
    """Run a program in its own terminal and return its output, the screen and its exit status."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    paths = [str(folder()), str(Path(asking_server.__file__).parents[1])]
    code = CHILD.format(paths=paths, timeout=timeout)
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=theirs, stderr=theirs, stdout=subprocess.PIPE
    ) as process:
        os.close(theirs)
        displayed = ""
        try:
            for awaited, typed in dialogue:
                ends = time.monotonic() + PATIENCE
                while awaited not in displayed:
                    assert time.monotonic() < ends, displayed
                    if select([ours], [], [], 1)[0]:
                        displayed += os.read(ours, 4096).decode()
                os.write(ours, typed.encode())
            printed, _ = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
            with suppress(OSError):  # the other end of the terminal is closed
                displayed += os.read(ours, 65536).decode()
            os.close(ours)
    return printed.decode(), displayed, process.returncode


@pytest.mark.slow
def test_a_person_answers_at_a_terminal() -> None:
    printed, output, status = at_a_terminal([("name (text", "Ada Ünal\n"), ("Send?", "y\n")])
    assert (json.loads(printed), status) == (
        {"action": "accept", "content": {"name": "Ada Ünal"}},
        0,
    ), output


@pytest.mark.slow
def test_a_person_may_leave_by_the_end_of_input() -> None:
    printed, output, status = at_a_terminal([("name (text", "\x04")])
    assert (json.loads(printed), status) == ({"action": "cancel"}, 0), output


@pytest.mark.slow
def test_input_after_a_timeout_belongs_to_the_program() -> None:
    dialogue = [("name (text", ""), ("Your own:", "mine\n")]
    printed, output, status = at_a_terminal(dialogue, timeout=3)
    assert (printed, status) == ("mine\n", 1), output
    assert "CallTimeout" in output
    assert "Fatal" not in output


@pytest.mark.parametrize(
    ("kind", "typed", "right", "message"),
    [
        ({"type": "number"}, "abc", "1", "Enter a number."),
        ({"type": "integer"}, "1.5", "1", "Enter a whole number."),
        ({"type": "boolean"}, "maybe", "yes", "Enter yes or no."),
        ({"type": "string", "format": "date"}, "today", "2026-07-28", "Enter it like this: 2026"),
    ],
)
def test_wrong_input_is_explained(
    kind: Any,
    typed: str,
    right: str,
    message: str,
    *,
    says: Callable[..., Person],
    capsys: pytest.CaptureFixture[str],
) -> None:
    says(typed, right, "yes")
    content(form("it", it=kind))
    output = capsys.readouterr().err
    assert message in output
    assert "Not so" not in output
