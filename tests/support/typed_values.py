"""Types of values, and models with them."""

from __future__ import annotations

import json
from typing import Any

from mcpgen_runtime import models
from pydantic import TypeAdapter, ValidationError

types = models


def accepts(kind: Any, value: object) -> bool:
    try:
        TypeAdapter(kind).validate_python(value)
    except ValidationError:
        return False
    return True


def round_trip(kind: Any, value: object) -> object:
    """Parse and dump a value."""
    adapter = TypeAdapter(kind)
    parsed = adapter.validate_python(value, by_alias=True, by_name=False)
    return adapter.dump_python(parsed, mode="json", by_alias=True, exclude_unset=True)


def alike(first: object, other: object) -> bool:
    """Compare as JSON text does: 2 is not 2.0."""
    return json.dumps(first, sort_keys=True) == json.dumps(other, sort_keys=True)


WHOLE: dict[str, Any] = {
    "item": {
        "id": "A",
        "price": 2,
        "made-on": "2026-11-21",
        "parts": [{"id": "B", "price": 2.0, "note": "n", "x-vendor": {"a": [1, None]}}],
        "unknown": None,
        "note": None,
    },
    "due": {"any": ["thing", 1.0]},
    "further": [1, 2],
}
