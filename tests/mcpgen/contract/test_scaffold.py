"""`mcpgen init server` creates a contract from questions or options. It repeats a question after
an invalid answer.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from guards import PATIENCE
from paths import ROOT
from projects import call

from mcpgen.codegen.server_pipeline import ServerOptions, generate_server
from mcpgen.contract.document import Contract, read
from mcpgen.contract.handwritten import parse

posix = pytest.mark.skipif(sys.platform == "win32", reason="terminals are others there")

NAME = "Name that the server reports"
USE = "Purpose"
TOOL = "A tool, such as"
PROMPT = "A prompt, such as"
RESOURCE = "A resource, such as"
TEMPLATE = "A resource template, such as"

CTRL_C, CTRL_D = "\x03", "\x04"


@dataclass
class Terminal:
    """Simulates a user at a terminal, who reads each question before answering it."""

    file: int
    process: subprocess.Popen[bytes]
    screen: str = ""

    def sees(self, text: str) -> None:
        """Read until the text appears, and discard everything before it."""
        assert self.comes(text, PATIENCE), f"{text!r} did not come after {self.screen!r}"
        self.screen = self.screen[self.screen.index(text) + len(text) :]

    def comes(self, text: str, seconds: float) -> bool:
        ends = time.monotonic() + seconds
        while text not in self.screen:
            ready, _, _ = select.select([self.file], [], [], max(0, ends - time.monotonic()))
            part = b""
            with contextlib.suppress(OSError):  # Linux raises this when the terminal closes
                part = os.read(self.file, 4096) if ready else b""
            if not part:
                return False
            self.screen += part.decode()
        return True

    def types(self, keys: str) -> None:
        os.write(self.file, keys.encode())

    def answers(self, question: str, answer: str = "") -> None:
        self.sees(question)
        self.sees(": ")
        self.types(f"{answer}\n")

    def gives_up(self, key: str) -> None:
        """Press the key, and press it again if Python wasn't waiting for an answer yet."""
        for _ in range(int(PATIENCE)):
            self.types(key)
            if self.comes("interrupted", 1):
                return
        pytest.fail(f"it goes on after {self.screen!r}")

    def ends(self) -> int:
        return self.process.wait(timeout=PATIENCE)


ON_ITS_TERMINAL = """
import fcntl, termios
from mcpgen.cli import main
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
main()
"""


@contextlib.contextmanager
def terminal(folder: Path, *arguments: str) -> Iterator[Terminal]:
    """Run a command on a terminal of its own, which sends the signals of its keys."""
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", ON_ITS_TERMINAL, *arguments],
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"},
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Terminal(ours, process)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def contract(file: Path) -> Contract:
    return read(parse(file.read_bytes(), str(file)))


# On a terminal


@posix
def test_answers_become_a_contract_and_a_server(tmp_path: Path) -> None:
    with terminal(tmp_path, "init", "server") as person:
        person.answers(NAME, "Äcme: # no comment")
        person.answers(USE, 'Says "hello": {yes}')
        person.answers(TOOL, "search(query, limit?: integer, tags: array)")
        person.answers(TOOL, "ping()")
        person.answers(TOOL, "example")
        person.answers(TOOL)
        person.answers(PROMPT, "sum up(topic, style?)")
        person.answers(PROMPT)
        person.answers(RESOURCE, "acme://terms")
        person.answers(RESOURCE)
        person.answers(TEMPLATE, "acme://products/{id}")
        person.answers(TEMPLATE)
        person.sees("contract.yaml: written")
        assert person.ends() == 0
    recorded_contract = contract(tmp_path / "contract.yaml")
    assert recorded_contract.server == {"name": "Äcme: # no comment", "version": "0.1.0"}
    assert recorded_contract.instructions == 'Says "hello": {yes}'
    assert recorded_contract.tools["search"]["inputSchema"] == {
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "limit": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["query", "tags"],
        "additionalProperties": False,
    }
    assert recorded_contract.tools["ping"]["inputSchema"] == {
        "type": "object",
        "additionalProperties": False,
    }
    assert recorded_contract.tools["example"]["inputSchema"] == {"type": "object"}
    assert recorded_contract.prompts["sum up"]["arguments"] == [
        {"name": "topic", "required": True},
        {"name": "style"},
    ]
    assert [*recorded_contract.resources, *recorded_contract.resource_templates] == [
        "acme://terms",
        "acme://products/{id}",
    ]
    assert not generate_server(recorded_contract, ServerOptions(standalone=False)).notices


@posix
def test_a_bad_answer_is_refused_and_asked_again(tmp_path: Path) -> None:
    with terminal(tmp_path, "init", "server") as person:
        person.answers(NAME)
        person.answers(NAME, "acme")
        person.answers(USE)
        for bad, reason in (
            ("find it", "a tool's name has 1 to 128 of"),
            ("a" * 129, "a tool's name has 1 to 128 of"),
            ("find(query", "can't be parsed"),
            ("find(a: text)", "no type 'text'"),
            ("find(a, a)", "has an argument twice"),
            ("find(a,)", "the argument '' can't be parsed"),
        ):
            person.answers(TOOL, bad)
            person.sees(reason)
        person.answers(TOOL, "find(a)")
        person.answers(TOOL, "find")
        person.sees("find exists already")
        person.answers(TOOL)
        person.answers(PROMPT, "ask(n: integer)")
        person.sees("no type 'integer'")
        person.answers(PROMPT)
        person.answers(RESOURCE, "terms")
        person.sees("isn't a URI")
        person.answers(RESOURCE, "acme://{id}")
        person.sees("isn't a URI")
        person.answers(RESOURCE)
        person.answers(TEMPLATE, "acme://{id")
        person.sees("isn't a URI template")
        person.answers(TEMPLATE, "acme://terms")
        person.sees("isn't a URI template")
        person.answers(TEMPLATE)
        assert person.ends() == 0
    assert [*contract(tmp_path / "contract.yaml").tools] == ["find"]


@posix
def test_options_replace_questions(tmp_path: Path) -> None:
    args = ("--name", "acme", "--instructions", "x", "--tool", "a", "--prompt", "b", "--json")
    rest = ("--resource", "acme://c", "--template", "acme://d/{e}", "-o", "acme.json")
    with terminal(tmp_path, "init", "server", *args, *rest) as person:
        person.sees('"server": "acme"')
        assert person.ends() == 0
    assert [*contract(tmp_path / "acme.json").prompts] == ["b"]


ASKED = (NAME, USE, TOOL, PROMPT, RESOURCE, TEMPLATE)


@pytest.mark.slow
@posix
@pytest.mark.parametrize("key", [CTRL_C, CTRL_D], ids=["Ctrl-C", "Ctrl-D"])
@pytest.mark.parametrize("at", [0, 2, 5], ids=["first", "among", "last"])
def test_whoever_gives_up_leaves_nothing_behind(key: str, at: int, tmp_path: Path) -> None:
    with terminal(tmp_path, "init", "server") as person:
        for question in ASKED[:at]:
            person.answers(question, "acme" if question == NAME else "")
        person.sees(ASKED[at])
        person.sees(": ")
        if key == CTRL_C:
            person.types("half")
        person.gives_up(key)
        assert person.ends() == 130
    assert [*tmp_path.iterdir()] == []


@pytest.mark.slow
@posix
def test_whoever_gives_up_leaves_pyproject_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("[project]\nname = 'x'\n")
    with terminal(tmp_path, "init") as person:
        person.answers("Where is the server", "https://example.org/mcp")
        person.sees("Name of the server in this project")
        person.gives_up(CTRL_C)
        assert person.ends() == 130
    assert file.read_text() == "[project]\nname = 'x'\n"
    assert [*tmp_path.iterdir()] == [file]


# By options


@pytest.mark.parametrize(
    ("options", "where"),
    [
        (("--tool", "find it"), "--tool"),
        (("--tool", "a(b: text)"), "--tool"),
        (("--tool", "a", "--tool", "a()"), "--tool"),
        (("--prompt", "a("), "--prompt"),
        (("--resource", "terms"), "--resource"),
        (("--template", "acme://terms"), "--template"),
    ],
)
def test_invalid_option_is_rejected(options: Sequence[str], where: str, tmp_path: Path) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    completed = call(folder, "init", "server", "--name", "acme", *options)
    assert completed.returncode == 2
    assert f"  at   {where}\n" in completed.stderr
    assert [*folder.iterdir()] == []


def test_example_tool_is_added_if_nothing_is_declared(
    tmp_path: Path,
) -> None:
    for name, options, tools in (
        ("a.yaml", (), ["search"]),
        ("b.yaml", ("--resource", "acme://terms"), []),
    ):
        call(tmp_path, "init", "server", "--name", "acme", "-o", name, *options)
        assert [*contract(tmp_path / name).tools] == tools


def test_contract_contains_only_the_given_properties(tmp_path: Path) -> None:
    options = ("--tool", "buy(id: string)", "--tool", "sell", "--prompt", "ask")
    more = ("--resource", "acme://terms", "--template", "acme://products/{id}")
    for name in ("contract.yaml", "contract.json"):
        call(tmp_path, "init", "server", "--name", "acme", "-o", name, *options, *more)
        recorded_contract = contract(tmp_path / name)
        assert recorded_contract.tools["buy"].keys() == {"name", "description", "inputSchema"}
        assert recorded_contract.tools["sell"]["inputSchema"] == {"type": "object"}
        assert recorded_contract.prompts["ask"].keys() == {"name", "description"}
        uris = [
            *recorded_contract.resources.values(),
            *recorded_contract.resource_templates.values(),
        ]
        assert all(uri.keys() <= {"name", "uri", "uriTemplate"} for uri in uris)


def test_uncommented_lines_are_valid(tmp_path: Path) -> None:
    call(tmp_path, "init", "server", "--name", "acme", "--tool", "buy", "--prompt", "ask")
    file = tmp_path / "contract.yaml"
    marked = re.sub(r"^( +)# (?=[a-z}])", r"\1", file.read_text("utf-8"), flags=re.MULTILINE)
    file.write_text(re.sub(r"^( +)#   ", r"\1  ", marked, flags=re.MULTILINE), "utf-8")
    recorded_contract = contract(file)
    assert recorded_contract.tools["buy"]["annotations"] == {"readOnlyHint": True}
    assert "query" in recorded_contract.tools["buy"]["inputSchema"]["properties"]
    assert "found" in recorded_contract.tools["buy"]["outputSchema"]["properties"]
    assert recorded_contract.prompts["ask"]["arguments"] == [{"name": "topic", "required": True}]


@pytest.mark.parametrize("name", ["no", "null", "5", "1.0", "a: b", "- a", "{a}", "'", "#", "é\t"])
def test_any_name_is_kept(name: str, tmp_path: Path) -> None:
    completed = call(tmp_path, "init", "server", "--name", name, "--version", "1.0")
    assert completed.returncode == 0
    text = (tmp_path / "contract.yaml").read_text("utf-8")
    assert contract(tmp_path / "contract.yaml").server == {"name": name, "version": "1.0"}
    assert re.search("^server: {name: .*, version: .1.0.}$", text, re.MULTILINE)
