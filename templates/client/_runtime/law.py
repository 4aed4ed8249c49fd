"""The contract beside this package is the law, checked with jsonschema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial, reduce
from pathlib import Path
from typing import Any, Literal, cast

from . import jsonschema_api, keywords
from .jsonschema_api import ValidationError, Validator
from .parts import worded
from .problem import Problem

Side = Literal["inputSchema", "outputSchema"]

MOST_PROBLEMS = keywords.MOST_PROBLEMS
_LONGEST_REASON = 200


@dataclass(frozen=True)
class ToolInfo:
    """What the server says of a tool; ``annotations`` are claims that nobody verified.

    ``definition`` is the whole definition as it was recorded.
    """

    name: str
    title: str
    description: str
    annotations: Mapping[str, Any]
    icons: tuple[Mapping[str, Any], ...]
    meta: Mapping[str, Any]
    definition: Mapping[str, Any] = field(repr=False)

    @property
    def is_harmless(self) -> bool:
        """Whether the tool is said to change nothing, or to destroy nothing.

        A tool that does not say so counts as destructive (MCP, schema,
        ``ToolAnnotations``), and so does one that says both.
        """
        claims = self.annotations
        if claims.get("destructiveHint") is True:
            return False
        return (
            claims.get("readOnlyHint") is True or claims.get("destructiveHint") is False
        )


class ToolInfos(Mapping[str, ToolInfo]):
    """The tools of the contract by their names, read when they are first asked for."""

    def __getitem__(self, name: str) -> ToolInfo:
        return _infos()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_infos())

    def __len__(self) -> int:
        return len(_infos())


@cache
def contract() -> dict[str, Any]:
    """Return the contract that this package was generated from."""
    path = Path(__file__).parent.parent / "contract.json"
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return document


@cache
def _infos() -> dict[str, ToolInfo]:
    entries: dict[str, Any] = contract()["tools"]
    return {name: _info(name, entry["definition"]) for name, entry in entries.items()}


def _info(name: str, raw: dict[str, Any]) -> ToolInfo:
    annotations = _object(raw.get("annotations"))
    title = raw.get("title") or annotations.get("title")
    return ToolInfo(
        name=name,
        title=_text(title),
        description=_text(raw.get("description")),
        annotations=annotations,
        icons=tuple(_object(icon) for icon in _list(raw.get("icons"))),
        meta=_object(raw.get("_meta")),
        definition=raw,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def problems(tool: str, side: Side, value: Any) -> list[Problem]:
    """Return the first few ways in which a value breaks a schema of a tool."""
    strict = _validator(tool, side)
    try:
        errors = keywords.errors(
            strict, partial(_validator, tool, side, is_lenient=True), value
        )
    except RecursionError:
        return [Problem("", "too deeply nested to be checked")]
    except OverflowError:  # of a multiple of what is read as infinite
        return [Problem("", "a number is too large to be checked")]
    return [Problem(_pointer(error), _brief(error.message)) for error in errors]


@cache
def _validator(tool: str, side: Side, *, is_lenient: bool = False) -> Validator:
    """Build a validator of the schema's own dialect that follows no ``$ref`` elsewhere.

    Formats are annotations, not assertions (JSON Schema 2020-12, validation, section
    7.2.1).
    """
    from referencing.jsonschema import DRAFT202012

    schema = worded(_infos()[tool].definition[side])
    kind = jsonschema_api.kind_of(schema)
    # What may be referred to: the document and the meta-schemas. Nothing is fetched.
    registry = jsonschema_api.meta_schemas()
    if "$dynamicRef" in kind.VALIDATORS:  # these are looked up in all parts
        whole = DRAFT202012.create_resource(schema)
        registry = registry.with_resource(whole.id() or "", whole).crawl()
    kind = keywords.bounded(kind, schema)
    kind = keywords.lenient(kind) if is_lenient else kind
    return cast("Validator", kind(schema, registry=registry))


def _pointer(error: ValidationError) -> str:
    return reduce(below, error.absolute_path, "")


def below(pointer: str, step: object) -> str:
    """Return the JSON pointer (RFC 6901) of a part of the value at another."""
    return f"{pointer}/{str(step).replace('~', '~0').replace('/', '~1')}"


def _brief(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_REASON else f"{line[:_LONGEST_REASON]}..."
