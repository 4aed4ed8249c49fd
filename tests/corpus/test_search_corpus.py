"""Tools of recorded servers are found by questions in a user's words."""

from __future__ import annotations

import importlib

import pytest
from paths import HAS_LARGE_CORPUS, ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not HAS_LARGE_CORPUS,
        reason="the queries are for servers of the large corpus: MCPGEN_CORPUS",
    ),
]


def test_four_of_five_queries_that_were_held_out_find_their_tool(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    agent_sizes = importlib.import_module("agent_sizes")
    tools = agent_sizes.tools(agent_sizes.servers())
    keys = {tool.key for tool in tools}
    queries = agent_sizes.queries()
    assert len(queries) == 200
    assert {key for _, item in queries for key in item} <= keys
    search = agent_sizes.by_ranking(tools)
    result = sum(
        any(tools[at].key in item for at in search(query, 5)) for query, item in queries[1::2]
    )
    assert result >= 80
