"""Writes a shape into the observed file, one line per position.

``/rows/[]/note`` is the property ``note`` of the items of ``rows``. ``{}`` stands for the values of
a map. ``string 3, null 1, optional`` counts the results with each kind of value at that position.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from mcpgen.contract.observation.shapes import ANYTHING, ITEMS, VALUES, Place, Shape
from mcpgen.errors import ContractError
from mcpgen.jsonpointer import escape, unescape
from mcpgen.jsontext import Json

_KINDS = ("array", "boolean", "integer", "null", "number", "object", "string", ANYTHING)
_COUNT = re.compile(r"(?P<word>[a-z-]+) (?P<count>[0-9]{1,9})")
_FORMATS = ("date", "date-time", "uuid")
_OPTIONAL = "optional"
_ANSWERS = "of"


def write(shape: Shape) -> dict[str, str]:
    """Return the lines of a shape by position."""
    return {_text(entry): _line(item) for entry, item in _walk(shape, ())}


def read(lines: Mapping[str, Json], where: str = "") -> Shape:
    """Parse the lines of a shape. Errors have the JSON pointer ``where``."""
    shapes: dict[Place, Shape] = {}
    for text, line in lines.items():
        shape = _shape(line)
        if shape is None:
            raise _error("the recorded values are invalid", where, text)
        shapes[_place(text)] = shape
    if () not in shapes:
        raise _error("the recorded values don't begin with the complete result", where, "")
    # Innermost shapes come first, so that each is complete when it is inserted into its parent.
    for item in sorted(shapes, key=lambda location: (-len(location), location)):
        if not item:
            break
        around = shapes.get(item[:-1])
        if around is None:
            raise _error("nothing was seen around it", where, _text(item))
        shapes[item[:-1]] = _put(around, item[-1], shapes[item])
    return shapes[()]


def _walk(shape: Shape, at: Place) -> Iterator[tuple[Place, Shape]]:
    yield at, shape
    for name, member in shape.members.items():
        yield from _walk(member, (*at, f".{name}"))
    if shape.items is not None:
        yield from _walk(shape.items, (*at, ITEMS))
    if shape.values is not None:
        yield from _walk(shape.values, (*at, VALUES))


def _line(shape: Shape) -> str:
    named = {
        "integer" if kind == "number" and not shape.fractions else kind: count
        for kind, count in shape.kinds.items()
    }
    parts = [f"{kind} {named[kind]}" for kind in sorted(named)]
    if shape.answers != sum(named.values()):
        parts.append(f"{_ANSWERS} {shape.answers}")
    if shape.is_optional:
        parts.append(_OPTIONAL)
    parts += [f"{text} {shape.different}" for text in sorted(shape.formats)]
    return ", ".join(parts)


def _shape(line: Json) -> Shape | None:
    """Parse a line, or return None if it is malformed."""
    if not isinstance(line, str):
        return None
    shape = Shape()
    kinds: dict[str, int] = {}
    answers: int | None = None
    for part in filter(None, line.split(", ")):
        count = _COUNT.fullmatch(part)
        number = int(count["count"]) if count else 0
        key = count["word"] if count else part
        if part == _OPTIONAL:
            shape = replace(shape, is_optional=True)
        elif count is None:
            return None
        elif key in _KINDS:
            kinds["number" if key == "integer" else key] = number
            shape = replace(shape, fractions=shape.fractions or key == "number")
        elif key in _FORMATS:
            shape = replace(shape, formats=shape.formats | {key}, different=number)
        elif key == _ANSWERS:
            answers = number
        else:
            return None
    return replace(shape, kinds=kinds, answers=sum(kinds.values()) if answers is None else answers)


def _put(around: Shape, step: str, inner: Shape) -> Shape:
    if step == ITEMS:
        return replace(around, items=inner)
    if step == VALUES:
        return replace(around, values=inner)
    return replace(around, members={step[1:]: inner, **around.members})


def _text(location: Place) -> str:
    return "".join(f"/{_step(step)}" for step in location)


def _step(step: str) -> str:
    if not step.startswith("."):
        return step
    name = escape(step[1:])
    return f"~{name}" if name in (ITEMS, VALUES) else name


def _place(text: str) -> Place:
    return tuple(_read_step(step) for step in text.split("/")[1:])


def _read_step(step: str) -> str:
    if step in (ITEMS, VALUES):
        return step
    return f".{step[1:]}" if step in (f"~{ITEMS}", f"~{VALUES}") else f".{unescape(step)}"


def _error(problem: str, where: str, text: str) -> ContractError:
    return ContractError(problem, f"{where}/{escape(text)}", "delete its entry, and observe again")
