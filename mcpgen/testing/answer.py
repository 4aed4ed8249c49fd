"""The outcome of a request: a result, an error, or a fault below both."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import Enum

from mcpgen_runtime.display import brief

from mcpgen.jsontext import Json, is_array, is_object

INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
METHOD_NOT_FOUND = -32601


class Fault(Enum):
    """The reason for a missing response."""

    SILENT = "no response in time"
    CLOSED = "the server closed the connection"
    UNREADABLE = "an unreadable response"


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a request: ``result``, ``code`` with ``message``, or ``fault``.

    ``junk`` is the server's output in the meantime that wasn't a message, and ``error_data`` the
    data of an error.
    """

    result: Json = None
    code: int | None = None
    message: str = ""
    fault: Fault | None = None
    seconds: float = 0.0
    junk: str = ""
    error_data: Json = None

    @property
    def is_success(self) -> bool:
        """Whether there is a result that isn't marked as an error."""
        return is_object(self.result) and self.result.get("isError") is not True

    @property
    def is_tool_error(self) -> bool:
        """Whether the tool reports an error."""
        return is_object(self.result) and self.result.get("isError") is True

    @property
    def is_refusal(self) -> bool:
        """Whether there is an error of either kind."""
        return self.is_tool_error or self.code is not None

    def text(self) -> str:
        """Return the message of an error, or the text of a result."""
        if self.code is not None:
            return self.message
        return text_of(self.result)

    def structured_content(self) -> Json:
        """Return the structured content, or None."""
        return self.result.get("structuredContent") if is_object(self.result) else None

    def has_structured(self) -> bool:
        """Return True if there is structured content."""
        return is_object(self.result) and "structuredContent" in self.result

    def data(self) -> Json:
        """Return the data of a result: structured, or its text if that is JSON."""
        if self.has_structured():
            return self.structured_content()
        text = self.text()
        return parse_json(text) if text[:1] in ("{", "[") else None

    def comparison_key(self) -> str:
        """Return a key that is equal for equal results. It excludes ``_meta``."""
        if not is_object(self.result):
            return self.display_text()
        result = {name: value for name, value in self.result.items() if name != "_meta"}
        return json.dumps(result, sort_keys=True, default=str)

    def display_text(self) -> str:
        """Return the outcome on one line, for readers."""
        if self.fault is not None:
            return self.fault.value + (f": {brief(self.message)}" if self.message else "")
        if self.code is not None:
            return f"error {self.code}: {brief(self.message)}"
        kind = "tool error" if self.is_tool_error else "result"
        text = self.text() or json.dumps(
            self.structured_content() or self.result, ensure_ascii=False
        )
        return f"{kind}: {brief(text)}"


def text_of(result: Json) -> str:
    """Return the text of a result's blocks."""
    content = result.get("content") if is_object(result) else None
    blocks = [value for value in (content if is_array(content) else []) if is_object(value)]
    return "\n".join(block["text"] for block in blocks if isinstance(block.get("text"), str))


def links_of(result: Json) -> list[str]:
    """Return the resources that a result links to."""
    content = result.get("content") if is_object(result) else None
    blocks = [value for value in (content if is_array(content) else []) if is_object(value)]
    links = [block.get("uri") for block in blocks if block.get("type") == "resource_link"]
    return [uri for uri in links if isinstance(uri, str)]


_SOFT = re.compile(
    r"\s*(?:[❌⚠️🚫\s]*)(?:an? )?(?:error|failed|failure|exception|invalid|unable to|could not"
    r"|cannot|input validation|no such|not found|missing required)\b"
    r"|\s*there is no \w+ \S*\d\S*[.!]?\s*$"
    # A label may begin with "Unknown artist".
    r"|\s*unknown \w+(?: id)?(?:[:'\"` ]*['\"`:]|[.!]?\s*$| \S*\d\S*[.!]?\s*$)",
    re.IGNORECASE,
)
_NOT_FOUND = re.compile(
    r"[^\n.]{1,80}(?:\.\w+)?[^\n.]{0,40} (?:does not exist|(?:was )?not found)[.!]?"
)
ABSENT = re.compile(
    r"not found|no such|unknown|not exist|n't exist|not known|there (?:is|are) no\b|\bno \w+ (?:has"
    r"|with|named|found|matches)|(?:could|can)(?: ?not|n't) find",
    re.IGNORECASE,
)
"""An error about an entity that doesn't exist. A result may contain these words, too."""
_FALSE = ("error", "errors", "errorMessage", "error_message")


def has_worked(answer: Answer) -> bool:
    """Return True for a success whose data doesn't report a failure."""
    return answer.is_success and not is_soft_error(answer)


def is_soft_error(answer: Answer) -> bool:
    """Return True if a successful result reports a failure in its data or text."""
    if not answer.is_success:
        return False
    data = answer.structured_content()
    if is_object(data) and set(data) == {"result"}:
        data = data["result"]
    if isinstance(data, str) and data[:1] == "{":
        data = parse_json(data)
    if is_object(data):
        if data.get("success") is False or data.get("ok") is False:
            return True
        if any(data.get(name) for name in _FALSE):
            return True
    text = answer.text()[:200]
    return bool(_SOFT.match(text) or _NOT_FOUND.fullmatch(text.strip()))


_ARGUMENT = re.compile(
    r"\binvalid\b|validation|\brequired\b|\bmust\b|not (?:allowed|supported|valid|accepted|one of)"
    r"|\bexpected\b|\bshould be\b|\btoo (?:long|short|small|large|big|many|few)\b"
    r"|\bat (?:least|most)"
    r"|\bonly\b.{1,40}\ballowed\b|\bcan(?:'t|not| not) be\b|\bmay not be\b|\bno more than\b"
    r"|\bempty\b|\bblank\b|out of range|less than|greater than|does not match|malformed",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"already|exist|conflict|permission|denied|forbidden|unauthor|locked|busy|in use|expired"
    r"|not available|unavailable|duplicate|limit reached|quota|timed? ?out"
    r"|\bE(?:NAMETOOLONG|NOENT|ISDIR|NOTDIR|ACCES|PERM)\b|\[Errno \d+\]",
    re.IGNORECASE,
)
_TAKEN = re.compile(r"\b(?:taken|booked|full|closed)\b", re.IGNORECASE)


def is_about_arguments(answer: Answer, argument: str = "") -> bool:
    """Return True if an error is about invalid arguments, not about the entities they refer to.

    An error that begins with the name of ``argument`` rejects its value, unless a slot is taken.
    The argument has a pattern, or may be any string.
    """
    if not answer.is_refusal:
        return False
    text = answer.text()
    if ABSENT.search(text) or _STATE.search(text):
        return False
    is_named = bool(argument) and text.startswith(f"{argument}:") and not _TAKEN.search(text)
    return answer.code == INVALID_PARAMS or is_named or bool(_ARGUMENT.search(text))


def may_be_taken(answer: Answer) -> bool:
    """Return True if another call may have taken the value, according to an error."""
    is_invalid = answer.code == INVALID_PARAMS
    return answer.is_refusal and not is_invalid and not ABSENT.search(answer.text())


def parse_json(text: str) -> Json:
    """Parse JSON, or return None for other text."""
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value
