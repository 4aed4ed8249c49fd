"""Terminal prompts: how questions are shown, and which input is accepted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from mcpgen_runtime.conversation import terminal
from terminal_questions import INFO, MADE, answer, content, form, page, question

from runtime import asking_server


class Person:
    """Simulates a user who types lines. ``asked`` has the prompts, ``seen`` the whole output."""

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
