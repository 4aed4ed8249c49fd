"""Contracts of any size, the same on every run, with schemas as varied as those of real servers.

The shares follow the recorded corpus: a third of the tools have an output schema, every second
input names a dialect, and optional, nullable, enumerated and nested properties are common.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle, islice

from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json

VERBS = ["get", "list", "create", "update", "delete", "search", "count", "export", "merge", "move"]
NOUNS = ["issue", "page", "user", "file", "event", "invoice", "branch", "alert", "team", "order"]

MEMBERS: list[tuple[str, Json]] = [
    ("id", {"type": "string", "format": "uuid", "description": "Which one."}),
    ("title", {"type": "string", "minLength": 1, "maxLength": 200}),
    ("limit", {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}),
    ("state", {"type": "string", "enum": ["open", "closed", "merged"]}),
    ("created_at", {"type": "string", "format": "date-time", "description": "When it began."}),
    ("assignee", {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}),
    ("labels", {"type": "array", "items": {"type": "string"}, "maxItems": 20}),
    ("dry-run", {"type": "boolean", "default": False, "description": "Change nothing."}),
    ("from", {"type": ["string", "null"], "format": "date"}),
    ("amount", {"type": "number", "exclusiveMinimum": 0}),
    ("filter", {"type": "object", "additionalProperties": {"type": "string"}}),
    ("slug", {"type": "string", "pattern": "^[a-z0-9-]+$"}),
]
NESTED: Json = {
    "type": "object",
    "description": "Where it lies.",
    "properties": {
        "owner": {"type": "string"},
        "position": {
            "type": "object",
            "properties": {"line": {"type": "integer"}, "column": {"type": "integer"}},
            "required": ["line"],
        },
    },
    "required": ["owner"],
}
TARGET: Json = {
    "oneOf": [
        {
            "type": "object",
            "properties": {"kind": {"const": kind}, "ref": {"type": "string"}},
            "required": ["kind", "ref"],
        }
        for kind in ("branch", "commit")
    ]
}


def contract(size: int) -> Contract:
    """Return a contract with this number of tools."""
    tools = [tool(index) for index in range(size)]
    return Contract(
        tools={item["name"]: item for item in tools},
        revision="2025-11-25",
        server={"name": f"synthetic-{size}", "version": "1.0.0"},
    )


def changed(size: int) -> Contract:
    """Return the contract with a changed text and a changed type in every tool."""
    tools = [_changed(tool(index)) for index in range(size)]
    return replace(contract(size), tools={item["name"]: item for item in tools})


def _changed(definition: dict[str, Json]) -> dict[str, Json]:
    schema = definition["inputSchema"]
    first, *_ = schema["properties"]
    was = schema["properties"][first]
    now = {**was, "type": "integer" if was.get("type") == "string" else "string"}
    properties = {**schema["properties"], first: now}
    description = f"{definition['description']} Now with more."
    used = {**schema, "properties": properties}
    return {**definition, "description": description, "inputSchema": used}


def tool(index: int) -> dict[str, Json]:
    """Return the definition number ``index``, which doesn't depend on the others."""
    verb = VERBS[index % len(VERBS)]
    noun = NOUNS[index // len(VERBS) % len(NOUNS)]
    name = f"{verb}_{noun}_{index}" if index % 3 else f"{noun}.{verb}-{index}"
    definition: dict[str, Json] = {
        "name": name,
        "description": f"{verb.title()} one {noun} or several.\n\nSee the manual, part {index}.",
        "inputSchema": schema(index, 2 + index % 7),
        "annotations": {"readOnlyHint": verb in ("get", "list", "search", "count")},
    }
    if index % 3 == 0:
        definition["outputSchema"] = result(index)
    return definition


def schema(index: int, size: int) -> dict[str, Json]:
    """Return an object schema with ``size`` properties, some of which are objects."""
    chosen = dict(islice(cycle(MEMBERS[index % len(MEMBERS) :] + MEMBERS), size))
    results: dict[str, Json] = {"type": "object", "properties": chosen}
    results["required"] = [name for name, _ in zip(chosen, range(1 + size // 3), strict=False)]
    if index % 4 == 1:
        chosen["place"] = NESTED
    if index % 9 == 2:
        chosen["target"] = TARGET
    if index % 2:
        results["$schema"] = "http://json-schema.org/draft-07/schema#"
    if index % 5 == 0:
        results["additionalProperties"] = False
    return results


def result(index: int) -> dict[str, Json]:
    """Return an output schema: a page of items that share a definition."""
    return {
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
            "next": {"type": ["string", "null"]},
            "total": {"type": "integer", "minimum": 0},
        },
        "required": ["items", "total"],
        "$defs": {"Item": {**schema(index * 2, 6), "additionalProperties": True}},
    }
