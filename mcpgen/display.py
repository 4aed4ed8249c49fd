"""Text of others on its way to a person: short, with all in it that could mislead made visible."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_SEEN = frozenset(
    "Lu Ll Lt Lm Lo Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Mn Mc".split()  # of Unicode
)
# Letters, marks and symbols without a shape: fillers, joiners, variation selectors, blank Braille.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
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
    """Escape what a terminal would act on and what a reader would not see; line breaks stay."""
    return _NOT_ASCII.sub(lambda match: visible_character(match[0]), text)


def on_one_line(text: str) -> str:
    """Return visible text on one line, so that no part of it looks like a line of ours."""
    return visible(text.replace("\t", " ")).replace("\n", "\\n")


# A shell inserts what it completes unquoted, so it may hold nothing that a shell acts on.
_PLAIN_WORD = re.compile(r"[\w./:@,+-][\w./:@,+=-]*")


def is_plain_word(text: str) -> bool:
    """Return True if bash, zsh and fish take a word as it is."""
    return _PLAIN_WORD.fullmatch(text) is not None


@lru_cache(4096)
def visible_character(char: str) -> str:
    """Return a character as it is if it is seen alone and as itself, else its escape in Python."""
    is_seen = unicodedata.category(char) in _SEEN and not _BLANK.match(char)
    if is_seen and unicodedata.combining(char) == 0:
        return char
    code = ord(char)
    if code < 0x100:
        return _SHORT.get(char) or f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
