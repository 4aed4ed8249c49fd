"""Policies for prompts, resources and completions: rates, sizes and authorization."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import pytest
from guards import PATIENCE
from mcp import Client, types
from skeletons import MODES, http, import_server, project, raises_mcp

from mcpgen.contract.document import read

CONTRACT = read(
    {
        "server": {"name": "acme", "version": "1"},
        "capabilities": {"completions": {}},
        "tools": [{"name": "echo", "inputSchema": {"type": "object"}}],
        "prompts": [{"name": "ask", "arguments": [{"name": "topic"}]}],
        "resources": [{"uri": "acme://terms", "name": "terms"}],
        "resourceTemplates": [{"uriTemplate": "acme://products/{id}", "name": "product"}],
    }
)
FILES = {
    "tools.py": """\
from ._generated import AcmeTools


class Tools(AcmeTools):
    async def echo(self, arguments, context):
        return str(context.caller)
""",
    "prompts.py": """\
from ._generated import AcmePrompts


class Prompts(AcmePrompts):
    async def ask(self, context, topic=None):
        return f"about {topic}"
""",
    "resources.py": """\
from ._generated import AcmeResources


class Resources(AcmeResources):
    async def terms(self, context):
        return "terms"

    async def product(self, context, id):
        return "x" * 200 if id == "long" else id
""",
    "server.py": """\
from ._generated import Limits, Policy, Rate, create, run
from .prompts import Prompts
from .resources import Resources
from .tools import Tools

server = create(Tools(), Prompts(), Resources(), Policy(limits=Limits(rate=Rate(2, per=3600))))


def main() -> None:
    run(server)
""",
}
Ask = Callable[[Client], Awaitable[Any]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    target = project(CONTRACT, tmp_path)
    for name, text in FILES.items():
        (target / "src/acme" / name).write_text(text)
    return target


@pytest.fixture
def acme(folder: Path) -> Iterator[ModuleType]:
    with import_server(folder) as module:
        yield module


def server(acme: ModuleType, **policy: Any) -> Any:
    return acme.create(acme.Tools(), acme.Prompts(), acme.Resources(), acme.Policy(**policy))


def ask_server(package: Any, *questions: Ask, mode: str = "auto") -> list[Any]:
    """Return the results of several requests over one connection."""

    async def inside() -> list[Any]:
        async with Client(package, mode=mode) as client:  # type: ignore[arg-type]
            return [await question(client) for question in questions]

    return anyio.run(inside)


def prompt(client: Client) -> Awaitable[Any]:
    return client.get_prompt("ask", {"topic": "rain"})


def terms(client: Client) -> Awaitable[Any]:
    return client.read_resource("acme://terms")


def product(client: Client) -> Awaitable[Any]:
    return client.read_resource("acme://products/B-1")


def other_product(client: Client) -> Awaitable[Any]:
    return client.read_resource("acme://products/B-2")


def completion(client: Client) -> Awaitable[Any]:
    return client.complete(types.PromptReference(name="ask"), {"name": "topic", "value": "r"})


KINDS = [(prompt, "ask"), (terms, "acme://terms"), (product, "acme://products/B-1")]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("question", "name"), [*KINDS, (completion, "ask")])
def test_reading_beyond_the_rate_is_rejected(
    acme: ModuleType, question: Ask, name: str, mode: str
) -> None:
    key = "acme://products/{id}" if question is product else name
    package = server(
        acme, limits=acme.Limits(rate=acme.Rate(2, per=3600)), complete=lambda *_: ["rain"]
    )
    ask_server(package, question, question, mode=mode)
    with raises_mcp() as raised:
        ask_server(package, question, mode=mode)
    assert raised.code == types.INTERNAL_ERROR
    assert raised.message.startswith(f"Too many calls of {key}; try again in ")
    for item, _ in KINDS:
        if item is not question:
            ask_server(package, item, mode=mode)


def test_template_has_one_rate_for_all_its_uris(acme: ModuleType) -> None:
    package = server(acme, limits_of={"acme://products/{id}": acme.Limits(rate=acme.Rate(2, 3600))})
    with raises_mcp() as raised:
        ask_server(package, product, other_product, product)
    assert raised.message.startswith("Too many calls of acme://products/{id}")


@pytest.mark.parametrize(("question", "name"), KINDS)
def test_one_may_have_limits_of_its_own(acme: ModuleType, question: Ask, name: str) -> None:
    key = "acme://products/{id}" if question is product else name
    package = server(acme, limits_of={key: acme.Limits(result=10)})
    with raises_mcp() as raised:
        ask_server(package, question)
    assert raised.message == f"{name} returned an invalid result"


def test_arguments_of_a_prompt_have_a_greatest_size(acme: ModuleType) -> None:
    package = server(acme, limits=acme.Limits(arguments=10))
    with raises_mcp() as raised:
        ask_server(package, prompt)
    assert raised.message == "The arguments of ask have 17 bytes, and 10 are allowed."


def test_limits_of_an_unknown_resource_are_rejected(acme: ModuleType) -> None:
    with pytest.raises(ValueError, match="acme://gone"):
        server(acme, limits_of={"acme://gone": acme.Limits()})


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize(("question", "name"), [*KINDS, (completion, "ask")])
def test_authorize_reading_hook_decides(
    acme: ModuleType, question: Ask, name: str, waits: bool
) -> None:
    calls: list[Any] = []

    def now(called: str, arguments: Any, context: Any) -> bool:
        calls.append((called, dict(arguments), context.caller))
        return len(calls) == 1

    async def later(called: str, value: Any, context: Any) -> bool:
        return now(called, value, context)

    package = server(acme, authorize_reading=later if waits else now, complete=lambda *_: ["rain"])
    ask_server(package, question)
    assert calls[0][0] == name
    assert calls[0][1] == GIVEN[question]
    with raises_mcp() as raised:
        ask_server(package, question)
    assert raised.message == f"You may not read {name}."


GIVEN: dict[Ask, dict[str, str]] = {
    prompt: {"topic": "rain"},
    terms: {},
    product: {"id": "B-1"},
    completion: {"topic": "r"},
}


def test_failing_authorize_reading_hook_allows_nothing(
    acme: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    def hook(*_: Any) -> bool:
        raise RuntimeError("a secret")

    with raises_mcp() as raised:
        ask_server(server(acme, authorize_reading=hook), terms)
    assert "secret" not in raised.message
    assert "RuntimeError: a secret" in caplog.text


def test_failing_completion_is_only_logged(
    acme: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    def complete(*_: Any) -> list[str]:
        raise RuntimeError("a secret")

    with raises_mcp() as raised:
        ask_server(server(acme, complete=complete), completion)
    assert "secret" not in raised.message
    assert "RuntimeError: a secret" in caplog.text


async def complete_ask(context: Any, *, argument: str, value: str, known: Any) -> list[str]:
    return [f"{argument} {value} {dict(known)}"]


def overridden(acme: ModuleType, **methods: Any) -> Any:
    """Return the server of an author who overrides the methods for completions."""
    prompts, resources = acme.Prompts(), acme.Resources()
    for name, method in methods.items():
        setattr(resources if name == "complete_product" else prompts, name, method)
    return acme.create(acme.Tools(), prompts, resources, acme.Policy(complete=lambda *_: ["all"]))


def completion_values(package: Any, *questions: Ask, mode: str = "auto") -> list[Any]:
    return [item.completion.values for item in ask_server(package, *questions, mode=mode)]


def product_id(client: Client) -> Awaitable[Any]:
    ref = types.ResourceTemplateReference(uri="acme://products/{id}")
    return client.complete(ref, {"name": "id", "value": "4"}, {"shop": "a"})


@pytest.mark.parametrize("mode", MODES)
def test_overridden_method_completes_its_arguments(acme: ModuleType, mode: str) -> None:
    package = overridden(acme, complete_ask=complete_ask, complete_product=complete_ask)
    values = completion_values(package, completion, product_id, mode=mode)
    assert values == [["topic r {}"], ["id 4 {'shop': 'a'}"]]


def test_policy_completes_without_an_overridden_method(acme: ModuleType) -> None:
    package = overridden(acme, complete_ask=complete_ask)
    assert completion_values(package, completion, product_id) == [["topic r {}"], ["all"]]
    assert completion_values(server(acme), completion) == [[]]


def test_completion_of_an_unknown_argument_is_an_error(acme: ModuleType) -> None:
    def unknown(client: Client) -> Awaitable[Any]:
        return client.complete(types.PromptReference(name="ask"), {"name": "no", "value": ""})

    with raises_mcp() as raised:
        ask_server(overridden(acme, complete_ask=complete_ask), unknown)
    assert raised.code == types.INVALID_PARAMS
    assert "no argument 'no'" in raised.message


@pytest.mark.parametrize(
    "ref", [types.PromptReference(name="no"), types.ResourceTemplateReference(uri="acme://no")]
)
def test_completion_of_unknown_names_is_an_error(acme: ModuleType, ref: Any) -> None:
    with raises_mcp() as raised:
        ask_server(acme.server, lambda client: client.complete(ref, {"name": "a", "value": ""}))
    assert raised.code == types.INVALID_PARAMS


# Whose rate it is, over HTTP


def outcomes(url: str, calls: int) -> list[bool]:
    """Call a tool several times, each time with another forwarded caller address."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async def one(number: int) -> bool:
        headers = {"X-Forwarded-For": f"203.0.113.{number}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http_client,
            Client(streamable_http_client(url, http_client=http_client)) as client,
        ):
            return bool((await client.call_tool("echo", {})).is_error)

    async def inside() -> list[bool]:
        return [await one(number) for number in range(calls)]

    return anyio.run(inside)


@pytest.mark.slow
def test_caller_is_not_taken_from_an_untrusted_header(folder: Path) -> None:
    with http(folder) as url:
        assert outcomes(url, 4) == [False, False, True, True]


@pytest.mark.slow
def test_caller_is_taken_from_a_trusted_proxy(folder: Path) -> None:
    with http(folder, "--trust-proxy", "127.0.0.1") as url:
        assert outcomes(url, 4) == [False] * 4
    with http(folder, "--trust-proxy", "192.0.2.1") as url:
        assert outcomes(url, 3) == [False, False, True]
