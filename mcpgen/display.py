"""Remote text for a person: short, and with every character that could mislead escaped.

Generated packages have a copy, so mcpgen and they escape the same characters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_SEEN = "Lu Ll Lt Lm Lo Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Mn Mc".split()
"""The categories of Unicode whose characters have a shape."""
_MOST_MARKS = 4
"""How many marks a letter may have; more hide the lines around it."""
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
    """Shorten a message that may quote a whole document, and show it on one line.

    It is cut between words, unless that would cost much of what it quotes.
    """
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    start = line[: limit - 2]
    end = start.rfind(" ", limit // 2)
    return f"{start[:end] if end > 0 else start[:-1]}..."


def visible(text: str) -> str:
    """Escape what a terminal acts on or a reader doesn't see. Line breaks stay."""
    if text.isascii():
        return _NOT_ASCII.sub(lambda match: visible_character(match[0]), text)
    shown: list[str] = []
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char)[0] == "M" else 0
        is_one_too_many = marks > _MOST_MARKS
        shown.append(_escape(char) if is_one_too_many else visible_character(char))
    return "".join(shown)


def on_one_line(text: str) -> str:
    """Return visible text on one line, so that none looks like a line of ours."""
    return visible(text.replace("\t", " ")).replace("\n", "\\n")


def is_blank(char: str) -> bool:
    """Return True for a character that Unicode lets a program leave out."""
    return _BLANK.match(char) is not None


# A shell inserts completed words unquoted, so they have no character it acts on.
_PLAIN_WORD = re.compile(r"[\w./:@,+-][\w./:@,+=-]*")


def is_plain_word(text: str) -> bool:
    """Return True if bash, zsh and fish take a word as it is."""
    return _PLAIN_WORD.fullmatch(text) is not None


@lru_cache(4096)
def visible_character(char: str) -> str:
    """Return a character, or its escape if it isn't seen alone and as itself."""
    if char == "\n" or " " <= char <= "~":
        return char
    is_seen = unicodedata.category(char) in _SEEN and not is_blank(char)
    return char if is_seen and unicodedata.combining(char) == 0 else _escape(char)


def _escape(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return _SHORT.get(char) or f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
