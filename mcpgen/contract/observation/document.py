"""The observed file: the shapes of a server's results, without any values.

The file is made to be committed: sorted, without dates, with the number of results behind each
shape. The server doesn't guarantee these shapes. A tool's entry expires when its definition
changes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from mcpgen.errors import ContractError
from mcpgen.jsonpointer import pointer
from mcpgen.jsontext import Json, dumps, flaw, in_order, is_object, loads

FORMAT = 1
SUFFIX = ".observed.json"
MEMBER = "mcpgenObserved"

Source: TypeAlias = Literal["structured", "json", "json blocks", "json in result", "text"]
"""The location of data in a result.

``structured``: ``structuredContent``. ``json in result``: JSON in its only property ``result``.
``json``: JSON in the only content block. ``json blocks``: a list with one JSON item per content
block. ``text``: no data, only the text of one block.
"""

_SOURCES: tuple[Source, ...] = get_args(Source)
_HASH = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class ObservedTool:
    """The shape of a tool's ``answers`` results. ``schema`` is None if all of them were text.

    ``definition`` is the hash of the definition at that time. ``seen`` has the counts per position,
    for merging later results. ``known`` has a few digits of a hash per result, so that repeated
    results aren't counted again.
    """

    name: str
    answers: int
    definition: str
    source: Source
    schema: Mapping[str, Json] | None = None
    seen_statistics: Mapping[str, Json] = field(default_factory=dict[str, Json])
    digests: str = ""


@dataclass(frozen=True, slots=True)
class Observed:
    """Observed tools of one server, sorted by name."""

    tools: Mapping[str, ObservedTool] = field(default_factory=dict[str, ObservedTool])

    def __post_init__(self) -> None:
        ordered = {name: self.tools[name] for name in sorted(self.tools)}
        object.__setattr__(self, "tools", ordered)

    def current(self, definitions: Mapping[str, str]) -> Observed:
        """Return the entries that haven't expired: those with the current definition."""
        return Observed({k: v for k, v in self.tools.items() if definitions.get(k) == v.definition})

    def text(self) -> str:
        """Return the document as stored: sorted, indented by two spaces, ending with a newline."""
        return dumps(as_json(self))


def observed_path(contract: Path) -> Path:
    """Return the observed file of a contract: ``bookshelf.observed.json`` for
    ``bookshelf.json``.
    """
    return contract.with_name(contract.stem + SUFFIX)


def load(file: Path) -> Observed:
    """Read an observed file. A missing file has no entries."""
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return Observed()
    except OSError as error:
        raise ContractError(f"the file cannot be read: {error.strerror}", str(file)) from None
    return read(loads(content, str(file)), str(file))


def as_json(observed: Observed) -> dict[str, Json]:
    """Return the JSON document to write."""
    tools = {name: _entry(tool) for name, tool in observed.tools.items()}
    return {MEMBER: FORMAT, "tools": tools}


def read(document: Json, where: str = "") -> Observed:
    """Create an :class:`Observed` from a parsed document. Errors name its file ``where``.

    Unknown properties are ignored, because a newer version may have written them.
    """
    if not is_object(document) or MEMBER not in document:
        raise _error("the file isn't an observed file", where, (), "write one with: mcpgen observe")
    if document[MEMBER] != FORMAT or document[MEMBER] is True:
        problem = f"the observed file has the format {_short(document[MEMBER])}"
        hint = "upgrade mcpgen, or observe the server again"
        raise _error(f"{problem}; this version reads {FORMAT}", where, (MEMBER,), hint)
    tools = document.get("tools")
    if not is_object(tools):
        raise _error("the tools must be an object", where, ("tools",))
    return Observed({name: _tool(name, entry, where) for name, entry in tools.items()})


def _entry(tool: ObservedTool) -> dict[str, Json]:
    members: dict[str, Json] = {
        "answers": tool.answers,
        "definition": tool.definition,
        "from": tool.source,
    }
    if tool.schema is not None:
        members["schema"] = tool.schema
    if tool.seen_statistics:
        members["seen"] = tool.seen_statistics
    if tool.digests:
        members["known"] = tool.digests
    return members


def _tool(name: str, entry: Json, where: str) -> ObservedTool:
    at = ("tools", name)
    if not is_object(entry):
        raise _error("the observations of a tool must be an object", where, at)
    answers = entry.get("answers")
    if isinstance(answers, bool) or not isinstance(answers, int) or answers < 1:
        raise _error("the answers must be counted: 1 or more", where, (*at, "answers"))
    definition = entry.get("definition")
    if not isinstance(definition, str) or not _HASH.fullmatch(definition):
        raise _error("the definition must be 16 hexadecimal digits", where, (*at, "definition"))
    source: Json = entry.get("from")
    if source not in _SOURCES:
        sources = ", ".join(f'"{item}"' for item in _SOURCES)
        raise _error(f"it must be from one of {sources}", where, (*at, "from"))
    schema = _object(entry, "schema", where, at)
    if (schema is None) != (source == "text"):
        problem = "text has no schema" if source == "text" else "there is no schema"
        raise _error(problem, where, (*at, "schema"))
    statistics = _object(entry, "seen", where, at)
    sources = entry.get("known", "")
    if not isinstance(sources, str):
        raise _error("a known value must be a string", where, (*at, "known"))
    return ObservedTool(name, answers, definition, source, schema, statistics or {}, sources)


def _object(
    entry: Mapping[str, Json], member: str, where: str, at: tuple[str, ...]
) -> Mapping[str, Json] | None:
    """Return a property that must be an object, sorted, or None if it is missing."""
    if member not in entry:
        return None
    value = entry[member]
    if not is_object(value):
        raise _error(f"the {member} must be an object", where, (*at, member))
    if problem := flaw(value):
        raise _error(f"the {member} cannot be read: {problem}", where, (*at, member))
    ordered: dict[str, Json] = in_order(value)
    return ordered


def _short(value: Json) -> str:
    return repr(value) if isinstance(value, int | float) else "of another kind"


def _error(problem: str, where: str, path: tuple[str, ...], hint: str = "") -> ContractError:
    at = pointer(path)
    return ContractError(problem, f"{where}#{at}" if where and at else where or at, hint)
