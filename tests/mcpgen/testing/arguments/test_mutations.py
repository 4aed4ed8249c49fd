"""Values at each limit, and beyond it."""

from __future__ import annotations

from typing import Any

import pytest

from mcpgen.jsontext import Json
from mcpgen.testing.arguments import mutations
from mcpgen.testing.arguments.value_paths import alternatives
from mcpgen.testing.arguments.values import Schema

SCHEMA = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "minLength": 2},
        "limit": {"type": "integer", "minimum": 1, "maximum": 20},
        "order": {"enum": ["title", "pages"]},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
    },
    "required": ["query"],
    "additionalProperties": False,
}


def test_changes_stand_at_each_limit_and_beyond_it() -> None:
    schema = Schema(SCHEMA)
    base: dict[str, Any] = {"query": "ab", "limit": 5, "order": "title", "tags": ["x"]}
    changes = [change.arguments for change in schema.changes(base)]
    allowed = [item for item in changes if schema.allows(item)]
    forbidden = [item for item in changes if not schema.allows(item)]
    assert {item["limit"] for item in allowed if "limit" in item} >= {1, 20}
    assert {"title", "pages"} <= {str(item.get("order")) for item in allowed}
    assert {"ab", "a"} <= {str(item.get("query")) for item in [*allowed, *forbidden]}
    assert {str(item.get("limit")) for item in forbidden} >= {"0", "21", "None", "text"}
    assert any("query" not in item for item in forbidden)
    assert any("mcpgen_unknown" in item for item in forbidden)
    assert any(len(item.get("tags") or ()) == 3 for item in forbidden)
    assert schema.frugal(base) == {"query": "ab"}


def test_mutually_recursive_unions_are_read_once() -> None:
    """Filter languages have such schemas, with twenty to the fourth power of combinations."""
    names = [f"kind{number}" for number in range(20)]
    union = {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in names]}
    kind = {"anyOf": [{"$ref": "#/$defs/any"}, {"type": "string"}]}
    root = {"$ref": "#/$defs/any", "$defs": {"any": union, **dict.fromkeys(names, kind)}}
    nodes = alternatives(root, root)
    assert len(nodes) == 2 + len(names) * 4
    assert {"type": "string"} in nodes


@pytest.mark.parametrize(("more", "is_named"), [({}, True), ({"format": "uri"}, False)])
def test_truncated_string_counts_as_valid_without_a_format(
    more: dict[str, Any], *, is_named: bool
) -> None:
    part = {"type": "string", "minLength": 1, "maxLength": 30, **more}
    changes = Schema({"properties": {"url": part}}).changes({"url": "https://example.org"})
    lengths = {
        change.how: change.is_named
        for change in changes
        if change.how in ("minLength", "maxLength")
    }
    assert lengths == {"minLength": is_named, "maxLength": is_named}


@pytest.mark.parametrize("value", [["a"], ["tag one", "b"], [1], [2.5, 1]], ids=str)
def test_too_many_unique_items(value: Json) -> None:
    node: dict[str, Json] = {"maxItems": 4, "uniqueItems": True}
    changed = {how: new for new, how, _ in mutations.other_values(value, [node], node)}
    assert len(changed["more than maxItems"]) == 5
    assert len({*changed["more than maxItems"]}) == 5


def test_enum_value_in_other_letters() -> None:
    def names(listed: list[Any]) -> set[str]:
        changes = Schema({"properties": {"order": {"enum": listed}}}).changes({"order": listed[0]})
        return {str(change.arguments.get("order")) for change in changes}

    assert "TITLE" in names(["title", "pages"])
    assert "TITLE" in names(["title", "Title"])
    assert names([1, 2]) & {"TITLE", "title"} == set()


@pytest.mark.parametrize(("value", "fraction"), [(1900, 1900.5), (2030, 2029.5)])
def test_fraction_within_the_limits(value: int, fraction: float) -> None:
    """Other limits would hide that the type isn't checked."""
    nodes: list[dict[str, Json]] = [{"type": "integer", "minimum": 1850, "maximum": 2030}]
    changes = {how: item for item, how, _ in mutations.other_values(value, nodes, {})}
    assert changes["a fraction"] == fraction
