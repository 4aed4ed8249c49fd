"""Finds the lines of JSON pointers in a contract file, for annotations."""

from __future__ import annotations

import json
import re

from mcpgen.jsonpointer import escape

_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)


def line_numbers(text: str) -> dict[str, int]:
    """Return the line of every value in a JSON text by its pointer."""
    numbers: dict[str, int] = {}
    stack: list[tuple[str, int]] = []  # the pointer of a container, and the index in an array or -1
    path, key, line, last = "", "", 1, 0
    for match in _WORD.finditer(text):
        symbol = match[0]
        line += text.count("\n", last, match.start())
        last = match.start()
        if symbol in "]}":
            stack.pop()
        elif symbol == ",":
            if stack and stack[-1][1] >= 0:
                stack[-1] = (stack[-1][0], stack[-1][1] + 1)
            key = ""
        elif symbol == ":":
            continue
        elif stack and stack[-1][1] < 0 and not key and symbol[0] == '"':
            key = f"/{escape(json.loads(symbol))}"
            numbers.setdefault(stack[-1][0] + key, line)
        else:
            base, index = stack[-1] if stack else ("", -1)
            path = base + (f"/{index}" if index >= 0 else key)
            numbers.setdefault(path, line)
            if symbol in "[{":
                stack.append((path, 0 if symbol == "[" else -1))
                key = ""
    return numbers


def line_of(pointer: str, numbers: dict[str, int]) -> int:
    """Return the line of a JSON pointer in a contract, or of its nearest existing parent."""
    steps = pointer.split("/")
    for count in range(len(steps), 0, -1):
        direct = "/".join(steps[:count])
        wrapped = "/".join([*steps[:3], "definition", *steps[3:count]]) if count > 3 else direct
        for pattern in (wrapped, direct):
            if pattern in numbers:
                return numbers[pattern]
    return 1
