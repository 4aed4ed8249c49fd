"""Changes of the server itself: name, version, capabilities and order."""

from __future__ import annotations

import pytest
from contract_changes import SERVER, SERVER_BOTH_WAYS, assert_rules_both_ways, find_rules


@pytest.mark.parametrize("name", SERVER)
def test_change_of_the_server_falls_under_its_rules(name: str) -> None:
    old, new, expected = SERVER[name]
    assert find_rules(old, new) == expected.split()


@pytest.mark.parametrize("name", SERVER_BOTH_WAYS)
def test_change_of_the_server_there_and_back_falls_under_its_rules(name: str) -> None:
    assert_rules_both_ways(SERVER_BOTH_WAYS[name])
