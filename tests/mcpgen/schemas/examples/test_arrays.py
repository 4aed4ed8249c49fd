"""Examples of arrays have different items of their format."""

from __future__ import annotations

import re

from mcpgen.schemas.examples import example


def test_different_items_keep_their_format() -> None:
    schema = {
        "type": "array",
        "items": {"type": "string", "format": "date"},
        "minItems": 40,
        "uniqueItems": True,
    }
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", item) for item in example(schema))
