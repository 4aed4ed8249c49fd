"""Estimates the tokens that a server's tools take in a model's context, and possible savings."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mcpgen.codegen.agent_files.hoisting import compact, hoist
from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json, is_object
from mcpgen.schemas.validation.references import subschemas

_PIECES = re.compile(r"[A-Za-z]+|\d{1,3}|[^\sA-Za-z0-9]+")
_TOKENS_A_PIECE = 1 / 0.95


def estimate_tokens(text: str) -> int:
    """Return the approximate number of o200k tokens, within 4 % for half of all strings."""
    return round(len(_PIECES.findall(text)) * _TOKENS_A_PIECE)


def round_tokens(tokens: int) -> str:
    """Format a number of tokens, rounded to two significant digits."""
    step = 10 ** max(0, len(str(tokens)) - 2)
    return f"{round(tokens / step) * step:,}"


GIVEN = ("name", "description", "inputSchema")
"""The properties of a tool that hosts send to a model."""

SHARED = ("$defs", "definitions")
"""Keywords of a schema with subschemas that several arguments may refer to."""

_SENTENCE = re.compile(r"(?s).{10,}?(?<!e\.g)(?<!i\.e)(?<!etc)[.!?](?=\s|$)")
_FORMAL = 2**53 - 1
_LEAST_TEXT = 40
"""Minimum length of a string that is searched for in other tools."""


@dataclass(frozen=True, slots=True)
class Size:
    """The length of a text. The number of o200k tokens is an estimate."""

    bytes: int = 0
    characters: int = 0
    tokens: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(
            self.bytes + other.bytes,
            self.characters + other.characters,
            self.tokens + other.tokens,
        )


@dataclass(frozen=True, slots=True)
class ToolCost:
    """The size of a tool: in total, by part and by argument.

    ``saved`` has the tokens that each way to shorten it saves. Together they save less than their
    sum. ``output`` is the outputSchema, which few hosts pass to a model.
    """

    name: str
    size: Size
    parts: Mapping[str, int]
    arguments: Mapping[str, int]
    saved: Mapping[str, int]
    output: int


@dataclass(frozen=True, slots=True)
class RepeatedText:
    """A string that several tools repeat, and the tokens of the redundant copies."""

    text: str
    tools: tuple[str, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Budget:
    """The sizes of a server's tools, largest first."""

    server: str
    tools: tuple[ToolCost, ...]
    instructions: int
    repeated: tuple[RepeatedText, ...]

    @property
    def size(self) -> Size:
        """All tools together."""
        return sum((tool.size for tool in self.tools), Size())

    @property
    def total_saved(self) -> dict[str, int]:
        """Tokens that each way to shorten the tools saves."""
        return {way: sum(tool.saved[way] for tool in self.tools) for way in WAYS}


WAYS = {
    "hoist": "define repeated subschemas once, in $defs",
    "shorten": "shorten every description to its first sentence",
    "plain": "remove uninformative keywords: titles, $schema, the limits of JavaScript's numbers",
}
"""Ways to shorten a tool. The first and the last change no call and lose nothing."""


def budget(contract: Contract, server: str = "") -> Budget:
    """Return the sizes of a contract's tools."""
    costs = [cost(raw) for raw in contract.tools.values()]
    return Budget(
        server,
        tuple(sorted(costs, key=lambda item: (-item.size.tokens, item.name))),
        estimate_tokens(contract.instructions),
        tuple(_repeated_texts(contract)),
    )


def size(text: str) -> Size:
    """Return the length of a string in bytes, characters and estimated tokens."""
    return Size(len(text.encode("utf-8", "surrogatepass")), len(text), estimate_tokens(text))


def definition_for_model(definition: Mapping[str, Json]) -> str:
    """Return a tool as JSON on one line, with the properties that hosts pass to a model."""
    return compact({key: definition[key] for key in GIVEN if key in definition})


def cost(definition: Mapping[str, Json]) -> ToolCost:
    """Return the size of a tool."""
    whole = size(definition_for_model(definition))
    schema = definition.get("inputSchema")
    output = definition.get("outputSchema")
    return ToolCost(
        name=_text(definition.get("name")),
        size=whole,
        parts=_parts(definition, whole.tokens),
        arguments=_arguments(schema),
        saved={
            "hoist": hoisting_saves(definition),
            "shorten": _saves(definition, _with_short_descriptions(definition)),
            "plain": _saves(definition, _plain(definition)),
        },
        output=0 if output is None else estimate_tokens(compact(output)),
    )


def hoisting_saves(definition: Mapping[str, Json]) -> int:
    """Estimate the tokens saved by defining each repeated subschema of a tool once."""
    schema = definition.get("inputSchema")
    shorter = hoist(schema)
    return 0 if shorter is schema else _saves(definition, {**definition, "inputSchema": shorter})


def _saves(definition: Mapping[str, Json], shorter: Mapping[str, Json]) -> int:
    return max(
        0,
        estimate_tokens(definition_for_model(definition))
        - estimate_tokens(definition_for_model(shorter)),
    )


def _parts(definition: Mapping[str, Json], whole: int) -> dict[str, int]:
    """Return the tokens of the description, of argument descriptions, of choices, and the rest."""
    schema = definition.get("inputSchema")
    descriptions = [
        text for _, part in subschemas(schema) if (text := _text(part.get("description")))
    ]
    choices = [part["enum"] for _, part in subschemas(schema) if "enum" in part]
    parts = {
        "description": estimate_tokens(_text(definition.get("description"))),
        "texts of arguments": sum(map(estimate_tokens, descriptions)),
        "choices": sum(estimate_tokens(compact(choice)) for choice in choices),
    }
    return {**parts, "structure": max(0, whole - sum(parts.values()))}


def _arguments(schema: Json) -> dict[str, int]:
    """Return the tokens of each argument, and of definitions that arguments share."""
    if not is_object(schema):
        return {}
    named = schema.get("properties")
    costs = {name: estimate_tokens(compact({name: value})) for name, value in _members(named)}
    for key in SHARED:
        if is_object(shared := schema.get(key)):
            costs[key] = estimate_tokens(compact(shared))
    return dict(sorted(costs.items(), key=lambda item: (-item[1], item[0])))


def _members(named: Json) -> Iterator[tuple[str, Json]]:
    yield from named.items() if is_object(named) else ()


def _with_short_descriptions(definition: Mapping[str, Json]) -> dict[str, Json]:
    """Return a tool with only the first sentence of each description."""
    shorter = copy.deepcopy(dict(definition))
    for part in [shorter, *(part for _, part in subschemas(shorter.get("inputSchema")))]:
        value = part.get("description")
        if isinstance(value, str) and (match := _SENTENCE.match(value.strip())):
            part["description"] = match[0]
    return shorter


def _plain(definition: Mapping[str, Json]) -> dict[str, Json]:
    """Return a tool without keywords that help neither models nor validators."""
    shorter = copy.deepcopy(dict(definition))
    for pointer, part in subschemas(shorter.get("inputSchema")):
        name = "" if "/" not in pointer else pointer.rpartition("/")[2]
        if isinstance(title := part.get("title"), str) and _is_made_up(title, name):
            del part["title"]
        for key, bound in (("maximum", _FORMAL), ("minimum", -_FORMAL)):
            if part.get(key) == bound:
                del part[key]
        if not pointer and "$ref" not in part:
            part.pop("$schema", None)
    return shorter


def _is_made_up(title: str, name: str) -> bool:
    """Return True if a title only repeats the name, as generated by frameworks."""
    letters = "".join(char for char in title.casefold() if char.isalnum())
    return not name or letters == "".join(char for char in name.casefold() if char.isalnum())


def _repeated_texts(contract: Contract) -> Iterator[RepeatedText]:
    """Yield strings that several tools repeat, most expensive first."""
    pointers: dict[str, list[str]] = {}
    for name, raw in contract.tools.items():
        for _, part in subschemas(raw.get("inputSchema")):
            text = _text(part.get("description")).strip()
            if len(text) >= _LEAST_TEXT:
                pointers.setdefault(text, []).append(name)
    repeats = [
        RepeatedText(text, tuple(dict.fromkeys(names)), estimate_tokens(text) * (len(names) - 1))
        for text, names in pointers.items()
        if len(set(names)) > 1
    ]
    yield from sorted(repeats, key=lambda item: (-item.tokens, item.text))


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
