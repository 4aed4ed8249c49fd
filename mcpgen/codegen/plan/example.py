"""Selects the call to show to new users: useful, and without effects or disclosure.

Tools annotated as read-only come first, then tools without annotation whose name starts with a
reading verb, apart from the server's own name. Among them, those with the fewest required arguments
come first, in the order of the contract. Arguments that must exist, such as an ID, rank last.
Excluded are tools whose name, first sentence or required arguments mention secrets, and tools with
required arguments other than strings, numbers and booleans, whose values are made up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from mcpgen.codegen import escaping
from mcpgen.codegen.plan.package import ClientPackage, Method, Parameter
from mcpgen.contract.definitions import Api, Tool
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.schemas import examples
from mcpgen.schemas.examples import NoExampleError
from mcpgen.schemas.examples.vocabulary import split
from mcpgen.schemas.validation import schemas

_READING = frozenset(
    """
    list get read search find show describe fetch query lookup count echo status browse view
    convert calculate add sum compare resolve check info
    """.split()
)
_SENSITIVE_WORDS = re.compile(
    r"env|environ|environment|secrets?|tokens?|credentials?|creds?|config|configs|configuration"
    r"|settings?|connections?|passwords?|passphrases?|keys?|auth|login|cookies?|sessions?|variables?|vaults?"
)
_SENSITIVE_TEXT = re.compile(
    r"environment|secret|credential|password|\btokens?\b|\bapi keys?\b|\bcookies?\b", re.IGNORECASE
)
# Arguments with these words in their names refer to existing objects, so an invented value would
# fail.
_EXISTING = frozenset("id ids uuid guid ref cursor path file url uri hash slug uid".split())
_MOST_TRIED = 5
_LONGEST = 60
_KINDS: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
}


@dataclass(frozen=True, slots=True)
class Example:
    """A call of a client method, and the attribute of its result to print."""

    call: str
    attribute: str = ""


def example(api: Api, package: ClientPackage) -> Example | None:
    """Return the call to show, or None if no tool qualifies."""
    pairs = list(zip(api.tools, package.tools, strict=True))
    server_words = split(api.server)
    fit = [
        pair for pair in pairs if _is_reading(pair[0], server_words) and not _is_sensitive(pair[0])
    ]
    fit.sort(key=lambda pair: (not _is_claimed(pair[0]), *_cost(_required_parameters(pair[1]))))
    for tool, method in fit[:_MOST_TRIED]:
        arguments = _arguments(tool, _required_parameters(method))
        if arguments is not None:
            attribute = "text" if method.returns == "ToolResult" else ""
            return Example(f"{method.name}({', '.join(arguments)})", attribute)
    return None


def _cost(needed: Sequence[Parameter]) -> tuple[int, int]:
    """Return the number of arguments that must exist, and of all required ones."""
    last = [split(parameter.name)[-1:] for parameter in needed]
    return sum(not _EXISTING.isdisjoint(tokens) for tokens in last), len(needed)


def _required_parameters(method: Method) -> list[Parameter]:
    return [parameter for parameter in method.parameters if not parameter.default]


def _is_claimed(tool: Tool) -> bool:
    return tool.annotations.get("readOnlyHint") is True


def _is_reading(tool: Tool, server_words: Sequence[str]) -> bool:
    if (
        tool.forbidden_reason
        or tool.annotations.get("readOnlyHint") is False
        or tool.annotations.get("destructiveHint")
    ):
        return False
    parts = split(tool.name)
    first = parts[1:2] if len(parts) > 1 and parts[0] in server_words else parts[:1]
    return _is_claimed(tool) or not _READING.isdisjoint(first)


def _is_sensitive(tool: Tool) -> bool:
    first = re.split(r"[.\n]", tool.description.strip(), maxsplit=1)[0]
    return _has_sensitive_word(tool.name) or bool(_SENSITIVE_TEXT.search(first))


def _has_sensitive_word(name: str) -> bool:
    return any(_SENSITIVE_WORDS.fullmatch(part) for part in split(name))


def _arguments(tool: Tool, needed: Sequence[Parameter]) -> list[str] | None:
    """Return the required keyword arguments, or None if they can't be made up."""
    if not needed:
        return []
    if any(_has_sensitive_word(parameter.name) for parameter in needed):
        return None
    values = _made_up(tool, {parameter.wire for parameter in needed})
    if values is None or not all(_fits(item.annotation, values[item.wire]) for item in needed):
        return None
    keywords = [f"{item.name}={escaping.literal(values[item.wire])}" for item in needed]
    return keywords if max(map(len, keywords)) <= _LONGEST else None


def _made_up(tool: Tool, needed: Collection[str]) -> dict[str, Json] | None:
    """Return generated values of the required arguments by ``wire`` name, or None if none fit."""
    raw: Json = tool.input.raw if tool.input else None
    if not is_object(raw) or not is_object(raw.get("properties")):
        return None
    listed = {k: v for k, v in raw["properties"].items() if escaping.string(k) in needed}
    required_schema: Json = {**raw, "type": "object", "properties": listed}
    if '"pattern' in json.dumps(
        required_schema
    ):  # text generated from a pattern is rarely readable
        return None
    try:
        candidate = examples.example(required_schema)
        values = {name: candidate[name] for name in candidate if escaping.string(name) in needed}
        is_valid = len(values) == len(needed) and schemas.SchemaValidator(raw).allows(values)
    except (NoExampleError, RecursionError):
        return None
    return {escaping.string(name): value for name, value in values.items()} if is_valid else None


def _fits(annotation: str, value: Json) -> bool:
    """Return True if a plain value matches an annotation."""
    return any(_is_of(kind, value) for kind in _alternatives(annotation))


def _alternatives(annotation: str) -> Iterator[str]:
    depth, start = 0, 0
    for index, char in enumerate(annotation):
        depth += (char == "[") - (char == "]")
        if char == "|" and depth == 0:
            yield annotation[start:index].strip()
            start = index + 1
    yield annotation[start:].strip()


def _is_of(kind: str, value: Json) -> bool:
    if kind.startswith("Sequence[") and is_array(value):
        return all(_fits(kind.removeprefix("Sequence[")[:-1], item) for item in value)
    if kind.startswith("Literal["):
        return not isinstance(value, list | dict | float) and escaping.scalar(value) in kind
    if isinstance(value, bool):
        return kind == "bool"
    return isinstance(value, _KINDS.get(kind, ()))
