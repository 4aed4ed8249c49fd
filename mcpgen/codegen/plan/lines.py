"""Formats the headers and calls of methods, in as few lines as Black would leave them in."""

from __future__ import annotations

from collections.abc import Sequence

from mcpgen.codegen import layout
from mcpgen.codegen.escaping import WIDTH
from mcpgen.codegen.plan import documentation
from mcpgen.codegen.plan.package import Method

_STEP = "    "


def header(method: Method) -> str:
    """Return the header of a client's method: on one line, or its parameters on one, or on each."""
    named = [
        f"{item.name}: {item.annotation}{f' = {item.default}' if item.default else ''}"
        for item in method.parameters
    ]
    # Without a parameter after it, the star is a syntax error.
    parameters = ["self", "*", *named] if named else ["self"]
    opening, closing = f"async def {method.name}(", f") -> {method.returns}:"
    listed = ", ".join(parameters)
    if _fits(f"{opening}{listed}{closing}", 1):
        return f"{opening}{listed}{closing}"
    if _fits(listed, 2) and named:
        return _block(opening, [listed], closing, 1)
    return _block(opening, [f"{parameter}," for parameter in parameters], closing, 1)


def call(function: str, first: str, method: Method) -> str:
    """Return the statement that passes a method's arguments on, by their names on the wire."""
    opening = f"return await self.{function}("
    arguments = _arguments(method)
    if _fits(f"{opening}{first}, {arguments})", 2):
        return f"{opening}{first}, {arguments})"
    if _fits(f"{first}, {arguments}", 3):
        return _block(opening, [f"{first}, {arguments}"], ")", 2)
    if not _fits(f"{arguments},", 3):
        pairs = [f"{parameter.wire}: {parameter.name}," for parameter in method.parameters]
        arguments = _block("{", pairs, "}", 3)
    return _block(opening, [f"{first},", f"{arguments},"], ")", 2)


def list_statement(opening: str, names: Sequence[str]) -> str:
    """Return a statement at the margin that lists names as strings."""
    strings = [f'"{name}"' for name in names]
    if _fits(f"{opening}[{', '.join(strings)}]", 0):
        return f"{opening}[{', '.join(strings)}]"
    return _block(f"{opening}[", [f"{string}," for string in strings], "]", 0)


def entry(key: str, parts: Sequence[str], depth: int) -> str:
    """Return the entry of a dict whose value is a text of words, over as many lines as needed."""
    text = f'"{" ".join(parts)}"'
    if _fits(f"{key}: {text},", depth) or len(parts) < 2:
        return f"{key}: {text},"
    return _block(f"{key}: (", [f'"{line}"' for line in _fold_words(parts, depth + 1)], "),", depth)


def argument(name: str, parts: Sequence[str], depth: int) -> str:
    """Return a keyword argument whose value is a string of words, in as many lines as needed."""
    text = f'{name}="{" ".join(parts)}",'
    if _fits(text, depth):
        return text
    return _block(f"{name}=(", [f'"{line}"' for line in _fold_words(parts, depth + 1)], "),", depth)


def _fold_words(parts: Sequence[str], depth: int) -> list[str]:
    """Return lines of words. Each line but the first starts with a space."""
    folded = [parts[0]]
    for token in parts[1:]:
        if _fits(f'"{folded[-1]} {token}"', depth):
            folded[-1] += f" {token}"
        else:
            folded.append(f" {token}")
    return folded


def abstract_height(method: Method) -> int:
    """Return how many lines an abstract method of a server takes, or a few more."""
    # The docstring, plus the class and imports of an author's method.
    return documentation.method(method, 8).count("\n") + 14


def _arguments(method: Method) -> str:
    if method.kind == "plain":
        return "arguments"
    if method.kind == "free":
        return "arguments or {}"
    return (
        f"{{{', '.join(f'{parameter.wire}: {parameter.name}' for parameter in method.parameters)}}}"
    )


def _block(opening: str, lines: Sequence[str], closing: str, depth: int) -> str:
    pad = _STEP * depth
    return "\n".join([opening, *(f"{pad}{_STEP}{line}" for line in lines), f"{pad}{closing}"])


def _fits(text: str, depth: int) -> bool:
    return len(_STEP) * depth + layout.width(text) <= WIDTH
