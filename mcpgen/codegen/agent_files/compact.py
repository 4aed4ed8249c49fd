"""Shortens the stubs of many tools: merges equal types, and limits the types of each tool."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Mapping
from dataclasses import replace

from mcpgen.codegen.agent_files.stubs import ToolStub
from mcpgen.codegen.plan.package import Import

MAX_TYPE_CHARACTERS = 1_500
"""Length of the types of one tool in the index. Types beyond it are shown as ``Any``."""

_NAME = re.compile(r"(?:class )?(\w+)")
_SELF = "_Self_"


def compact(
    stubs: Iterable[ToolStub], max_characters: int = MAX_TYPE_CHARACTERS
) -> tuple[ToolStub, ...]:
    """Merge the equal types of stubs, and drop types beyond a length."""
    merged: dict[str, str] = {}
    class_names: dict[str, str] = {}
    result: list[ToolStub] = []
    for stub in stubs:
        bounded = _limit_types(stub, max_characters)
        own: list[str] = []
        for text in reversed(bounded.types):  # a type refers only to later ones
            name = type_name(text)
            key = rename_types(text, {**merged, name: _SELF})
            first = class_names.setdefault(key, name)
            if first != name:
                merged[name] = first
            else:
                own.append(rename_types(text, merged))
        function = rename_types(bounded.function, merged)
        result.append(replace(bounded, function=function, types=tuple(reversed(own))))
    return tuple(result)


def _limit_types(stub: ToolStub, max_characters: int) -> ToolStub:
    """Replace the types of a stub beyond a length by ``Any``. Outer types come first."""
    length = 0
    types: list[str] = []
    for text in stub.types:
        length += len(text)
        if length <= max_characters or not types:
            types.append(text)
    if len(types) == len(stub.types):
        return stub
    dropped = {type_name(text): "Any" for text in stub.types if text not in types}
    note = f"# Some types of {stub.name} are left out here: its own file has them."
    return replace(
        stub,
        function=f"{note}\n{rename_types(stub.function, dropped)}",
        types=tuple(rename_types(text, dropped) for text in types),
        imports=_with_any(stub.imports),
    )


def _with_any(imports: tuple[Import, ...]) -> tuple[Import, ...]:
    return tuple(
        replace(item, names=tuple(sorted({*item.names, "Any"})))
        if item.module == "typing"
        else item
        for item in imports
    )


def type_name(text: str) -> str:
    """Return the name that the source of a type defines."""
    match = _NAME.match(text)
    assert match is not None
    return match[1]


def rename_types(source: str, names: Mapping[str, str]) -> str:
    """Rename types in source. Strings stay, except the name in ``X = TypedDict("X")``."""
    if not any(name in source for name in names):
        return source
    lines = source.splitlines(keepends=True)
    before = ""
    edits: list[tuple[tokenize.TokenInfo, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        text = token.string
        if token.type == tokenize.NAME and text in names:
            edits.append((token, names[text]))
        elif token.type == tokenize.STRING and before == "TypedDict(" and text[1:-1] in names:
            edits.append((token, f"{text[0]}{names[text[1:-1]]}{text[-1]}"))
        if token.type not in (tokenize.NL, tokenize.INDENT):
            before = f"{before}{text}"[-10:]
    for token, new in reversed(edits):
        row, line = token.start[0] - 1, lines[token.start[0] - 1]
        lines[row] = line[: token.start[1]] + new + line[token.end[1] :]
    return "".join(lines)
