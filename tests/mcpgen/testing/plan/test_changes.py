"""Changed calls: each change of a place once, forbidden ones first."""

from __future__ import annotations

from mcpgen.testing.plan import changes
from mcpgen.testing.values import Change


def test_change_of_a_place_is_made_once_whichever_item_it_is() -> None:
    made = [
        Change({"a": [0, 1]}, ("a", 0), "beyond minimum"),
        Change({"a": [1, 0]}, ("a", 1), "beyond minimum"),
        Change({"a": [9, 1]}, ("a", 0), "beyond maximum"),
        Change({"b": 1, "a": [0, 1]}, ("a", 0), "beyond minimum"),
    ]
    assert [*changes._once_each(made)] == [made[0], made[2]]
