"""Connecting to the recorded server: variables, headers, modules."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from connected_servers import ANSWER, call_ask, failing, forget, raw_contract
from runtime.packages import import_client
from runtime.web import RAW

from runtime import contracts

HERE = {"transport": "stdio", "command": "python", "args": [RAW, "well"]}


def test_without_a_target_the_recorded_command_is_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    origin = {**HERE, "args": [RAW, "${RAW_WAY:-well}"], "env": ["RAW_TOKEN"]}
    result = import_client(raw_contract(origin), "recorded_command")
    monkeypatch.setenv("RAW_TOKEN", "tok")
    assert call_ask(result) == {"tool": "ask", "token": "tok"}


def test_optional_variable_is_passed_only_if_set(monkeypatch: pytest.MonkeyPatch) -> None:
    result = import_client(
        raw_contract({**HERE, "optionalEnv": ["RAW_TOKEN"]}), "recorded_optional"
    )
    monkeypatch.delenv("RAW_TOKEN", raising=False)
    assert call_ask(result) == ANSWER
    monkeypatch.setenv("RAW_TOKEN", "tok")
    assert call_ask(result) == {"tool": "ask", "token": "tok"}


def test_only_named_variables_reach_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    result = import_client(raw_contract(HERE), "recorded_plain")
    monkeypatch.setenv("RAW_TOKEN", "tok")
    assert call_ask(result) == ANSWER


@pytest.mark.parametrize(
    ("origin", "name"),
    [
        ({**HERE, "env": ["RAW_TOKEN"]}, "RAW_TOKEN"),
        ({**HERE, "args": [RAW, "${MCP_ARG_1}"]}, "MCP_ARG_1"),
        ({**HERE, "command": "${MCP_ARG_2}"}, "MCP_ARG_2"),
        ({"transport": "http", "url": "${MCP_URL}"}, "MCP_URL"),
        (
            {"transport": "http", "url": "http://127.0.0.1:1/mcp", "headers": ["X-Api-Key"]},
            "RECORDED_NAMES_X_API_KEY",
        ),
    ],
)
def test_unset_variable_is_named(origin: Any, name: str) -> None:
    forget("recorded_names")
    result = import_client(raw_contract(origin), "recorded_names")
    error = failing(of=result)
    assert isinstance(error, result.ConnectionFailed)
    assert f"environment variable {name} is not set" in str(error)


def test_headers_come_from_the_environment(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    url, transcript, _ = shop
    named = ["Authorization", "X-Team-Id"]
    origin = {"transport": "http", "url": url, "headers": named}
    client_package = import_client(contracts.shop(origin=origin), "recorded_headers")
    monkeypatch.setenv("RECORDED_HEADERS_AUTHORIZATION", "Bearer tok")
    monkeypatch.setenv("RECORDED_HEADERS_X_TEAM_ID", "7")

    async def inside(**options: Any) -> Any:
        async with client_package.Client.connect(verify="off", **options) as client:
            return await client.count()

    assert anyio.run(inside) == 3
    assert {h["authorization"] for h in transcript.headers[-2:]} == {"Bearer tok"}
    assert transcript.headers[-1]["x-team-id"] == "7"

    async def connect_with_headers() -> Any:
        return await inside(headers={"authorization": "Bearer mine", "x-more": "1"})

    anyio.run(connect_with_headers)
    last = transcript.headers[-1]
    assert (last["authorization"], last["x-team-id"], last["x-more"]) == ("Bearer mine", "7", "1")


def test_a_header_is_spelled_as_it_was_recorded(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    url, transcript, _ = shop
    values = {"Authorization": "Bearer ${SHOP_TOKEN}", "X-Readonly": "true"}
    origin = {"transport": "http", "url": url.replace("/mcp", "/${SHOP_PATH}")}
    origin |= {"headers": ["Authorization", "X-Readonly", "X-Team-Id"], "headerValues": values}
    client_package = import_client(contracts.shop(origin=origin), "recorded_spelling")

    async def inside(**options: Any) -> Any:
        async with client_package.Client.connect(verify="off", **options) as client:
            return await client.count()

    with pytest.raises(
        client_package.ConnectionFailed, match="variables SHOP_PATH and SHOP_TOKEN and REC"
    ):
        anyio.run(inside)
    monkeypatch.setenv("SHOP_PATH", "mcp")
    monkeypatch.setenv("SHOP_TOKEN", "tok")
    monkeypatch.setenv("RECORDED_SPELLING_X_TEAM_ID", "7")
    assert anyio.run(inside) == 3
    last = transcript.headers[-1]
    assert (last["authorization"], last["x-readonly"], last["x-team-id"]) == (
        "Bearer tok",
        "true",
        "7",
    )


def test_recorded_headers_are_not_sent_elsewhere(
    shop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, transcript, _ = shop
    origin = {"transport": "http", "url": "http://127.0.0.1:1/", "headers": ["X-Secret"]}
    client_package = import_client(contracts.shop(origin=origin), "recorded_elsewhere")
    monkeypatch.setenv("RECORDED_ELSEWHERE_X_SECRET", "tok")

    async def inside() -> Any:
        async with client_package.Client.connect(url, verify="off") as client:
            return await client.count()

    assert anyio.run(inside) == 3
    assert "x-secret" not in transcript.headers[-1]


def test_a_recorded_module_is_imported() -> None:
    origin = {"transport": "in-process", "target": "mcpgen.demo:server"}
    client_package = import_client(contracts.shop(origin=origin), "recorded_module")

    async def inside() -> Any:
        async with client_package.Client.connect(verify="off") as client:
            assert client.session.server_info
            return client.session.server_info.name

    assert anyio.run(inside) == "bookshelf"


@pytest.mark.parametrize(
    ("name", "origin", "message"),
    [
        ("none", {}, "the contract doesn't contain its address"),
        ("file", {"transport": "in-process", "target": "x.py:mcp"}, "import mcp from x.py"),
        ("module", {"transport": "in-process", "target": "no_such_mod:mcp"}, "no_such_mod"),
        ("object", {"transport": "in-process", "target": "json:no_such"}, "no_such"),
    ],
)
def test_unavailable_recorded_server_is_explained(name: str, origin: Any, message: str) -> None:
    result = import_client(raw_contract(origin), f"recorded_no_{name}")
    error = failing(of=result)
    assert isinstance(error, result.ConnectionFailed)
    assert message in str(error)
