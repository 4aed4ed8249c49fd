"""Contract tests of servers that are ours: the bookshop and the mock."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
import sdk_programs
from paths import SUPPORT
from skeletons import DEMO, demo, project

from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.testing import live
from mcpgen.testing.run import Run
from mcpgen.testing.run_options import Limits, RunOptions

Era = Literal["legacy", "modern"]
ERAS: list[Era] = ["legacy", "modern"]
YEARS = {"legacy": "2025", "modern": "2026"}


@contextlib.contextmanager
def explore(
    command: Sequence[str],
    era: Era,
    calls: int | None = 150,
    env: Sequence[str] = (),
    **expected: Any,
) -> Generator[Run]:
    """Run contract tests against a server."""
    arguments = ServerArguments(command=tuple(command), env=tuple(env), era=era)
    prepared = live.prepare(arguments, None, lambda _: None)
    named: dict[str, Any] = {"allows_writes": True, "searches": False, **expected}
    with live.running(prepared, RunOptions(**named), Limits(calls, 240, 15)) as run:
        run.explore()
        yield run


def bookshop(era: Era, *bugs: str) -> list[str]:
    """Return the command of the server of books, with some bugs."""
    args = [token for bug in bugs for token in ("--bug", bug)]
    return [sys.executable, str(SUPPORT / "seeded_server.py"), YEARS[era], *args]


def findings_of(run: Run) -> set[tuple[str, str]]:
    """Return the violated rules with their subjects."""
    return {(failure.judge.name, failure.case.subject) for failure in run.failures.values()}


BETWEEN = {
    "page-repeats": ("pages-repeat", "list_books"),
    "page-loses": ("pages-lose", "list_orders"),
    "page-again": ("pages-repeat", "list_customers"),
    "ids-unpadded": ("chain-broken", "get_book"),
    "letters-lost": ("chain-broken", "get_customer"),
    "dead-link": ("link-dead", "export_books"),
    "limit-cut": ("invalid-accepted", "list_books"),
}
TOOLS = [*dict.fromkeys(tool for _, tool in BETWEEN.values()), "search_books"]


@pytest.mark.slow
@pytest.mark.parametrize("bugs", [(), tuple(BETWEEN)], ids=["right", "wrong"])
def test_bugs_between_calls_are_found(bugs: tuple[str, ...]) -> None:
    """They concern pages, links, IDs, and an optional argument that no successful call had."""
    with explore(bookshop("legacy", *bugs), "legacy", 2000, named=TOOLS) as run:
        results = findings_of(run)
    assert results >= {(judge, f"tool {tool}") for judge, tool in map(BETWEEN.__getitem__, bugs)}
    assert bugs or not results


@pytest.mark.slow
def test_string_for_an_array_is_tried_for_any_schema() -> None:
    server = bookshop("legacy", "text-for-list")
    with explore(server, "legacy", 1000, named=["quote_order"]) as run:
        assert findings_of(run) == {("crash-shown", "tool quote_order")}


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
def test_nothing_is_found_in_the_right_server(era: Era) -> None:
    with explore(bookshop(era), era, calls=800) as run:
        assert findings_of(run) == set()


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
def test_a_mock_keeps_its_contract(era: Era) -> None:
    with explore(sdk_programs.mcpgen("mock", str(DEMO)), era, calls=150) as run:
        assert findings_of(run) == set()


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
def test_a_generated_server_keeps_its_contract(tmp_path: Path, era: Era) -> None:
    """Its user code follows the contract, and asks the user before withdrawing anything."""
    folder = project(demo(), tmp_path, author=SUPPORT / "careful")
    command, env = [sys.executable, "-m", folder.name], [f"PYTHONPATH={folder / 'src'}"]
    arguments = {"withdraw_items": [{"ids": ["B-1", "F-1"], "reason": "worn"}]}
    with explore(command, era, 2000, env, arguments_by_tool=arguments) as run:
        assert findings_of(run) == set()
    observed = run.lab.coverage.tools
    assert [name for name, tool_coverage in observed.items() if not tool_coverage.results] == []
