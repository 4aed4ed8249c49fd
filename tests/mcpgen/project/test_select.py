"""Tools are selected and renamed by patterns."""

from __future__ import annotations

from typing import Any

import pytest
from project_tables import demo, entry

from mcpgen.contract.document import Contract
from mcpgen.errors import UsageError
from mcpgen.project.select import select


def test_tools_are_chosen_by_patterns_and_renamed() -> None:
    contract = select(demo(), entry(include=("*_item", "search_*"), exclude=("b*",)))
    assert "borrow_item" not in contract.tools
    assert "search_catalogue" in contract.tools
    contract = select(demo(), entry(rename={"search_catalogue": "look"}))
    assert contract.names == {"search_catalogue": "look"}


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"include": ("serch_*",)}, "no tool of the contract is 'serch_*'"),
        ({"exclude": ("x",)}, "no tool of the contract is 'x'"),
        ({"rename": {"x": "y"}}, "no tool of the contract is 'x'"),
        ({"rename": {"search_catalogue": "Look Up"}}, "cannot be the name of a method"),
        ({"rename": {"search_catalogue": "class"}}, "cannot be the name of a method"),
        ({"rename": {"search_catalogue": "response"}}, "every client has"),
        ({"rename": {"search_catalogue": "borrow_item"}}, "'borrow_item' is taken"),
    ],
    ids=str,
)
def test_selection_without_matches_is_rejected(values: Any, problem: str) -> None:
    with pytest.raises(UsageError) as caught:
        select(demo(), entry(**values))
    assert problem in caught.value.problem
    assert caught.value.where.startswith("tool.mcpgen.servers.bookshelf.")


def test_exclusion_does_not_rename_similar_tools() -> None:
    tools = {name: {"name": name, "inputSchema": {}} for name in ("get-user", "get_user")}
    contract = Contract(tools=tools)
    alone = select(contract, entry(exclude=("get_user",)))
    assert alone.names["get-user"].startswith("get_user_")
