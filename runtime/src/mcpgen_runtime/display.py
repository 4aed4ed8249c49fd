"""Remote text for readers, shortened and with misleading characters escaped.

Each output has its own type of text, so a type checker rejects a raw string or an f-string
that joins one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, NewType

if TYPE_CHECKING:
    from typing_extensions import LiteralString

TerminalText = NewType("TerminalText", str)
"""Text for a terminal, without control characters or invisible ones."""
ModelText = NewType("ModelText", str)
"""Lines for a model, in which quoted text can't start a line."""
Markdown = NewType("Markdown", str)
"""Markdown that shows remote text literally."""
ShellWord = NewType("ShellWord", str)
"""A word that bash, zsh and fish don't interpret, even without quotes."""
SarifText = NewType("SarifText", str)
"""Text of a SARIF document without Markdown links of others (section 3.11.6)."""
Html = NewType("Html", str)
"""HTML that shows remote text literally."""

_SEEN = "Lu Ll Lt Lm Lo Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Mn Mc".split()
"""The Unicode categories of visible characters."""
_MOST_MARKS = 4
"""The maximum number of combining marks per letter. More would hide other lines."""
# Default_Ignorable_Code_Point of Unicode, and blank Braille: letters, marks and symbols
# without a shape, such as fillers, joiners and variation selectors.
_BLANK = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_NOT_ASCII = re.compile(r"[^ -~\n]")
_SHORT = {"\t": "\\t", "\r": "\\r"}


def brief(text: str, limit: int = 160) -> str:
    """Shorten a message that may quote a whole document to one line.

    It is cut between words unless that would remove much of the quotation.
    """
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    start = line[: limit - 2]
    end = start.rfind(" ", limit // 2)
    return f"{start[:end] if end > 0 else start[:-1]}..."


def visible(text: str) -> TerminalText:
    """Escape control characters and invisible characters. Line breaks stay."""
    if text.isascii():
        ascii_text = _NOT_ASCII.sub(lambda match: visible_character(match[0]), text)
        return TerminalText(ascii_text)
    characters: list[str] = []
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char)[0] == "M" else 0
        is_one_too_many = marks > _MOST_MARKS
        characters.append(_escape(char) if is_one_too_many else visible_character(char))
    return TerminalText("".join(characters))


def on_one_line(text: str) -> TerminalText:
    """Return visible text on one line, so that it can't imitate output of this program."""
    return TerminalText(visible(text.replace("\t", " ")).replace("\n", "\\n"))


def lines(parts: Iterable[TerminalText]) -> TerminalText:
    """Join lines for a terminal."""
    return TerminalText("\n".join(parts))


def model_line(template: LiteralString, *values: object) -> ModelText:
    """Fill values into a template of this program for a model, each escaped and on one line."""
    return ModelText(template.format(*(on_one_line(str(value)) for value in values)))


def model_lines(parts: Iterable[ModelText]) -> ModelText:
    """Join lines for a model."""
    return ModelText("\n".join(parts))


def is_blank(char: str) -> bool:
    """Return True for a character that programs may ignore, according to Unicode."""
    return _BLANK.match(char) is not None


# A shell inserts completed words unquoted, so they have no character it acts on.
_PLAIN_WORD = re.compile(r"[\w./:@,+-][\w./:@,+=-]*")


def shell_words(texts: Iterable[str]) -> list[ShellWord]:
    """Return the words that shells don't interpret. Others are left out."""
    return [ShellWord(text) for text in texts if _PLAIN_WORD.fullmatch(text)]


@lru_cache(4096)
def visible_character(char: str) -> str:
    """Return a character, or its escape if it is invisible or combines with others."""
    if char == "\n" or " " <= char <= "~":
        return char
    is_seen = unicodedata.category(char) in _SEEN and not is_blank(char)
    return char if is_seen and unicodedata.combining(char) == 0 else _escape(char)


def _escape(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return _SHORT.get(char) or f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
