"""A client that declares fewer capabilities than the recording one."""

from __future__ import annotations

import logging
from typing import Any

import anyio
import pytest
from mcp import Client
from runtime.packages import import_client
from servers import asking

from mcpgen.contract.document import Contract

NEEDS = {name: list(needs) for name, needs in asking.NEEDS.items() if needs}
LOOSE = {"inputSchema": {"type": "object"}}
TOOLS: Any = {name: {"name": name, **LOOSE} for name in asking.NEEDS}

ASKING = import_client(
    Contract(tools=TOOLS, revision="2026-07-28", tool_capabilities=NEEDS), "asking"
)
UNTRIED = import_client(Contract(tools=TOOLS, revision="2026-07-28"), "untried")


def using(act: Any, package: Any = ASKING, mode: str = "auto", **arguments: Any) -> Any:
    """Connect with a client of the SDK, which declares capabilities from its callbacks."""
    options = {name: arguments.pop(name) for name in ("verify",) if name in arguments}

    async def inside() -> Any:
        sdk = Client(asking.make_server(), mode=mode, **arguments)
        async with package.Client.connect(sdk, **options) as client:
            return await act(client)

    return anyio.run(inside)


async def answer(*_: Any) -> Any:
    raise AssertionError


ABLE: Any = {"sampling_callback": answer, "list_roots_callback": answer}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("verify", ["warn", "error", "compatible"])
def test_tool_hidden_for_a_missing_capability_is_not_drift(
    caplog: pytest.LogCaptureFixture, verify: str, mode: str
) -> None:
    async def act(client: Any) -> str:
        with pytest.raises(ASKING.MissingCapability) as missing:
            await client.look_around()
        assert (missing.value.tool, missing.value.capabilities) == (
            "look_around",
            ["roots", "sampling"],
        )
        return (await client.plain()).text

    with caplog.at_level(logging.INFO, "asking"):
        assert using(act, mode=mode, verify=verify) == "plain"
    lines = [f"{record.levelname} {record.getMessage()}" for record in caplog.records]
    assert [line for line in lines if "listed" in line] == [
        "INFO ask_model: it is listed only to clients with sampling",
        "INFO ask_user: it is listed only to clients with elicitation",
        "INFO look_around: it is listed only to clients with roots and sampling",
    ]


def test_error_names_the_missing_capability_and_its_option() -> None:
    async def act(client: Any) -> None:
        with pytest.raises(ASKING.MissingCapability) as missing:
            await client.ask_user()
        assert str(missing.value) == (
            "ask_user: the server offers it only to clients with elicitation; connect with elicit="
        )

    using(act, **ABLE)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_client_with_the_capability_has_the_tools(mode: str) -> None:
    async def act(client: Any) -> Any:
        return (await client.ask_model()).text, (await client.look_around()).text

    assert using(act, mode=mode, verify="error", **ABLE) == ("ask_model", "look_around")


def test_missing_tool_despite_the_capability_is_drift() -> None:
    async def act(client: Any) -> None:
        raise AssertionError

    gone = {**TOOLS, "ask_nobody": {"name": "ask_nobody", **LOOSE}}
    needs = {**NEEDS, "ask_nobody": ["sampling"]}
    package = import_client(
        Contract(tools=gone, revision="2026-07-28", tool_capabilities=needs), "gone"
    )
    with pytest.raises(package.ContractDrift, match="ask_nobody: the server does not list it"):
        using(act, package, verify="error", elicitation_callback=answer, **ABLE)


def test_unlisted_tool_without_recorded_capabilities_is_drift() -> None:
    async def act(client: Any) -> None:
        raise AssertionError

    with pytest.raises(UNTRIED.ContractDrift, match="ask_model: the server does not list it"):
        using(act, UNTRIED, verify="error")


def test_unverified_client_may_call_tools_needing_capabilities() -> None:
    async def act(client: Any) -> str:
        return (await client.ask_model()).text

    assert using(act, verify="off") == "ask_model"
