"""Folds text to a width: prose is refilled, lists, code and tables keep their lines.

Text is parsed like Markdown and docstrings. Successive lines of prose form a paragraph. List items,
named entries, headings, table rows, fenced code and indented text start a line of their own. An
item continues in deeper lines. Other lines are broken only if they are too long, at a space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

_FENCE = re.compile(r"(?P<mark>`{3,}|~{3,})[^`]*")
_ITEM = re.compile(
    r"(?:[-*+]|\(?(?:\d{1,3}|[A-Za-z])[.)]|[^\w\s\x00-\x7f\u2018-\u201f](?:\\+ufe0f)?)\s+"
)
# At most four words before a colon or an equals sign, in any markup: ``**Returns:** ...``.
_LABEL = re.compile(
    r"[^\w\s]{0,3}\w[^\s:=]*(?:(?: [^\s:=]+){0,3} ?[:=][*_'\")]{0,3}(?:\s|$)| [-\u2013\u2014]\s)"
)
_ALONE = re.compile(
    r"\#{1,6}\s|>\s|\|.*\|$|[-|:+\s]+$|[=*_]{3,}$"  # headings, quotes, tables, rules
    r"|</?\w.*>$|[\[{].*[\[{(\]}),]$|[\]})\s,;]+$|(?:\$|>>>|\.\.\.)\s"  # markup, JSON, sessions
)
_UNFINISHED = re.compile(r"[\w,]$")
# In scripts without spaces between words, a line may also end after punctuation.
_MARKS = "\u3001\u3002\uff01\uff09\uff0c\uff1a\uff1b\uff1f\u300d\u300f\u3011"
_WORDS = re.compile(rf"(\s*)([^\s{_MARKS}]+[{_MARKS}]*|[{_MARKS}]+)")
_HANG = 4

Kind = Literal["prose", "item", "label", "alone"]


@dataclass(frozen=True, slots=True)
class Block:
    """A block to fold. Its first line starts at the column ``indent``, the others at ``hang``.

    A block without text is a blank line.
    """

    kind: Kind
    text: str
    indent: int = 0
    hang: int = 0
    is_continued: bool = False

    def fold(self, width: int, first: int, lead: str = "") -> list[str]:
        """Return the lines. The first one is ``first`` columns wide and starts with ``lead``."""
        text = lead + self.text
        indent, hang = (" " * min(column, width // 2) for column in (self.indent, self.hang))
        if len(indent) + len(text) <= first:
            return [(indent + text).rstrip()]
        tokens = _WORDS.findall(text)
        if self.kind == "item":  # a marker is always followed by text
            tokens[:2] = [("", "".join(map("".join, tokens[:2])))]
        return list(_broken(tokens, (indent, first), (hang, width)))


def _broken(
    tokens: Iterable[tuple[str, str]], first: tuple[str, int], second: tuple[str, int]
) -> Iterator[str]:
    """Yield lines with as many words as fit. Each has an indent and a width."""
    (line, width), is_begun = first, False
    for gap, token in tokens:
        if is_begun and len(line) + len(gap[:1]) + len(token) > width:
            yield line
            (line, width), is_begun = second, False
        space = gap if len(line) + len(gap) + len(token) <= width else gap[:1]
        line += f"{space if is_begun else ''}{token}"
        is_begun = True
    yield line


def fold(text: str, width: int, *, first: int, lead: str = "") -> list[str]:
    """Return the lines of a text. The first one is ``first`` columns wide.

    It starts with ``lead``, which has a line of its own before a list, a table or code.
    """
    if "\n" not in text and len(lead) + len(text) <= first and (line := text.strip()):
        return [lead + line]
    blocks = list(read(text))
    if lead and not (blocks and _may_follow_words(blocks)):
        return [lead.rstrip(), *_fold(blocks, width)]
    opening, following = blocks[:1], blocks[1:]
    if not following:  # the common indentation isn't part of a docstring
        opening = [replace(block, hang=0) for block in opening]
    lines = [line for block in opening for line in block.fold(width, first, lead)]
    if len(lines) == 1 and not lead:
        following = _without_indent(following)
    return lines + _fold(following, width)


def _fold(blocks: Iterable[Block], width: int) -> list[str]:
    return [line for block in blocks for line in block.fold(width, width)]


def _without_indent(blocks: Sequence[Block]) -> list[Block]:
    """Remove the common indent of blocks."""
    margin = min((block.indent for block in blocks if block.text), default=0)
    return [
        replace(block, indent=block.indent - margin, hang=block.hang - margin)
        if block.text
        else block
        for block in blocks
    ]


def _may_follow_words(blocks: Sequence[Block]) -> bool:
    is_list = sum(block.kind == "item" for block in blocks) > 1
    return len(blocks) == 1 or blocks[0].kind in ("prose", "label", "" if is_list else "item")


def ends_in_prose(text: str) -> bool:
    """Return True if a sentence can be appended to the last line of a text."""
    *blocks, last = [_BLANK, *read(text)]
    return (last.kind in ("prose", "label") and not last.indent) or len(blocks) == 1


def dedent(text: str) -> str:
    """Return a text without margin, surrounding blank lines and tabs."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4)
    if "\n" not in text:
        return text.strip()
    return "\n".join(_without_margin(text))


def read(text: str) -> Iterator[Block]:
    """Yield the blocks of a text, at most one blank line between them."""
    lines = _without_margin(text)
    fence, last = "", None
    for number, line in enumerate(lines):
        opened = fence or _opening_fence(lines, number)
        block = _alone(line) if opened else _continue_block(last, line) or _start_block(line)
        fence = "" if line.strip() == fence else opened
        is_second_blank = block == last == _BLANK and not fence
        if last and not (block.is_continued or is_second_blank):
            yield last
        last = block
    if last:
        yield last


def _without_margin(text: str) -> list[str]:
    """Return the lines without the common margin of all but the first, as docstrings are read."""
    lines = [line.rstrip() for line in text.split("\n")]
    margin = min((_indent(line) for line in lines[1:] if line), default=0)
    lines = [lines[0].lstrip(), *(line[margin:] for line in lines[1:])]
    filled = [number for number, line in enumerate(lines) if line]
    return lines[filled[0] : filled[-1] + 1] if filled else []


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


_BLANK = Block("alone", "")


def _opening_fence(lines: Sequence[str], number: int) -> str:
    """Return the fence that a line opens, if a later line closes it."""
    match = _FENCE.fullmatch(lines[number].strip())
    mark = match["mark"] if match else ""
    return mark if mark and any(line.strip() == mark for line in lines[number + 1 :]) else ""


def _alone(line: str) -> Block:
    indent = _indent(line)
    return Block("alone", line.strip(), indent, indent)


def _start_block(line: str) -> Block:
    """Return the block that a line starts."""
    text, indent = line.strip(), _indent(line)
    kind = _kind(text)
    if kind == "item":
        match = _ITEM.match(text)
        return Block(kind, text, indent, indent + (match.end() if match else 0))
    if kind == "label":
        return Block(kind, text, indent, indent + _HANG if indent else 0)
    return Block(kind, text, indent, indent)


def _kind(text: str) -> Kind:
    if not text or _ALONE.match(text):
        return "alone"
    if _ITEM.match(text):
        return "item"
    return "label" if _LABEL.match(text) else "prose"


def _continue_block(last: Block | None, line: str) -> Block | None:
    """Return the last block extended by a line, or None if the line doesn't continue it."""
    text, indent = line.strip(), _indent(line)
    if last is None or last.kind == "alone" or not text or _announces(last):
        return None
    if _goes_on(last, indent) and _is_more(last, text):
        return replace(last, text=f"{last.text} {text}", hang=indent, is_continued=True)
    return None


def _announces(last: Block) -> bool:
    """Return True if a block introduces the next one."""
    is_heading = last.kind == "prose" or _LABEL.fullmatch(last.text) is not None
    return is_heading and last.text.endswith(":")


def _goes_on(last: Block, indent: int) -> bool:
    """Return True if a line is indented like the continuation of a block."""
    if last.is_continued:
        return indent == last.hang
    if last.kind == "prose" or (last.kind == "label" and not indent):
        return indent == last.indent == 0
    return indent > last.indent


def _is_more(last: Block, text: str) -> bool:
    """Return True if a line continues the text of a block, and starts no block of its own."""
    kind = _kind(text)
    # A line that looks like a label may continue a sentence.
    is_middle = last.kind != "label" and bool(_UNFINISHED.search(last.text)) and text[0].islower()
    return kind == "prose" or (kind == "label" and is_middle)
