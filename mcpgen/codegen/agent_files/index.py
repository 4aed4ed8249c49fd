"""Lists the tools of a server for a model: a line of Markdown each, and a line of JSON to search.

No line is longer than its budget, and no text of a server is markup or begins a line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mcpgen.codegen import escaping
from mcpgen.codegen.agent_files.stubs import ToolStub
from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json, is_object

MOST_CHARACTERS = 200
"""Maximum length of a tool's line of Markdown, in characters."""

_LONGEST_NAME = 80
_SHORTEST_SENTENCE = 20
_SENTENCE = re.compile(r".{10,}?(?<!e\.g)(?<!i\.e)(?<!etc)[.!?](?=\s|$)|.+")


@dataclass(frozen=True, slots=True)
class Listed:
    """A tool in the index: its stub, its file, and its description."""

    stub: ToolStub
    file: str
    text: str
    sentence: str
    arguments: tuple[str, ...]
    is_read_only: bool


def list_tools(
    contract: Contract, stubs: Sequence[ToolStub], files: Mapping[str, str]
) -> list[Listed]:
    """Return the tools with a stub. ``files`` maps their names to file names."""
    return [
        _list_tool(contract.tools[stub.wire], stub, files[stub.wire])
        for stub in sorted(stubs, key=lambda stub: stub.name)
    ]


def _list_tool(definition: Json, stub: ToolStub, file: str) -> Listed:
    raw = definition if is_object(definition) else {}
    schema, hints = raw.get("inputSchema"), raw.get("annotations")
    properties = schema.get("properties") if is_object(schema) else None
    title = raw.get("title") or (hints.get("title") if is_object(hints) else None)
    return Listed(
        stub=stub,
        file=file,
        text=stub.text(),
        sentence=first_sentence(raw.get("description")) or first_sentence(title),
        arguments=tuple(properties) if is_object(properties) else (),
        is_read_only=is_object(hints) and hints.get("readOnlyHint") is True,
    )


def first_sentence(text: Json) -> str:
    """Return the first sentence of a text on one line, with misleading characters escaped."""
    match = _SENTENCE.match(escaping.plain(text)) if isinstance(text, str) else None
    return match[0] if match else ""


def markdown(tools: Sequence[Listed]) -> Iterator[str]:
    """Yield a line per tool: its name, its file if the name differs, and its description."""
    for tool in tools:
        wire = escaping.shorten(escaping.plain(tool.stub.wire), _LONGEST_NAME)
        also = f" ({escaping.markdown(wire)})" if wire not in ("", tool.stub.name) else ""
        path = "" if tool.file == f"{tool.stub.name}.pyi" else f" [{tool.file}]({tool.file})"
        head = f"- `{tool.stub.name}`{also}{path}"
        room = max(MOST_CHARACTERS - len(head) - 2, _SHORTEST_SENTENCE)
        sentence = _fitting(tool.sentence, room)
        yield f"{head}: {sentence}" if sentence else head


def _fitting(sentence: str, room: int) -> str:
    """Return a sentence as Markdown, truncated to ``room`` characters after escaping."""
    text = escaping.markdown(sentence)
    while len(text) > room:
        sentence = escaping.shorten(sentence, len(sentence) * room // len(text))
        text = escaping.markdown(sentence)
    return text


def search_lines(package: str, tools: Sequence[Listed]) -> Iterator[str]:
    """Yield a line of ASCII JSON per tool, with the data that a search needs."""
    for tool in tools:
        yield json.dumps(
            {
                "package": package,
                "method": tool.stub.name,
                "tool": tool.stub.wire,
                "summary": tool.sentence,
                "arguments": tool.arguments,
                "readOnly": tool.is_read_only,
                "file": tool.file,
                "characters": len(tool.text),
            }
        )
