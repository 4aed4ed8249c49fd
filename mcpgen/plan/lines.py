"""The headers and the calls of methods, in as few lines as Black would leave them in."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from mcpgen.literal import WIDTH
from mcpgen.plan.package import Method

_STEP = "    "


def header(method: Method) -> str:
    """Return the header of a client's method: on one line, or its parameters on one, or on each."""
    named = [
        f"{each.name}: {each.annotation}{f' = {each.default}' if each.default else ''}"
        for each in method.parameters
    ]
    # Without a parameter after it, the star is a syntax error.
    parameters = ["self", "*", *named] if named else ["self"]
    opening, closing = f"async def {method.name}(", f") -> {method.returns}:"
    listed = ", ".join(parameters)
    if _fits(f"{opening}{listed}{closing}", 1):
        return f"{opening}{listed}{closing}"
    if _fits(listed, 2) and named:
        return _block(opening, [listed], closing, 1)
    return _block(opening, [f"{each}," for each in parameters], closing, 1)


def call(function: str, first: str, method: Method) -> str:
    """Return the statement that passes a method's arguments on, by their names on the wire."""
    opening = f"return await self.{function}("
    given = _given(method)
    if _fits(f"{opening}{first}, {given})", 2):
        return f"{opening}{first}, {given})"
    if _fits(f"{first}, {given}", 3):
        return _block(opening, [f"{first}, {given}"], ")", 2)
    if not _fits(f"{given},", 3):
        pairs = [f"{each.wire}: {each.name}," for each in method.parameters]
        given = _block("{", pairs, "}", 3)
    return _block(opening, [f"{first},", f"{given},"], ")", 2)


def _given(method: Method) -> str:
    if method.kind == "plain":
        return "arguments"
    if method.kind == "free":
        return "arguments or {}"
    return f"{{{', '.join(f'{each.wire}: {each.name}' for each in method.parameters)}}}"


def _block(opening: str, lines: Sequence[str], closing: str, depth: int) -> str:
    pad = _STEP * depth
    return "\n".join([opening, *(f"{pad}{_STEP}{line}" for line in lines), f"{pad}{closing}"])


def _fits(text: str, depth: int) -> bool:
    return len(_STEP) * depth + _width(text) <= WIDTH


def _width(text: str) -> int:
    """Return how many columns a text takes, as Black counts them."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )
