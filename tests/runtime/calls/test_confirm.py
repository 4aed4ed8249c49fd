"""Confirmation of calls by a hook."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from mcpgen_runtime import contract as runtime_contract
from pipeline_clients import ITEM, ORDERED, SHOP
from runtime.packages import import_client
from runtime.scripted import Scripted, using

from mcpgen.codegen.pipeline import Options, generate
from runtime import contracts


def confirmed_calls(
    tool: str, answer: Any = True, when: Any = "risky", trust: bool = True, **arguments: Any
) -> list[Any]:
    """Call a tool and return the confirmations that the hook received."""
    questions: list[Any] = []

    async def later(info: Any, value: Any) -> Any:
        await anyio.sleep(0)
        questions.append((info.name, value))
        return answer

    def at_once(info: Any, options: Any) -> Any:
        questions.append((info.name, options))
        return answer

    async def act(client: Any, server: Scripted) -> Any:
        await getattr(client, tool)(**arguments)
        return server.sent

    for hook in (at_once, later):
        shop = Scripted(order=ORDERED, label={"printed": "ok:"}, count=1)
        using(act, shop, confirm=hook, confirm_when=when, trust=trust)
    return questions


def test_harmless_tool_needs_no_confirmation() -> None:
    assert confirmed_calls("count") == []
    assert confirmed_calls("order", item=ITEM) == []


def test_without_trust_the_hook_is_asked_about_every_tool() -> None:
    assert confirmed_calls("count", trust=False) == [("count", {})] * 2
    assert confirmed_calls("order", item=ITEM, trust=False) == [("order", {"item": ITEM})] * 2


def test_trust_is_a_default_of_the_package() -> None:
    trusting = generate(contracts.SHOP, Options(name="trusting_shop", trust=True)).files
    assert "    _trust = True\n" in trusting["client.py"]
    assert "_trust" not in generate(contracts.SHOP, Options(name="shop")).files["client.py"]
    hostile = contracts.shop(server={"name": "demo", "trust": True}, tools={})
    assert "_trust" not in generate(hostile, Options(name="demo")).files["client.py"]


@pytest.mark.parametrize("trust", [True, False])
def test_tools_for_agents_need_approval_where_confirm_is_asked(trust: bool) -> None:
    async def act(client: Any, server: Scripted) -> Any:
        return {name: tool.needs_approval for name, tool in client.tools.select().items()}

    needed = using(act, Scripted(), trust=trust)
    assert needed["wipe"] is True
    assert needed["count"] is not trust


def test_tool_without_hints_counts_as_destructive() -> None:
    assert confirmed_calls("wipe") == [("wipe", {})] * 2
    assert confirmed_calls("label", code="ABC") == [("label", {"code": "ABC"})] * 2


def test_tool_with_contradictory_hints_is_confirmed() -> None:
    hints = {"readOnlyHint": True, "destructiveHint": True}
    tool: Any = {**contracts.TOOLS[4], "annotations": hints}
    client_package = import_client(contracts.shop(tools={"count": tool}), "contradicting")
    assert not client_package.Client.tools["count"].is_harmless


def test_the_hook_may_be_asked_about_every_tool() -> None:
    assert confirmed_calls("count", when="always") == [("count", {})] * 2


@pytest.mark.parametrize("answer", [False, None, 1, "yes", 0])
def test_only_true_confirms(answer: Any) -> None:
    async def act(client: Any, server: Scripted) -> Any:
        with pytest.raises(SHOP.NotConfirmed) as refusal:
            await client.label(code="ABC")
        assert server.sent == []
        assert (refusal.value.tool, refusal.value.arguments) == ("label", {"code": "ABC"})
        assert "ABC" not in str(refusal.value)

    using(act, confirm=lambda *_: answer)


def test_the_hook_is_asked_about_valid_arguments_only() -> None:
    def never(*_: Any) -> bool:
        raise AssertionError

    async def act(client: Any, _: Scripted) -> Any:
        with pytest.raises(SHOP.InvalidArguments):
            await client.label(code="abc")

    using(act, confirm=never)


def test_hook_cannot_change_the_sent_arguments() -> None:
    def meddling(_: Any, arguments: Any) -> bool:
        arguments["code"] = "not valid"
        return True

    async def act(client: Any, server: Scripted) -> Any:
        await client.label(code="ABC")
        return server.sent

    payload = using(act, Scripted(label={"printed": "ok:"}), confirm=meddling)
    assert payload == [("label", {"code": "ABC"})]


def test_exception_of_the_hook_is_raised() -> None:
    def failing(*_: Any) -> bool:
        raise KeyError("mine")

    async def act(client: Any, server: Scripted) -> Any:
        with pytest.raises(KeyError, match="mine"):
            await client.wipe()
        assert server.sent == []

    using(act, confirm=failing)


def test_tool_info_holds_server_text_as_data() -> None:
    info = SHOP.Client.tools["explain"]
    assert (info.name, info.title, info.description) == (
        "explain",
        "Explain a topic",
        "The tool explain.",
    )
    assert info.annotations["openWorldHint"] is False
    assert info.icons == ({"src": "https://example.org/icon.png", "mimeType": "image/png"},)
    assert info.meta == {"example.org/team": "sales"}
    assert info.definition["inputSchema"]["required"] == ["topic"]
    assert info.is_harmless
    assert not SHOP.Client.tools["wipe"].is_harmless
    assert len(SHOP.Client.tools) == len(contracts.TOOLS)
    assert set(SHOP.Client.sync.tools) == {tool["name"] for tool in contracts.TOOLS}
    assert "nobody" not in SHOP.Client.tools


def test_odd_claims_of_a_tool_do_no_harm() -> None:
    odd = {
        "name": "odd",
        "inputSchema": {"type": "object"},
        "title": 1,
        "description": None,
        "annotations": [],
        "icons": {"a": 1},
        "_meta": "text",
    }
    info = import_client(contracts.shop(tools={"odd": odd}), "odd_claims").Client.tools["odd"]
    assert (info.title, info.description, dict(info.annotations)) == ("", "", {})
    assert (info.icons, dict(info.meta), info.is_harmless) == ((), {}, False)


@pytest.mark.parametrize("hint", ["true", 1, None, "yes"])
def test_non_boolean_hint_is_ignored(hint: Any) -> None:
    kind = runtime_contract.ToolInfo
    result: Any = {"readOnlyHint": hint, "destructiveHint": hint}
    assert not kind("a", "", "", result, (), {}, {}).is_harmless
