"""Patterns with catastrophic backtracking, in every schema position that allows one."""

from __future__ import annotations

from typing import Any

Json = Any

PATTERNS: dict[str, str] = {
    "backtracking": "^(a+)+$",
    "look-around": "(?=a)^(a|aa)+b(?<!b)$",
    "references": r"^((a*)(a*)(a*))*\1\2\3b$",
    "groups": "(" * 500 + "a" + ")" * 500,
    "repeated groups": "(" * 500 + "a" + ")*" * 500,
    "a long text": "a" * 50_000,
    "alternatives": "(?=a)(?:" + "|".join(f"a{n}" for n in range(3_000)) + ")$",
    "counts": "(?:a{1000}b){1000}",
    "counts of counts": "((((a{99}){99}){99}){99}){99}",
    "classes": r"(?:\p{L}{0,1000}[^\p{Lu}]){0,1000}!",
    "look-aheads": "(?=(?=(?=a.*b).*c).*d)",
    "Python's": "^(?P<n>a+)+$",
}
TEXT = "a" * 5_000 + "!"


def tools() -> dict[str, Json]:
    """Return tools by name, each with patterns in other places."""
    result = {f"text{n}": _text(pattern) for n, pattern in enumerate(PATTERNS.values())}
    some = [p for p in PATTERNS.values() if len(p) < 100]
    result |= {
        "several": {
            "allOf": [{"pattern": p} for p in some],
            "type": "string",
            "minLength": 200,
        },
        "none": {"allOf": [{"not": {"pattern": p}} for p in some], "type": "string"},
        "members": {
            "type": "object",
            "patternProperties": {f"^(?=a)(a|aa)+{n}$": {} for n in range(2_000)},
            "additionalProperties": False,
            "minProperties": 1,
            "default": {TEXT: 1, "b": 2},
        },
        "names": {
            "type": "object",
            "propertyNames": {"pattern": some[1], "minLength": 200},
            "additionalProperties": {"type": "integer"},
            "minProperties": 2,
        },
        "left": {
            "type": "object",
            "patternProperties": {pattern: {"type": "integer"} for pattern in some},
            "unevaluatedProperties": False,
            "default": {TEXT: 1},
        },
        "items": {
            "type": "array",
            "items": _text(some[0]),
            "minItems": 50,
            "uniqueItems": True,
        },
        "dialect": {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "string",
            "pattern": "^(a+)+$",
            "default": TEXT,
        },
    }
    return {name: _tool(name, schema) for name, schema in result.items()}


def _text(pattern: str) -> Json:
    return {"type": "string", "pattern": pattern, "minLength": 200, "default": TEXT}


def _tool(name: str, schema: Json) -> Json:
    whole = {"type": "object", "properties": {"v": schema}, "required": ["v"]}
    return {"name": name, "inputSchema": whole, "outputSchema": whole}
