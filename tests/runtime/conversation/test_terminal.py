"""Input at a terminal: which question a line answers, and programs without a terminal."""

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
from mcpgen_runtime import threads as runtime_threads
from mcpgen_runtime.conversation import terminal
from runtime.packages import folder
from terminal_questions import INFO, MADE, answer, form, page

from runtime import asking_server


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
