"""The effects of tools, by their annotations, names and descriptions."""

from __future__ import annotations

from typing import Any

import pytest

from mcpgen.testing.arguments.entities import deletes, id_of, role_of

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
    ("properties", "required", "role"),
    [
        (["player_id"], ["player_id"], "destroy"),
        (["playerId", "reason", "force"], ["playerId"], "destroy"),
        (["player_id", "name", "city", "coach"], ["player_id"], "change"),
        (["player_id", "team_id"], ["player_id", "team_id"], "change"),
        (["name"], ["name"], "change"),
    ],
)
def test_destructive_tool_with_only_an_id(
    properties: list[str], required: list[str], role: str
) -> None:
    schema = {"properties": {name: {} for name in properties}, "required": required}
    definition: dict[str, Any] = {"name": "dismiss_player", "inputSchema": schema}
    assert role_of({**definition, "annotations": DESTROYS}) == role
    assert role_of({**definition, "name": "edit_player", "annotations": DESTROYS}) == "change"
    assert role_of({**definition, "annotations": KEEPS}) == "change"


@pytest.mark.parametrize(
    ("entity", "expected"),
    [
        ({"player_id": "p1", "team_id": 3, "number": 7}, ("player_id", "p1")),
        ({"number": 7, "author_id": 3}, ("number", 7)),
        ({"author_id": 3, "id": 9}, ("id", 9)),
        ({"name": "a"}, None),
    ],
)
def test_id_of_entity(entity: Any, expected: Any) -> None:
    assert id_of(entity) == expected


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
