"""Hashes of tool definitions, which cover the schemas but not the descriptions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, cast

_DIGITS = 16
_EXACT = 2**53
"""From here on, a double can't represent every integer."""


def definition_hash(definition: Mapping[str, Any]) -> str:
    """Hash the schemas of a tool as the server lists them."""
    schemas = {
        name: plain_numbers(definition[name])
        for name in ("inputSchema", "outputSchema")
        if name in definition
    }
    # Not in UTF-8, which can't encode lone surrogates, unlike JSON.
    text = json.dumps(schemas, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def plain_numbers(value: object) -> object:
    """Replace integral floats by integers, so that 1 and 1.0 have the same hash."""
    if isinstance(value, Mapping):
        members = cast("Mapping[str, object]", value)
        return {name: plain_numbers(member) for name, member in members.items()}
    if isinstance(value, list):
        return [plain_numbers(item) for item in cast("list[object]", value)]
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    return value
