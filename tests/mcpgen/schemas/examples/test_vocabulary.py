"""Examples read like real data, and the seed determines them."""

from __future__ import annotations

import json
from datetime import datetime, timezone

import pytest

from mcpgen.schemas.examples import example


def test_an_example_reads_like_real_data() -> None:
    schema = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "authorName": {"type": "string"},
            "createdAt": {"type": "string", "format": "date-time"},
            "contact_email": {"type": "string"},
            "year": {"type": "integer"},
            "score": {"type": "number"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "visibility": {"enum": ["public", "private"]},
            "limit": {"type": "integer", "default": 20},
            "region": {"type": "string", "examples": ["eu-west-1"]},
            "note": {"anyOf": [{"type": "null"}, {"type": "string"}]},
            "genre": {"type": "string"},
            "colors": {"type": "object", "additionalProperties": {"type": "string"}},
        },
    }
    assert example(schema) == {
        "id": "0b8e2d1c-7f7e-4d53-9a53-0000001f3c11",
        "authorName": "Kenji Mori",
        "createdAt": "2026-03-04T09:44:00Z",
        "contact_email": "kenji@example.org",
        "year": 2024,
        "score": 0.2,
        "tags": ["compass", "lantern"],
        "visibility": "public",
        "limit": 20,
        "region": "eu-west-1",
        "note": "Everything works as described.",
        "genre": "lantern",
        "colors": {"first": "first 6", "second": "second 2"},
    }


def test_the_seed_decides_and_varies() -> None:
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "size": {"type": "integer"}},
    }
    names = [json.dumps(example(schema, seed)) for seed in range(20)]
    assert names == [json.dumps(example(schema, seed)) for seed in range(20)]
    assert len(set(names)) > 8
    assert "{}" in names
    assert example(schema).keys() == {"name", "size"}


@pytest.mark.parametrize(
    ("pattern", "spelling"),
    [
        ("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}Z$", "%Y-%m-%dT%H:%MZ"),
        (r"^\d{4}-\d{2}-\d{2}$", "%Y-%m-%d"),
        (r"^\d{2}\.\d{2}\.\d{4}$", "%d.%m.%Y"),
        (r"^\d\d:\d\d$", "%H:%M"),
    ],
)
def test_pattern_of_moment(pattern: str, spelling: str) -> None:
    schema = {"type": "object", "properties": {"due": {"type": "string", "pattern": pattern}}}
    for seed in range(8):
        value = example({**schema, "required": ["due"]}, seed)
        assert datetime.strptime(value["due"], spelling).replace(tzinfo=timezone.utc)
