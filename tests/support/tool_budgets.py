"""Definitions for token counts."""

from __future__ import annotations

from paths import SUPPORT

from mcpgen.jsontext import Json

POINT: Json = {
    "type": "object",
    "properties": {"lat": {"type": "number"}, "lon": {"type": "number", "maximum": 180}},
    "required": ["lat", "lon"],
}


def schema(**properties: Json) -> dict[str, Json]:
    return {"type": "object", "properties": properties}


BOOKS = SUPPORT / "documentation" / "linting" / "books.json"
