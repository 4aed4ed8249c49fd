"""Fakes of tools without output schemas generate results in the observed form."""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable
from datetime import datetime, timezone
from typing import Any

import anyio
import pytest
from mcp.types import CallToolResult, TextContent
from mcpgen_runtime import package as runtime_package
from mcpgen_runtime.models import observed as runtime_observed
from mcpgen_runtime.testing import observed as fake_observed
from observed_notes import notes
from pydantic import TypeAdapter
from runtime.packages import STYLES, Style


def run(act: Callable[[Any], Awaitable[Any]], style: Style = "dataclass", **options: Any) -> Any:
    return anyio.run(act, notes(style).Client.fake(**{"unexpected": "error", **options}))


def texts(result: CallToolResult) -> list[str]:
    return [block.text for block in result.content if isinstance(block, TextContent)]


def values(style: Style) -> dict[str, Any]:
    """Return a valid return value for each tool's method."""
    package = notes(style)

    def make(name: str, /, **members: Any) -> Any:
        return getattr(package.models, name)(**members)

    written_at = datetime(2024, 5, 1, 10, tzinfo=timezone.utc)
    at: Any = written_at.isoformat() if style == "typeddict" else written_at
    note = make("FindNotesOutputItemsItem", title="Night", path="n.md", modified=at)
    return {
        "find_notes": make("FindNotesOutput", items=[note], total=1, by_tag={"sea": 1}),
        "list_tags": [make("ListTagsOutputItem", name="sea", count=2)],
        "read_rows": [make("ReadRowsOutputItem", id=1), make("ReadRowsOutputItem", id=2)],
        "count_notes": 3,
        "stats": make("StatsOutput", notes=2, bytes=2.5),
        "run_query": make("RunQueryOutput", rows=[["a", 1, None]]),
        "motd": "3",  # text, even if it is JSON
        "anything": [make("AnythingOutputItem", id=1)],
        "seen_once": make("SeenOnceOutput", ok=True),
    }


def arguments(tool: str) -> dict[str, str]:
    return {"query": "night"} if tool in ("find_notes", "run_query") else {}


@pytest.mark.parametrize("style", STYLES)
def test_configured_value_is_returned_unchanged(style: Style) -> None:
    async def act(fake: Any) -> None:
        for tool, value in values(style).items():
            method = getattr(fake, tool)
            fake.on(method).returns(value)
            result = await method(**arguments(tool))
            assert result == value, tool
            assert type(result) is type(value), tool
            assert fake.calls(method)[0].result == value

    run(act, style)


def test_response_has_the_observed_kind() -> None:
    async def act(fake: Any) -> None:
        async def raw(tool: str, *args: Any) -> CallToolResult:
            method = getattr(fake, tool)
            fake.on(method).returns(*args or [values("dataclass")[tool]])
            result: CallToolResult = (await fake.response(method, **arguments(tool))).raw
            return result

        for tool, item in {
            "count_notes": ["3"],
            "list_tags": ['[{"name": "sea", "count": 2}]'],
            "read_rows": ['{"id": 1}', '{"id": 2}'],
            "motd": ["3"],
        }.items():
            answer = await raw(tool)
            assert (texts(answer), answer.structured_content) == (item, None)
        assert texts(await raw("read_rows", [])) == []
        assert (await raw("stats")).structured_content == {"notes": 2, "bytes": 2.5}
        assert (await raw("anything")).structured_content == {"result": [{"id": 1}]}
        rows = (await raw("run_query")).structured_content
        assert rows == {"result": '{"rows": [["a", 1, null]]}'}

    run(act)


@pytest.mark.parametrize("style", STYLES)
def test_made_up_answers_are_of_the_observed_types(style: Style) -> None:
    async def act(fake: Any) -> None:
        for tool, value in values(style).items():
            package = await getattr(fake, tool)(**arguments(tool))
            assert type(package) is type(value), tool
        assert await fake.find_notes(query="x")
        assert await fake.motd() == "made-up result of motd"

    run(act, style, unmatched="generate")


@pytest.mark.parametrize(
    ("tool", "value"),
    [
        ("find_notes", {"total": "many"}),
        ("find_notes", "no notes"),
        ("list_tags", {"error": "closed"}),
        ("read_rows", {"error": "closed"}),
        ("read_rows", [1, "two"]),
        ("count_notes", '"3"'),
        ("run_query", "no rows"),
        ("stats", {"notes": None}),
        ("anything", "nothing"),
    ],
)
def test_value_differing_from_observations_is_sent_and_reported(tool: str, value: Any) -> None:
    async def call_ignoring(fake: Any) -> Any:
        method = getattr(fake, tool)
        fake.on(method).returns(value)
        return await method(**arguments(tool))

    async def call_raising(fake: Any) -> None:
        method = getattr(fake, tool)
        fake.on(method).returns(value)
        with pytest.raises(
            notes().UnexpectedResult, match=f"{tool}: the result differs from the observed"
        ):
            await method(**arguments(tool))

    async def call_warning(fake: Any) -> None:
        method = getattr(fake, tool)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fake.on(method).returns(value)
        with pytest.warns(notes().UnexpectedResult):
            await method(**arguments(tool))

    if tool not in ("find_notes", "stats"):
        assert run(call_ignoring, unexpected="ignore") == value
    run(call_raising)
    run(call_warning, unexpected="warn")


def test_invalid_value_is_an_invalid_fake() -> None:
    async def act(fake: Any) -> None:
        invalid = notes().InvalidFake
        for tool, value in {"find_notes": object(), "count_notes": float("nan"), "motd": 3}.items():
            with pytest.raises(invalid, match=f"{tool}: no server"):
                fake.on(getattr(fake, tool)).returns(value)
        unpromised = CallToolResult(content=[], structured_content={"result": 3})
        with pytest.raises(invalid, match="run_query"):
            fake.on(fake.run_query).sends(unpromised)

    run(act)


def test_sdk_results_and_errors_are_sent_unchanged() -> None:
    async def act(fake: Any) -> None:
        block = TextContent(type="text", text='{"items": [], "total": 0}')
        rule = fake.on(fake.find_notes).sends(CallToolResult(content=[block]))
        rule.raises(notes().ToolError("closed"))
        assert (await fake.find_notes(query="x")).total == 0
        with pytest.raises(notes().ToolError, match="closed"):
            await fake.find_notes(query="x")

    run(act)


@pytest.mark.parametrize("promises", [False, True])
@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("text", "words"),
        ("structured", {"a": 1}),
        ("structured", {"result": 1}),
        ("structured", [1]),
        ("structured", None),
        ("json", {"result": 1}),
        ("json", "1"),
        ("json", "words"),
        ("json in result", {"a": 1}),
        ("json in result", "[1]"),
        ("json blocks", []),
        ("json blocks", [{"a": 1}]),
        ("json blocks", {"a": 1}),
    ],
)
def test_any_data_is_read_as_it_was_given(source: Any, value: Any, *, promises: bool) -> None:
    kind = None if source == "text" else TypeAdapter[Any](Any)
    tool = runtime_package.Tool(
        "t", None, kind, observed=source, promises=promises, package=notes().__name__
    )
    result = fake_observed.observed_result(tool, value)
    assert (result.structured_content is not None) or not promises or "json" in source
    assert runtime_observed.decode_observed(tool, result, "error") == value
