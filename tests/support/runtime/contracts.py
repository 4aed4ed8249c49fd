"""A shop: one tool for each feature of the runtime."""

from __future__ import annotations

from typing import Any

from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json

ITEM: Json = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "price": {"type": "number", "minimum": 0},
        "made-on": {"type": "string", "format": "date"},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
        "note": {"type": ["string", "null"]},
        "stock": {"type": "integer"},
    },
    "required": ["id", "price"],
}
CLOSED_ITEM: Json = {**ITEM, "additionalProperties": False}


def _object(properties: Json, *required: str, **more: Json) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        **more,
    }


def _tool(name: str, schema: Json, answer: Json = None, **more: Json) -> Json:
    tool = {
        "name": name,
        "description": f"The tool {name}.",
        "inputSchema": schema,
        **more,
    }
    return tool if answer is None else {**tool, "outputSchema": answer}


NO_ARGUMENTS: Json = {"type": "object", "additionalProperties": False}
READS: Json = {"readOnlyHint": True}

TOOLS: list[Json] = [
    _tool(
        "add",
        _object(
            {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "a",
            "b",
            additionalProperties=False,
        ),
        _object({"sum": {"type": "integer"}}, "sum", additionalProperties=False),
        annotations=READS,
    ),
    _tool(
        "order",
        _object(
            {
                "item": {"$ref": "#/$defs/Item"},
                "others": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
                "by-id": {
                    "type": "object",
                    "additionalProperties": {"$ref": "#/$defs/Item"},
                },
                "class": {"enum": ["fast", "slow"], "default": "slow"},
                "self": {"type": "string"},
                "timeout": {"type": "integer"},
                "gift": {"type": ["string", "null"]},
                "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1},
            },
            "item",
            additionalProperties=False,
            **{"$defs": {"Item": ITEM}},
        ),
        _object(
            {"item": {"$ref": "#/$defs/Item"}, "from": {"type": "string"}, "due": {}},
            "item",
            **{"$defs": {"Item": ITEM}},
        ),
        annotations={"destructiveHint": False},
    ),
    _tool(
        "label",  # inexact: the law knows more than the type
        _object(
            {
                "code": {"type": "string", "pattern": "^[A-Z]{3}$"},
                "copies": {"type": "integer"},
            },
            "code",
        ),
        _object({"printed": {"type": "string", "pattern": "^ok:"}}, "printed"),
    ),
    _tool(
        "explain",
        _object({"topic": {"type": "string"}}, "topic"),
        title="Explain a topic",
        annotations={
            "readOnlyHint": True,
            "title": "Explainer",
            "openWorldHint": False,
        },
        icons=[{"src": "https://example.org/icon.png", "mimeType": "image/png"}],
        _meta={"example.org/team": "sales"},
    ),
    _tool("count", NO_ARGUMENTS, {"type": "integer", "minimum": 0}, annotations=READS),
    _tool(
        "names",
        NO_ARGUMENTS,
        {"type": "array", "items": {"type": "string"}},
        annotations=READS,
    ),
    _tool(
        "items",
        NO_ARGUMENTS,
        {"type": "array", "items": {"$ref": "#/$defs/Item"}, "$defs": {"Item": ITEM}},
        annotations=READS,
    ),
    _tool("motto", NO_ARGUMENTS, {"type": "string"}, annotations=READS),
    _tool("nothing", NO_ARGUMENTS, {"type": "null"}, annotations=READS),
    _tool(
        "find",
        NO_ARGUMENTS,
        {
            "anyOf": [{"$ref": "#/$defs/Item"}, {"type": "null"}],
            "$defs": {"Item": ITEM},
        },
        annotations=READS,
    ),
    _tool(
        "wrapped",
        NO_ARGUMENTS,
        _object(
            {"result": {"type": "array", "items": {"type": "integer"}}},
            "result",
            **{"x-fastmcp-wrap-result": True},
        ),
        annotations=READS,
    ),
    _tool(
        "unmarked",
        NO_ARGUMENTS,
        _object({"result": {"type": "integer"}}, "result"),
        annotations=READS,
    ),
    _tool(
        "formats",
        _object({"on": {"type": "string", "format": "date"}}),
        _object(
            {
                "date": {"type": "string", "format": "date"},
                "time": {"type": "string", "format": "date-time"},
                "uuid": {"type": "string", "format": "uuid"},
                "uri": {"type": "string", "format": "uri"},
                "maybe": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
                "dates": {
                    "type": "array",
                    "items": {"type": "string", "format": "date"},
                },
            }
        ),
        annotations=READS,
    ),
    _tool(
        "box",
        NO_ARGUMENTS,
        _object(
            {"item": {"$ref": "#/$defs/Item"}, "a": {"type": "string"}},
            "item",
            additionalProperties=False,
            **{"$defs": {"Item": CLOSED_ITEM}},
        ),
        annotations=READS,
    ),
    _tool("wipe", NO_ARGUMENTS),
    {"name": "loose", "description": "A tool without an input schema."},
]

PROMPTS: Json = {
    "pitch": {
        "name": "pitch",
        "description": "Sell an item.",
        "arguments": [{"name": "item", "required": True}, {"name": "for-whom"}],
    }
}
RESOURCES: Json = {
    "shop://opening": {
        "uri": "shop://opening",
        "name": "opening",
        "mimeType": "text/plain",
    }
}
TEMPLATES: Json = {
    template: {"uriTemplate": template, "name": name}
    for name, template in {
        "shelf": "shop://shelves/{shelf}",
        "path": "shop://files{/parts*}",
        "search": "shop://search{?words,limit}",
    }.items()
}


def shop(**parts: Any) -> Contract:
    """Return the shop's contract with the given fields replaced."""
    whole: dict[str, Any] = {
        "tools": {tool["name"]: tool for tool in TOOLS},
        "revision": "2026-07-28",
        "server": {"name": "shop", "version": "1"},
        "prompts": PROMPTS,
        "resources": RESOURCES,
        "resource_templates": TEMPLATES,
    }
    return Contract(**{**whole, **parts})


SHOP = shop()
