"""Contracts with the same text in every field that a server may fill."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mcpgen.contract.document import Contract, read
from mcpgen.jsonpointer import escape

HERE = Path(__file__).parent
PAYLOADS: dict[str, str] = json.loads((HERE / "payloads.json").read_text("utf-8"))
KEYWORDS: list[str] = json.loads((HERE / "keywords.json").read_text("utf-8"))
_MEANS_SOMETHING = {"$ref", "$id", "$schema", "properties", "items", "type", "validate"}


def everywhere(texts: Iterable[str]) -> Contract:
    """Return a contract with tools, a prompt, a resource and templates for each text."""
    names = list(texts)
    return read(
        {
            "server": {"name": "frame", "version": "1"},
            "revision": "2025-11-25",
            "tools": [tool for text in names for tool in _tools(text)],
            "prompts": [_prompt(text) for text in names],
            "resources": [_resource(text, text) for text in names],
            "resourceTemplates": [
                {
                    **_resource(text, text),
                    "uriTemplate": template,
                    "name": f"{text}{number}",
                }
                for text in names
                for number, template in enumerate(
                    (f"a://{text}/{{x}}", f"a://{{{text}}}", f"a://{{?{text},y*}}")
                )
            ],
        }
    )


def of_a_server(text: str) -> Contract:
    """Return a contract of a server with this name and origin."""
    return read(
        {
            "server": {
                "name": text,
                "title": text,
                "version": text,
                "websiteUrl": text,
                "description": text,
                text: text,
            },
            "revision": text,
            "capabilities": {text: {text: text}, "tools": {}},
            "clientCapabilities": {text: text},
            "instructions": text,
            "origin": {
                "transport": "stdio",
                "command": text,
                "args": [text],
                "env": [text],
            },
            "tools": [{"name": "only", "inputSchema": {"type": "object"}}],
            "names": {"only": text, text: text},
        }
    )


def contract_named(names: Iterable[str]) -> Contract:
    """Return a contract whose tools, prompts and resources have these names and contain them."""
    results = list(names)
    schema = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in results},
    }
    prompt_arguments = [{"name": name} for name in results]
    return read(
        {
            "server": {"name": "frame", "version": "1"},
            "revision": "2025-11-25",
            "tools": [
                *({"name": name, "inputSchema": {"type": "object"}} for name in results),
                {"name": "all of them", "inputSchema": schema, "outputSchema": schema},
            ],
            "prompts": [
                *({"name": name} for name in results),
                {"name": "all of them", "arguments": prompt_arguments},
            ],
            "resources": [{"uri": f"a://{name}", "name": name} for name in results],
            "resourceTemplates": [
                {"uriTemplate": f"b://{name}/{{{name}}}", "name": name} for name in results
            ],
        }
    )


def _tools(text: str) -> Iterable[dict[str, Any]]:
    yield {
        "name": text,
        "title": text,
        "description": text,
        "inputSchema": _schema(text),
        "outputSchema": _schema(text),
        "annotations": {
            "title": text,
            text: text,
            "readOnlyHint": text,
            "idempotentHint": True,
        },
        "icons": [{"src": text, "mimeType": text, "sizes": [text], "theme": text}],
        "_meta": {text: text},
        "execution": {"taskSupport": text},
        text if text not in ("name", "inputSchema", "outputSchema", "description") else "x": text,
    }
    # Some strings invalidate a whole schema, so they get one of their own.
    for number, schema in enumerate(_odd(text)):
        yield {
            "name": f"odd {number} {text}",
            "inputSchema": schema,
            "outputSchema": schema,
        }


def _schema(text: str) -> dict[str, Any]:
    at = escape(text).replace("%", "%25")
    members: dict[str, Any] = {"title": text, "description": text, "$comment": text}
    subschemas = dict.fromkeys(KEYWORDS, text)
    for keyword in (
        "propertyNames",
        "contentSchema",
        "readOnly",
        "writeOnly",
        "deprecated",
    ):
        subschemas[keyword] = {"type": "string"} if keyword[0] in "pc" else True  # type: ignore[assignment]
    for keyword in ("unevaluatedItems", "$vocabulary", "$recursiveAnchor", "title"):
        del subschemas[keyword]
    del subschemas["x-mcp-header"]  # a server with a wrong one is refused as a whole
    return {
        **members,
        "type": "object",
        "properties": {
            text: {
                **members,
                "type": "string",
                "default": text,
                "examples": [text],
                "example": text,
                "format": text,
                "pattern": text,
                "contentEncoding": text,
                "contentMediaType": text,
                "enumNames": [text],
            },
            "nested": {
                **members,
                "type": "object",
                "properties": {
                    text: {
                        **members,
                        "type": "object",
                        "properties": {text: {"enum": [text, "p"]}},
                    }
                },
                "required": [text],
                "additionalProperties": False,
            },
            "e": {**members, "enum": [text, "p", 1, None]},
            "c": {**members, "const": text},
            "r": {"$ref": f"#/$defs/{at}"},
            "u": {
                "anyOf": [
                    {
                        **members,
                        "type": "object",
                        "properties": {"k": {"const": text}, text: {}},
                    },
                    {
                        "title": text,
                        "type": "array",
                        "items": {"enum": [text]},
                        "default": [text],
                    },
                ]
            },
            "t": {
                "oneOf": [
                    _tagged_schema(text, {text: {"type": "integer"}}),
                    _tagged_schema("p", {"q": {"const": 1}}),
                ]
            },
            "m": {"type": "object", "patternProperties": {text: {"type": "string"}}},
            "x": {"type": "string", **subschemas},
            "y": {"type": "object", "properties": {"z": {}}, **subschemas},
            "d": {"type": "object", "default": {text: [text, {text: text}]}},
        },
        "required": [text],
        "$defs": {
            text: {
                **members,
                "type": "object",
                "properties": {text: {"$ref": f"#/$defs/{at}"}},
            },
        },
        **{key: value for key, value in subschemas.items() if key not in ("title", "$comment")},
    }


def _tagged_schema(text: str, members: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "title": text,
        "properties": {"k": {"const": text}, **members},
        "required": ["k"],
    }


def _odd(text: str) -> Iterable[dict[str, Any]]:
    """Yield schemas with a string in meaningful or invalid positions."""
    for keyword in ("$ref", "$id", "$schema", "$anchor", "$dynamicRef", "type"):
        yield {"type": "object", "properties": {"a": {"type": "string"}}, keyword: text}
    yield {"type": "object", "properties": {"a": {"type": text}, "b": {"$ref": text}}}
    yield {
        "type": "object",
        "properties": {"a": {"$ref": f"#{text}"}, "b": {"$ref": f"{text}#/"}},
    }
    if text not in _MEANS_SOMETHING:
        yield {"type": "object", text: text, "properties": {"a": {text: {text: text}}}}


def _prompt(text: str) -> dict[str, Any]:
    return {
        "name": text,
        "title": text,
        "description": text,
        "arguments": [
            {"name": text, "title": text, "description": text, "required": text},
            {"name": f"{text}2", "description": text, "required": True},
        ],
        "icons": [{"src": text}],
        "_meta": {text: text},
    }


def _resource(uri: str, text: str) -> dict[str, Any]:
    return {
        "uri": uri,
        "name": text,
        "title": text,
        "description": text,
        "mimeType": text,
        "annotations": {"audience": [text], "lastModified": text},
        "size": text,
        "_meta": {text: text},
    }
