"""Questions to the user at the terminal: for the server, or to confirm a call."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from ..contract import ToolInfo
from ..display import on_one_line
from ..errors import InvalidAnswer
from . import terminal
from .fields import BooleanField, Choice, ChoiceField, ChoicesField, Field, NumberField, TextField
from .questions import Question
from .terminal import quote, show

if TYPE_CHECKING:
    from mcp.types import ElicitResult

Parse: TypeAlias = Callable[[str], Any]

_YES, _NO = ("y", "yes"), ("n", "no")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(
    rf"{_DATE.pattern}[Tt ][0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}(\.[0-9]+)?"
    r"([Zz]|[+-][0-9]{2}:[0-9]{2})"
)
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")


@overload
async def ask_in_terminal(request: Question, /) -> ElicitResult: ...
@overload
async def ask_in_terminal(request: ToolInfo, arguments: Mapping[str, Any], /) -> bool: ...
async def ask_in_terminal(
    request: Question | ToolInfo, arguments: Mapping[str, Any] | None = None, /
) -> ElicitResult | bool:
    """Ask at the terminal, for use as ``elicit=`` and ``confirm=``.

    Questions appear on stderr. Answers are read from stdin, validated, and requested again
    if invalid. Without a terminal the answer is no. Only one question is open at a time.
    The URL of a page is shown but not opened.
    """
    if isinstance(request, Question):
        if not terminal.is_there():
            return request.decline()
        async with terminal.turn():
            ask = _page if request.mode == "url" else _form
            return await ask(request) or request.cancel()
    if not terminal.is_there():
        return False
    async with terminal.turn():
        return await _ask_confirmation(request, arguments or {})


async def _ask_confirmation(tool: ToolInfo, arguments: Mapping[str, Any]) -> bool:
    show("", f"Call {on_one_line(tool.name)}? The server's description:")
    claims = [f"{name}: {json.dumps(says)}" for name, says in tool.annotations.items()]
    for text in (tool.title, tool.description, ", ".join(claims)):
        if text:
            show(quote(text))
    show("With:", quote(json.dumps(arguments, indent=2, ensure_ascii=False)))
    return await _choose("Call it? [y]es, [n]o: ", _YES, _NO) == "y"


async def _page(question: Question) -> ElicitResult | None:
    """Ask whether the user will open a page."""
    _introduce(question, "wants you to open a page")
    host, doubts = _host(question.url)
    show("The whole address:", quote(question.url))
    if not host:
        show("That is not the address of a web page: declined.")
        return question.decline()
    show(f"Its host: {on_one_line(host)}", *doubts)
    show("It doesn't open by itself; open it only if you trust the host.")
    choice = await _choose("Will you? [y]es, [n]o, [c]ancel: ", _YES, _NO, ("c", "cancel"))
    if choice == "y":
        return question.accept()
    return question.decline() if choice == "n" else None


def _host(url: str) -> tuple[str, list[str]]:
    """Return the host of a URL as browsers parse it, and warnings about the URL."""
    from pydantic import AnyUrl, ValidationError

    try:
        read = AnyUrl(url)  # as browsers parse it (WHATWG URL)
    except ValidationError:
        return "", []
    if read.scheme not in ("http", "https") or not read.host:
        return "", []
    doubts: list[str] = []
    if read.scheme == "http":
        doubts.append("Careful: the connection would not be encrypted.")
    if "xn--" in read.host:
        host = on_one_line(read.unicode_host() or "")
        doubts.append(f"Careful: it has other letters, and may look like {host}.")
    if read.username or read.password:
        doubts.append("Careful: the part before the @ isn't the host.")
    return read.host, doubts


async def _form(question: Question) -> ElicitResult | None:
    """Ask for each field, show all answers, and confirm before sending."""
    _introduce(question, "asks")
    content: dict[str, Any] = {}
    if question.fields:
        show("An empty line takes the value in brackets, or leaves the field out. Ctrl-D cancels.")
    while True:
        for field in question.fields:
            before = content.get(field.name, field.default)
            value = await _value(field, before)
            if value is _GONE:
                return None
            content.pop(field.name, None)
            if value is not None:
                content[field.name] = value
        try:
            answer = question.accept(content)
        except InvalidAnswer as error:
            show("Invalid answer:")
            show(*(quote(str(problem)) for problem in error.problems))
            choice = await _choose("[e]dit, [n]o, [c]ancel: ", *_WORDS[1:])
        else:
            show("To be sent:", quote(json.dumps(answer.content, ensure_ascii=False)))
            choice = await _choose("Send? [y]es, [e]dit, [n]o, [c]ancel: ", *_WORDS)
            if choice == "y":
                return answer
        if choice != "e":
            return question.decline() if choice == "n" else None


_WORDS = (_YES, ("e", "edit"), _NO, ("c", "cancel"))
_GONE = object()
"""The input has ended."""


def _introduce(question: Question, does: str) -> None:
    show(
        "",
        f"The server {on_one_line(question.server)} {does}:",
        quote(question.message),
    )


async def _choose(prompt: str, *choices: Sequence[str]) -> str:
    """Ask until the answer is one of these words. At the end of the input, return the last."""
    while True:
        line = await terminal.read(prompt)
        if line is None:
            show("")
            return choices[-1][0]
        for choice in choices:
            if line.strip().lower() in choice:
                return choice[0]


async def _value(field: Field, before: Any) -> Any:
    """Ask for one field until the answer is valid, or return None if it is left out."""
    if field.description:
        show(quote(field.description))
    choices = _shown_choices(field)
    show(*choices)
    about = "".join(f", {item}" for item in _about(field))
    default = "" if before is None else f" [{on_one_line(_text(field, before))}]"
    prompt = f"{on_one_line(field.title)} ({_kind(field)}{about}){default}: "
    while True:
        line = await terminal.read(prompt)
        if line is None:
            show("")
            return _GONE
        if not line.strip():
            if before is not None or not field.is_required:
                return before
            show("It is required.")
            continue
        try:
            value = _parse(field, line.strip())
        except ValueError as error:
            show(f"{str(error)[:1].upper()}{str(error)[1:]}.")
            continue
        problems = field.problems(value)
        if not problems:
            return value
        show(*(f"Not allowed: {on_one_line(problem.reason)}" for problem in problems))


def _kind(field: Field) -> str:
    if isinstance(field, TextField):
        return field.format if field.format in _FORMATS else "text"
    if isinstance(field, NumberField):
        return "whole number" if field.is_integer else "number"
    if isinstance(field, BooleanField):
        return "yes or no"
    if isinstance(field, ChoiceField):
        return "one of them"
    if isinstance(field, ChoicesField):
        return "any of them, with commas between"
    return "JSON"


def _about(field: Field) -> list[str]:
    """Describe the constraints of a field."""
    about: list[str] = []
    if isinstance(field, TextField):
        about += _bounds(field.min_length or None, field.max_length, "characters")
    elif isinstance(field, NumberField):
        about += _bounds(field.minimum, field.maximum, "")
    elif isinstance(field, ChoicesField):
        about += _bounds(field.min_items or None, field.max_items, "of them")
    return about + (["required"] if field.is_required else [])


def _bounds(least: float | None, most: float | None, of: str) -> list[str]:
    bounds = [("at least", least), ("at most", most)]
    return [f"{label} {bound:,} {of}".rstrip() for label, bound in bounds if bound is not None]


def _shown_choices(field: Field) -> list[str]:
    choices = _choices_of(field)
    marks = _marks(choices)
    return [
        f"  {mark}{on_one_line(choice.title)}"
        + ("" if choice.title == str(choice.value) else f" ({_json(choice.value)})")
        for mark, choice in zip(marks, choices, strict=True)
    ]


def _choices_of(field: Field) -> tuple[Choice, ...]:
    return field.choices if isinstance(field, ChoiceField | ChoicesField) else ()


def _marks(choices: Sequence[Choice]) -> list[str]:
    """Number the choices so that no number equals another choice."""
    names = [name for choice in choices for name in (choice.title, str(choice.value))]
    if any(name.strip().isdecimal() for name in names):
        return ["- "] * len(choices)
    return [f"{number}. " for number in range(1, len(choices) + 1)]


def _text(field: Field, value: Any) -> str:
    """Return a value as it would be typed."""
    if isinstance(field, BooleanField):
        return "yes" if value else "no"
    titles = {str(choice.value): choice.title for choice in _choices_of(field)}
    if isinstance(field, ChoicesField):
        return ", ".join(titles.get(str(item), str(item)) for item in value)
    if isinstance(field, ChoiceField):
        return titles.get(str(value), str(value))
    return value if isinstance(value, str) else _json(value)


def _parse(field: Field, line: str) -> Any:
    """Parse a line of input.

    Raises:
        ValueError: The line isn't a valid value.
    """
    if isinstance(field, TextField):
        return _check_format(field.format, line)
    if isinstance(field, NumberField):
        return _number(line, is_integer=field.is_integer)
    if isinstance(field, BooleanField):
        lowered = line.lower()
        if lowered not in (*_YES, *_NO, "true", "false"):
            raise ValueError("enter yes or no")
        return lowered in (*_YES, "true")
    if isinstance(field, ChoiceField):
        return _parse_choice(field.choices, line)
    if isinstance(field, ChoicesField):
        return [_parse_choice(field.choices, part) for part in line.split(",")]
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("enter JSON") from None


def _parse_choice(choices: Sequence[Choice], typed: str) -> Any:
    text = typed.strip()
    named = [c for c in choices if text in (str(c.value), c.title)]
    exact = [c for c in named if text == str(c.value)] or named
    if len(exact) == 1:
        return exact[0].value
    marks = _marks(choices)
    if not exact and f"{text}. " in marks:
        return choices[marks.index(f"{text}. ")].value
    problem = "enter one of the choices" if not exact else "enter its number"
    raise ValueError(problem)


def _number(line: str, *, is_integer: bool) -> float:
    if not _NUMBER.fullmatch(line):
        raise ValueError("enter a number")
    value: float = json.loads(line)
    if is_integer and not isinstance(value, int):
        raise ValueError("enter a whole number")
    return value


def _check_format(form: str, line: str) -> str:
    """Validate the format of a string, which the schema doesn't."""
    pattern, example = _FORMATS.get(form, (None, ""))
    if pattern is None:
        return line
    try:
        if not pattern.fullmatch(line):
            raise ValueError
        if form == "date":
            date.fromisoformat(line)
        elif form == "date-time":
            datetime.fromisoformat(line[:19].upper())
    except ValueError:
        raise ValueError(f"enter it like this: {example}") from None
    return line


_FORMATS: dict[str, tuple[re.Pattern[str], str]] = {
    "email": (_EMAIL, "ada@example.org"),
    "uri": (_URI, "https://example.org/"),
    "date": (_DATE, "2026-07-28"),
    "date-time": (_TIME, "2026-07-28T12:00:00Z"),
}


def _json(value: Any) -> str:
    return on_one_line(json.dumps(value, ensure_ascii=False))
