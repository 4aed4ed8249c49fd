"""Tables of a page: rows, nested objects, alternatives and inexact schemas."""

from __future__ import annotations

import json
from collections.abc import Iterator

from contract_pages import tool_entry

from mcpgen.codegen.pages.values import Entry, Row, Table
from mcpgen.jsontext import Json


def all_rows(tables: tuple[Table, ...]) -> Iterator[Row]:
    for table in tables:
        for row in table.rows:
            yield row
            yield from all_rows(row.tables)


def rows(entry: Entry, index: int = 0) -> dict[str, Row]:
    return {row.name: row for row in all_rows(entry.values[index].tables)}


def test_rows_have_type_usage_and_constraints() -> None:
    schema: Json = {
        "type": "object",
        "properties": {
            "count": {"type": "integer", "minimum": 1, "maximum": 4, "default": 2},
            "tags": {"type": "array", "items": {"type": "string", "maxLength": 5}},
            "size": {"enum": ["S", "M"]},
            "price": {"type": ["number", "null"]},
        },
        "required": ["count"],
    }
    found = rows(tool_entry(schema))
    assert [found[name].usage for name in ("count", "tags")] == ["required", "optional"]
    assert found["count"].constraints == "1 to 4. Default: 2."
    assert found["tags"].type == "array of string (at most 5 characters)"
    assert found["size"].type == '"S" | "M"'
    assert found["price"].type == "number or null"


def test_nested_objects_have_tables_and_recursion_links_back() -> None:
    schema: Json = {
        "type": "object",
        "properties": {"root": {"$ref": "#/$defs/node"}},
        "$defs": {
            "node": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                },
            }
        },
    }
    found = rows(tool_entry(schema))
    assert found["children"].type == "array of object"
    assert [link.target for link in found["children"].links] == [found["root"].anchor]


def test_alternatives_have_captions_and_distinct_anchors() -> None:
    schema: Json = {
        "type": "object",
        "properties": {
            "shape": {
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {"kind": {"const": kind}, "size": {"type": "number"}},
                        "required": ["kind"],
                    }
                    for kind in ("circle", "square")
                ]
            }
        },
    }
    tables = rows(tool_entry(schema))["shape"].tables
    assert [table.caption for table in tables] == ["circle", "square"]
    anchors = [row.anchor for row in all_rows(tables)]
    assert len(set(anchors)) == len(anchors) == 4


def test_inexact_schema_is_shown_completely() -> None:
    inexact: Json = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^x"}}}
    exact: Json = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert json.loads(tool_entry(inexact).values[0].schema) == inexact
    assert tool_entry(exact).values[0].schema == ""
