"""Classifies tool results by whether and where they contain data. Prose is never parsed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mcpgen import jsonpointer
from mcpgen.contract.observation.document import Source
from mcpgen.contract.observation.shapes import Hidden
from mcpgen.jsontext import Json, flaw, is_array, is_object, parse

MOST_BYTES = 1 << 20
"""Maximum size of a response in bytes."""

Form: TypeAlias = Literal[
    "error", "soft error", "structured", "result", "json", "json blocks", "text", "none", "blocks"
]
"""The kind of a result.

``result``: structured content with that one property. ``none``: no content. ``blocks``: content
that is neither data nor one text.
"""

_FAILED: tuple[Form, ...] = ("error", "soft error")


@dataclass(frozen=True, slots=True)
class Answer:
    """A classified result. ``data`` is the part from which a type is inferred."""

    form: Form
    data: Json = None

    @property
    def is_success(self) -> bool:
        """Whether the call succeeded, according to the result."""
        return self.form not in _FAILED


@dataclass(frozen=True, slots=True)
class Samples:
    """The data of all successful results of a tool, in one form. Text has no data."""

    source: Source
    values: tuple[Json, ...]


def read(result: Mapping[str, Json], redacted: Sequence[str] = ()) -> Answer | None:
    """Classify a tool result. Returns None if it is too large, not JSON, or possibly damaged by
    redaction: ``redacted`` are the JSON pointers of redacted values in the result.
    """
    if result.get("isError") is True:
        return Answer("error")
    structured = result.get("structuredContent")
    if structured is not None:
        steps = [jsonpointer.steps(item) for item in redacted]
        inner = [step[1:] for step in steps if step[:1] == ["structuredContent"]]
        return _read_structured(_mark_redacted(structured, inner))
    content = result.get("content")
    blocks: list[Json] = content if is_array(content) else []
    texts = [text for block in blocks if (text := _text(block)) is not None]
    if len(texts) != len(blocks):
        return Answer("blocks")
    if sum(map(len, texts)) > MOST_BYTES:
        return None
    answer = _of_content(texts)
    # The text may have been JSON before it was redacted.
    return None if redacted and answer.form in ("text", "blocks") else answer


def one_form(answers: Sequence[Answer]) -> Samples | str:
    """Return the data of a tool's successful results if they have one form, otherwise the
    reason.

    A tool that returns JSON in some calls and other text in others returns text.
    """
    good = [answer for answer in answers if answer.is_success]
    forms = {answer.form for answer in good}
    values = [answer.data for answer in good]
    if forms == {"structured"}:
        return Samples("structured", tuple(values))
    if forms == {"result"}:
        return _of_results(values)
    if forms == {"json"}:
        return _of_texts("json", values)
    if forms and forms <= {"json", "text"}:
        return Samples("text", ())
    if "json blocks" in forms and forms <= {"json", "json blocks", "none"}:
        return _of_blocks(good)
    return _why_none(forms)


def _why_none(forms: Collection[str]) -> str:
    if not forms:
        return "only error responses"
    if len(forms) > 1:
        return "no common form: " + ", ".join(sorted(_NAMES.get(form, form) for form in forms))
    return "no content" if "none" in forms else "several blocks, or content other than text"


_NAMES: dict[str, str] = {
    "none": "nothing",
    "result": "a structured result",
    "blocks": "several blocks",
}


def _text(block: Json) -> str | None:
    """Return the text of a text block, or None for other blocks."""
    text: Json = block.get("text") if is_object(block) and block.get("type") == "text" else None
    return text if isinstance(text, str) else None


def _of_content(texts: Sequence[str]) -> Answer:
    if len(texts) == 1:
        data = _data(texts[0])
        return (
            Answer("text", texts[0])
            if isinstance(data, str)
            else _with_soft_errors(Answer("json", data))
        )
    if not texts:
        return Answer("none")
    items = [_data(text) for text in texts]
    return Answer("json blocks", items) if all(map(is_object, items)) else Answer("blocks")


def _mark_redacted(value: Json, pointers: Sequence[Sequence[str]]) -> Json:
    """Replace redacted values by a marker."""
    if not pointers:
        return value
    if [] in pointers:
        return Hidden()

    def inner(step: str) -> list[Sequence[str]]:
        return [pointer[1:] for pointer in pointers if pointer[0] == step]

    if is_object(value):
        return {name: _mark_redacted(item, inner(name)) for name, item in value.items()}
    if is_array(value):
        return [_mark_redacted(item, inner(str(number))) for number, item in enumerate(value)]
    return value


def _read_structured(structured: Json) -> Answer | None:
    if flaw(structured):
        return None
    if is_object(structured) and list(structured) == ["result"]:
        inner = structured["result"]
        if (isinstance(inner, str) and len(inner) > MOST_BYTES) or isinstance(inner, Hidden):
            return None
        data = _data(inner) if isinstance(inner, str) else inner
        return Answer("soft error", data) if _is_soft_error(data) else Answer("result", inner)
    return _with_soft_errors(Answer("structured", structured))


def _of_results(values: Sequence[Json]) -> Samples | str:
    """Read the values of ``result``: data, or strings that may contain JSON."""
    if not all(isinstance(value, str) for value in values):
        return Samples("structured", tuple(values))
    data = [_data(value) for value in values]
    if any(isinstance(value, str) for value in data):
        return Samples("text", ())
    return _of_texts("json in result", data)


def _of_texts(source: Source, values: Sequence[Json]) -> Samples | str:
    """Treat strings of JSON as data, unless they may be prose or file contents."""
    if all(value in ([], {}) for value in values):
        return "only empty results, which may be text, too"
    holds = {is_object(value) or is_array(value) for value in values if value is not None}
    if holds == {True}:
        return Samples(source, tuple(values))
    if holds == {True, False}:
        return Samples("text", ())
    if len({repr(value) for value in values}) < 2:
        return "only one number or word, which may be text, too"
    return Samples(source, tuple(values))


def _of_blocks(answers: Sequence[Answer]) -> Samples | str:
    """Treat each content block as an item of a list. A list of one item looks like an object."""
    if not all(is_object(answer.data) for answer in answers if answer.form == "json"):
        return "no common form: a block each of several items, and one value"
    return Samples("json blocks", tuple(map(_items, answers)))


def _items(answer: Answer) -> Json:
    if answer.form == "none":
        return []
    return [answer.data] if answer.form == "json" else answer.data


def _data(text: str) -> Json:
    """Parse a string that is a complete JSON value other than a string. Otherwise return it."""
    try:
        value: Json = parse(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, str) or flaw(value) else value


def _with_soft_errors(answer: Answer) -> Answer:
    return Answer("soft error", answer.data) if _is_soft_error(answer.data) else answer


_FEW = 3
_SAID = frozenset({"error", "failed", "failure"})


def _is_soft_error(data: Json) -> bool:
    """Return True if the data reports a failure, although the result is marked as a success."""
    if not is_object(data):
        return False
    if data.get("success") is False or data.get("ok") is False:
        return True
    status = data.get("status")
    if isinstance(status, str) and status.lower() in _SAID:
        return True
    if any(data.get(name) is True for name in ("error", "isError", "is_error")):
        return True
    error = data.get("error")
    has_error = (isinstance(error, str) and error != "") or (is_object(error) and bool(error))
    return len(data) <= _FEW and has_error
