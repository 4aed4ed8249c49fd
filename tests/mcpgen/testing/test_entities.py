"""The effects of tools, by their annotations, names and descriptions."""

from __future__ import annotations

from typing import Any

import pytest

from mcpgen.testing.entities import deletes, role_of

READ: dict[str, Any] = {"readOnlyHint": True}
KEEPS: dict[str, Any] = {"readOnlyHint": False, "destructiveHint": False}
DESTROYS: dict[str, Any] = {"readOnlyHint": False, "destructiveHint": True}


@pytest.mark.parametrize(
    ("name", "annotations", "role"),
    [
        ("list_books", READ, "read"),
        ("add_book", KEEPS, "create"),
        ("add_book", {}, "create"),
        ("rename_note", KEEPS, "change"),
        ("update_book", DESTROYS, "change"),
        ("use_product", DESTROYS, "change"),
        ("put_book", DESTROYS, "change"),
        ("delete_book", DESTROYS, "destroy"),
        ("cancelOrder", DESTROYS, "destroy"),
        ("delete_book", {}, "destroy"),
        ("close_note", KEEPS, "change"),
    ],
)
def test_role_of_tool(name: str, annotations: dict[str, Any], role: str) -> None:
    assert role_of({"name": name, "annotations": annotations}) == role


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("cancel_meal", "Remove a planned meal.", True),
        ("cancel_meal", "Deletes what was planned.", True),
        ("purge", "", True),
        ("cancel_parcel", "Cancel a parcel. It stays in the list.", False),
        ("book", "Books that were removed.", False),
    ],
)
def test_deleting_tools(name: str, text: str, *, expected: bool) -> None:
    definition = {"name": name, "description": text, "annotations": DESTROYS}
    assert deletes(definition) is expected
    assert role_of(definition) == ("change" if name == "book" else "destroy")
