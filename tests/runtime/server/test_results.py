"""Servers with unusual contracts: null, wrapped and non-JSON results, questions, changes."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import anyio
import pytest
from authored import ANY, server
from mcp import Client, types
from odd_servers import DECLARED, comes
from skeletons import MODES, call, demo, import_server, list_raw_tools, project, text

from mcpgen.contract.document import read
from mcpgen.jsontext import Json

WRAPPED: Json = {
    "type": "object",
    "properties": {"result": {"type": "array", "items": {"type": "integer"}}},
    "required": ["result"],
    "x-fastmcp-wrap-result": True,
}


@pytest.mark.parametrize("mode", MODES)
def test_result_is_wrapped_as_in_the_contract(tmp_path: Path, mode: str) -> None:
    body = "async def give(self, arguments, context): return [1, 2]"
    with server(tmp_path, {"give": {"outputSchema": WRAPPED}}, body) as odd:
        result = anyio.run(call, odd.server, "give", {}, mode)
    assert result.structured_content == {"result": [1, 2]}
    assert text(result) == '{"result":[1,2]}'


def test_null_is_a_result(tmp_path: Path) -> None:
    body = "async def give(self, arguments, context): return None"
    with server(tmp_path, {"give": {"outputSchema": {"type": ["string", "null"]}}}, body) as odd:
        result = anyio.run(call, odd.server, "give", {})
        legacy = anyio.run(call, odd.server, "give", {}, "legacy")
    assert "structured_content" in result.model_fields_set
    assert (result.structured_content, text(result)) == (None, "null")
    assert text(legacy) == "null"


@pytest.mark.parametrize("mode", MODES)
def test_null_properties_are_kept(tmp_path: Path, mode: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "null"}}, "required": ["a"]}
    body = "async def give(self, arguments, context): return {'a': None, 'b': [None]}"
    with server(tmp_path, {"give": {"outputSchema": schema}}, body) as odd:
        result = anyio.run(call, odd.server, "give", {}, mode)
    assert result.structured_content == {"a": None, "b": [None]}


@pytest.mark.parametrize(
    "value",
    ["float('nan')", "float('inf')", "'\\ud800'", "object()", "loop()", "deep()"],
)
def test_non_json_value_is_never_sent(tmp_path: Path, value: str) -> None:
    helpers = """\

    def loop():
        found: list = []
        found.append(found)
        return found

    def deep():
        found: list = []
        for _ in range(3000):
            found = [found]
        return found
    """
    body = f"async def give(self, arguments, context): return {{'a': {value}}}\n"
    with server(tmp_path, {"give": {"outputSchema": ANY}}, body) as odd:
        exec(textwrap.dedent(helpers), vars(__import__("odd.tools").tools))
        result = anyio.run(call, odd.server, "give", {})
    assert result.is_error
    assert result.structured_content is None


def test_invalid_unicode_is_never_sent(tmp_path: Path) -> None:
    body = "async def give(self, arguments, context): return '\\ud800'"
    with server(tmp_path, {"give": {}}, body) as odd:
        assert anyio.run(call, odd.server, "give", {}).is_error


@pytest.mark.parametrize("value", ["None", "5", "[5]", "{'a': 1}"])
def test_a_tool_without_output_schema_must_return_content(tmp_path: Path, value: str) -> None:
    body = f"async def give(self, arguments, context): return {value}"
    with server(tmp_path, {"give": {}}, body) as odd:
        assert anyio.run(call, odd.server, "give", {}).is_error


def test_sdk_result_must_match_the_output_schema(tmp_path: Path) -> None:
    body = """\
    async def give(self, arguments, context):
        from mcp.types import CallToolResult
        return CallToolResult(content=[TextContent(type="text", text="hello")])
    """
    with server(tmp_path, {"give": {"outputSchema": ANY}}, body) as odd:
        assert anyio.run(call, odd.server, "give", {}).is_error


def test_unintended_structured_content_is_not_sent(tmp_path: Path) -> None:
    body = """\
    async def give(self, arguments, context):
        from mcp.types import CallToolResult
        return CallToolResult(content=[], structured_content=None)
    """
    with server(tmp_path, {"give": {}}, body) as odd:
        result = anyio.run(call, odd.server, "give", {})
    assert "structured_content" not in result.model_fields_set


def test_unknown_members_of_arguments_are_kept(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    body = """\
    async def give(self, arguments, context):
        return json.dumps([arguments.a, extras(arguments), raw_json(arguments)])
    """
    with server(tmp_path, {"give": {"inputSchema": schema}}, body) as odd:
        result = anyio.run(call, odd.server, "give", {"b": None, "a": 1})
    assert text(result) == '[1, {"b": null}, {"b": null, "a": 1}]'


def test_an_odd_definition_does_not_cost_the_list(tmp_path: Path) -> None:
    odd_tool = {"inputSchema": {"properties": {"a": []}, "required": "a"}, "icons": 5}
    body = """\
    async def give(self, arguments, context): return "given"
    async def odd(self, arguments, context): return "odd"
    """
    with server(tmp_path, {"give": {}, "odd": odd_tool}, body) as odd:
        for mode in MODES:
            assert list(anyio.run(list_raw_tools, odd.server, mode)) == ["give", "odd"]


def test_two_questions_at_once_are_asked_at_once(tmp_path: Path) -> None:
    body = """\
    async def give(self, arguments, context):
        found = {}
        schema = {"type": "object", "properties": {}}
        async def ask(key):
            found[key] = (await context.elicit(key, key, schema)).action
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, "a")
            tasks.start_soon(ask, "b")
        return json.dumps(dict(sorted(found.items())))
    """
    questions: list[str] = []

    async def answer(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        questions.append(params.message)
        return types.ElicitResult(action="accept", content={})

    with server(tmp_path, {"give": {}}, body) as odd:
        for mode in MODES:
            questions.clear()
            result = anyio.run(ask_with, odd.server, mode, answer)
            assert text(result) == '{"a": "accept", "b": "accept"}', mode
            assert sorted(questions) == ["a", "b"]


async def ask_with(package: Any, mode: str, answer: Any) -> Any:
    async with Client(package, mode=mode, elicitation_callback=answer) as client:  # type: ignore[arg-type]
        return await client.call_tool("give", {})


@pytest.mark.slow
def test_waiting_for_the_user_does_not_count(tmp_path: Path) -> None:
    body = """\
    async def give(self, arguments, context):
        return (await context.elicit("a", "a", {"type": "object", "properties": {}})).action
    """

    async def answer(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        await anyio.sleep(2 * limit)
        return types.ElicitResult(action="decline")

    with server(tmp_path, {"give": {}}, body) as odd:
        for mode in MODES:
            for limit in (0.5, 5.0):  # a busy machine may need longer for all the rest
                policy = odd.Policy(limits=odd.Limits(timeout=limit))
                package = odd.create(odd.Tools(), policy)
                output = text(anyio.run(ask_with, package, mode, answer))
                if output == "decline":
                    break
            assert output == "decline"


def test_limits_of_an_unknown_tool_are_rejected(tmp_path: Path) -> None:
    body = "async def give(self, arguments, context): return ''"
    with (
        server(tmp_path, {"give": {}}, body) as odd,
        pytest.raises(ValueError, match="lacks: \\['gave'\\]"),
    ):
        odd.create(odd.Tools(), odd.Policy(limits_of={"gave": odd.Limits()}))


def test_legacy_client_gets_logs_above_its_level(tmp_path: Path) -> None:
    body = """\
    async def give(self, arguments, context):
        await context.log("info", "quiet")
        await context.log("error", "loud")
        return ""
    """
    messages: list[Any] = []

    async def hear(params: types.LoggingMessageNotificationParams) -> None:
        messages.append(params.data)

    async def listen(package: Any) -> None:
        async with Client(package, mode="legacy", logging_callback=hear) as client:
            await client.call_tool("give", {})
            await client.session.send_request(
                types.SetLevelRequest(params=types.SetLevelRequestParams(level="error")),
                types.EmptyResult,
            )
            await client.call_tool("give", {})
            await comes(lambda: len(messages) == 3)

    with server(tmp_path, {"give": {}}, body, **DECLARED) as odd:
        anyio.run(listen, odd.server)
    assert messages == ["quiet", "loud", "loud"]


def test_undeclared_logging_sends_nothing(tmp_path: Path) -> None:
    body = """\
    async def give(self, arguments, context):
        await context.log("error", "loud")
        return ""
    """
    messages: list[Any] = []

    async def hear(params: types.LoggingMessageNotificationParams) -> None:
        messages.append(params.data)

    async def listen(package: Any, mode: str) -> None:
        async with Client(package, mode=mode, logging_callback=hear) as client:  # type: ignore[arg-type]
            await client.call_tool("give", {})
            await anyio.sleep(0.1)

    with server(tmp_path, {"give": {}}, body) as odd:
        for mode in MODES:
            anyio.run(listen, odd.server, mode)
    assert messages == []


def test_a_name_in_any_script_becomes_a_project(tmp_path: Path) -> None:
    contract = read({"tools": [], "server": {"name": "天気"}})
    folder = project(contract, tmp_path)
    assert '"server-' in (folder / "pyproject.toml").read_text()
    with import_server(folder) as module:
        assert anyio.run(list_raw_tools, module.server, "auto") == {}
    assert demo().tools


def test_a_middleware_of_the_author_sees_the_structured_content(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    calls: list[Any] = []

    async def look(ctx: Any, call_next: Any) -> Any:
        result = await call_next(ctx)
        if ctx.method == "tools/call":
            calls.append(result["structuredContent"])
        return result

    body = "async def give(self, arguments, context): return {'a': 1}"
    with server(tmp_path, {"give": {"outputSchema": schema}}, body) as odd:
        odd.server.middleware.append(look)
        result = anyio.run(call, odd.server, "give", {})
    assert calls == [result.structured_content] == [{"a": 1}]


VALUES = ["'é\\u2028\\x7f\"'", "10**30", "-0.0", "1.5e300", "[[], {}, None, True]", "'x' * 3000"]


def test_result_text_is_the_same_however_it_is_serialized(tmp_path: Path) -> None:
    body = f"async def give(self, arguments, context): return {{'a': [{', '.join(VALUES)}]}}"
    with server(tmp_path, {"give": {"outputSchema": ANY}}, body) as odd:
        package = [
            odd.server,
            odd.create(odd.Tools(), odd.Policy(sanitize=lambda _tool, result, _context: result)),
            odd.create(odd.Tools(), odd.Policy(limits=odd.Limits(result=10_000))),
            odd.create(odd.Tools(), odd.Policy(limits=odd.Limits(result=None))),
        ]
        first, *rest = [anyio.run(call, item, "give", {}) for item in package]
    assert json.loads(text(first)) == first.structured_content
    for other in rest:
        assert (text(other), other.structured_content) == (text(first), first.structured_content)


def test_timed_out_call_may_clean_up(tmp_path: Path) -> None:
    body = """\
    done = []
    async def give(self, arguments, context):
        try:
            await anyio.sleep(0)
            await anyio.sleep(60)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.sleep(0.01)
            self.done.append(1)
    """
    with server(tmp_path, {"give": {}}, body) as odd:
        package = odd.create(odd.Tools(), odd.Policy(limits=odd.Limits(timeout=0.1)))
        result = anyio.run(call, package, "give", {})
        assert text(result) == "give did not finish within 0.1 seconds."
        assert odd.Tools.done == [1]


def test_a_method_may_return_whatever_can_be_awaited(tmp_path: Path) -> None:
    body = """\
    def give(self, arguments, context):
        import asyncio
        async def later():
            await anyio.sleep(0.01)
            return "given"
        return asyncio.ensure_future(later())
    """
    with server(tmp_path, {"give": {}}, body) as odd:
        assert text(anyio.run(call, odd.server, "give", {})) == "given"


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("chosen", [0, 700, 50_000])
def test_long_lived_server_objects_are_never_collected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chosen: int
) -> None:
    import gc

    import uvicorn

    calls: list[tuple[int, bool]] = []

    def start(_: object, **options: object) -> None:
        del options
        calls.append((gc.get_threshold()[0], gc.get_freeze_count() > 1_000))

    monkeypatch.setattr(uvicorn.Server, "run", start)
    before = gc.get_threshold()
    body = "async def give(self, arguments, context): return 'given'"
    with server(tmp_path, {"give": {}}, body) as odd:
        odd.run(odd.server, ["--http", "1"])  # imports everything before collections get frequent
        gc.unfreeze()
        calls.clear()
        gc.set_threshold(*before)
        try:
            gc.set_threshold(chosen)
            odd.run(odd.server, ["--http", "1"])
        finally:
            gc.unfreeze()
            gc.set_threshold(*before)
    assert calls == [({700: 10_000}.get(chosen, chosen), True)]
