"""Policies for calls, each with many concurrent callers."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import pytest
from guards import PATIENCE
from mcp import Client
from mcp.server import CacheHint
from skeletons import AUTHOR, MODES, call, demo, http, import_server, project, text

MANY = 200
GOOD = {"id": "B-1", "member": "ada@example.org"}


@pytest.fixture
def bookshelf(tmp_path: Path) -> Iterator[ModuleType]:
    with import_server(project(demo(), tmp_path, author=AUTHOR)) as module:
        yield module


def server(bookshelf: ModuleType, **policy: Any) -> Any:
    """The demo's server with another policy."""
    parts = (bookshelf.Tools(), bookshelf.Prompts(), bookshelf.Resources())
    return bookshelf.create(*parts, bookshelf.Policy(**policy))


def crowd(package: Any, tool: str, arguments: Mapping[str, Any], mode: str = "auto") -> list[Any]:
    """Call a tool many times at once over one connection."""

    async def all_of_them() -> list[Any]:
        results: list[Any] = []
        async with Client(package, mode=mode) as client, anyio.create_task_group() as tasks:

            async def call_once() -> None:
                results.append(await client.call_tool(tool, dict(arguments)))

            for _ in range(MANY):
                tasks.start_soon(call_once)
        return results

    return anyio.run(all_of_them)


def outcomes(results: list[Any]) -> Counter[str]:
    return Counter(text(result) if result.is_error else "done" for result in results)


# How often


@pytest.mark.parametrize("mode", MODES)
def test_caller_exceeding_the_rate_is_rejected(bookshelf: ModuleType, mode: str) -> None:
    package = server(bookshelf, limits=bookshelf.Limits(rate=bookshelf.Rate(30, per=3600)))
    counts = outcomes(crowd(package, "borrow_item", GOOD, mode))
    assert counts["done"] == 30
    message = re.compile(r"Too many calls of borrow_item; try again in (\d+) seconds\.")
    waits = {
        int(match[1]): count for text, count in counts.items() if (match := message.match(text))
    }
    assert sum(waits.values()) == MANY - 30
    assert all(3000 < wait <= 3600 for wait in waits)


@pytest.mark.slow
def test_each_tool_has_a_rate_of_its_own(bookshelf: ModuleType) -> None:
    once = bookshelf.Limits(rate=bookshelf.Rate(1, per=3600))
    package = server(bookshelf, limits_of={"show_cover": once})
    assert outcomes(crowd(package, "show_cover", {"id": "B-1"}))["done"] == 1
    assert outcomes(crowd(package, "borrow_item", GOOD)) == {"done": MANY}


# Limits


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_arguments_are_checked_for_every_caller(bookshelf: ModuleType, mode: str) -> None:
    counts = outcomes(crowd(server(bookshelf), "borrow_item", GOOD | {"weeks": 99, "id": 5}, mode))
    ((output, count),) = counts.items()
    assert count == MANY
    assert "/id: 5 is not of type 'string'" in output
    assert "/weeks: 99 is greater than the maximum" in output


# How long, how large


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_slow_call_is_ended(bookshelf: ModuleType, mode: str) -> None:
    package = server(bookshelf, limits_of={"borrow_item": bookshelf.Limits(timeout=0.2)})
    counts = outcomes(crowd(package, "borrow_item", GOOD | {"weeks": 4}, mode))
    assert counts == {"borrow_item did not finish within 0.2 seconds.": MANY}


def test_oversized_arguments_are_rejected_before_validation(bookshelf: ModuleType) -> None:
    package = server(bookshelf, limits=bookshelf.Limits(arguments=100))
    result = outcomes(crowd(package, "search_catalogue", {"query": "x" * 1000}))
    message = "The arguments of search_catalogue have 1013 bytes, and 100 are allowed."
    assert result == {message: MANY}


@pytest.mark.slow
def test_oversized_result_is_not_sent(
    bookshelf: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    package = server(bookshelf, limits_of={"borrow_item": bookshelf.Limits(result=100)})
    result = outcomes(crowd(package, "borrow_item", GOOD))
    assert result == {"The tool borrow_item returned an invalid result.": MANY}
    assert "100 are allowed" in caplog.text
    assert outcomes(crowd(package, "show_cover", {"id": "B-1"})) == {"done": MANY}


# Authorization and results


@pytest.mark.slow
@pytest.mark.parametrize("waits", [True, False])
def test_authorize_hook_decides_about_calls(bookshelf: ModuleType, waits: bool) -> None:
    async def later(tool: Any, arguments: Mapping[str, Any], context: Any) -> bool:
        await anyio.sleep(0.01)
        return now(tool, arguments, context)

    def now(tool: Any, arguments: Mapping[str, Any], context: Any) -> bool:
        return not tool.annotations["destructiveHint"] and arguments["id"] == "B-1"

    package = server(bookshelf, authorize=later if waits else now)
    assert outcomes(crowd(package, "borrow_item", GOOD)) == {"done": MANY}
    refused = outcomes(crowd(package, "borrow_item", GOOD | {"id": "B-2"}))
    assert refused == {"You may not call borrow_item with these arguments.": MANY}


def test_only_true_allows_a_call(bookshelf: ModuleType) -> None:
    package = server(bookshelf, authorize=lambda *_: 1)
    assert anyio.run(call, package, "show_cover", {"id": "B-1"}).is_error


def test_failing_authorize_hook_allows_nothing(bookshelf: ModuleType) -> None:
    def hook(tool: Any, arguments: Mapping[str, Any], context: Any) -> bool:
        raise RuntimeError("a secret")

    package = server(bookshelf, authorize=hook)
    result = anyio.run(call, package, "show_cover", {"id": "B-1"})
    assert result.is_error
    assert "secret" not in text(result)


@pytest.mark.slow
def test_result_hook_may_change_results(bookshelf: ModuleType) -> None:
    def clean(tool: Any, result: Any, context: Any) -> Any:
        structured = {**result.structured_content, "loan": "***"}
        return result.model_copy(update={"structured_content": structured})

    package = server(bookshelf, sanitize=clean)
    for result in crowd(package, "borrow_item", GOOD):
        assert result.structured_content["loan"] == "***"
        assert "L-1" not in text(result)


def test_result_of_a_hook_is_validated(bookshelf: ModuleType) -> None:
    def spoil(tool: Any, result: Any, context: Any) -> Any:
        return result.model_copy(update={"structured_content": {"loan": 1}})

    result = anyio.run(call, server(bookshelf, sanitize=spoil), "borrow_item", GOOD)
    assert result.is_error
    assert result.structured_content is None


# Audit log


def test_every_call_is_logged_without_a_value(
    bookshelf: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "bookshelf.audit")
    package = server(bookshelf)
    crowd(package, "borrow_item", GOOD)
    anyio.run(call, package, "borrow_item", GOOD | {"weeks": 9})
    lines = [record.getMessage() for record in caplog.records if record.name == "bookshelf.audit"]
    assert len(lines) == MANY + 1
    assert all("arguments=['id', 'member'" in line for line in lines)
    assert sum(line.endswith("outcome=done") for line in lines) == MANY
    assert lines[-1].endswith("outcome=InvalidArguments")
    assert "ada@example.org" not in caplog.text


# Who is calling, over HTTP

VERIFIER = """
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings


class Verifier:
    async def verify_token(self, token: str) -> AccessToken | None:
        if not token.startswith("good-"):
            return None
        name = token.removeprefix("good-")
        return AccessToken(token=token, client_id="app", scopes=["use"], subject=name)


def may(tool, arguments, context):
    return context.user is not None and context.user.subject == arguments["member"].split("@")[0]


server = create(
    Tools(),
    Prompts(),
    Resources(),
    Policy(authorize=may, limits=Limits(rate=Rate(5, per=3600))),
)


def main() -> None:
    auth = AuthSettings(
        issuer_url="https://auth.example.org",
        resource_server_url="http://127.0.0.1/mcp",
        required_scopes=["use"],
        validate_token_resource=False,
    )
    run(server, auth=auth, token_verifier=Verifier())


main()
"""


@pytest.fixture
def guarded_url(tmp_path: Path) -> Iterator[str]:
    """A server that requires bearer tokens, as its user code configures."""
    folder = project(demo(), tmp_path, author=AUTHOR)
    file = folder / "src" / "bookshelf" / "__main__.py"
    head = "from ._generated import Limits, Policy, Rate, create, run\n"
    head += "from .prompts import Prompts\nfrom .resources import Resources\n"
    file.write_text(f"{head}from .tools import Tools\n{VERIFIER}")
    with http(folder) as url:
        yield url


@pytest.mark.slow
def test_caller_without_a_valid_token_is_rejected(guarded_url: str) -> None:
    import httpx2

    for headers in ({}, {"Authorization": "Bearer bad"}):
        answer = httpx2.post(guarded_url, json={}, headers=headers)
        assert answer.status_code == 401
        assert "resource_metadata" in answer.headers["www-authenticate"]


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_verified_callers_have_separate_rights_and_rates(guarded_url: str, mode: str) -> None:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    result: dict[str, Counter[str]] = {}

    async def visit(name: str) -> None:
        headers = {"Authorization": f"Bearer good-{name}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http_client,
            Client(
                streamable_http_client(guarded_url, http_client=http_client), mode=mode
            ) as client,  # type: ignore[arg-type]
        ):
            mine = [await client.call_tool("borrow_item", GOOD | {"member": f"{name}@x"})]
            other = await client.call_tool("borrow_item", GOOD | {"member": "eve@x"})
            mine += [
                await client.call_tool("borrow_item", GOOD | {"member": f"{name}@x"})
                for _ in range(5)
            ]
        assert text(other) == "You may not call borrow_item with these arguments."
        result[name] = outcomes(mine)

    async def all_of_them() -> None:
        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(visit, f"user{number}")

    anyio.run(all_of_them)
    assert len(result) == 20
    for counts in result.values():
        assert counts["done"] == 4
        assert sum(counts.values()) == 6


# How long clients may keep results


def test_policy_sets_how_long_results_may_be_kept(bookshelf: ModuleType) -> None:
    hints = {
        "tools/list": CacheHint(ttl_ms=1_000, scope="private"),
        "prompts/list": CacheHint(ttl_ms=2_000, scope="public"),
    }

    async def ask() -> list[tuple[int | None, str | None]]:
        async with Client(server(bookshelf, cache=hints)) as client:
            results = [await client.list_tools(), await client.list_prompts()]
            results.append(await client.list_resources())
            return [(result.ttl_ms, result.cache_scope) for result in results]

    assert anyio.run(ask) == [(1_000, "private"), (2_000, "public"), (0, "private")]


def test_hint_for_a_method_without_cache_is_rejected(bookshelf: ModuleType) -> None:
    with pytest.raises(ValueError, match="cacheable methods"):
        server(bookshelf, cache={"tools/call": CacheHint()})
