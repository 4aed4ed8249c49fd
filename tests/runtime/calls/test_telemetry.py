"""OpenTelemetry spans and metrics of calls, by its conventions for MCP."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import anyio
import observing
import pytest
import sdk_programs
from mcp import MCPError
from mcpgen_runtime import SessionOptions
from opentelemetry import trace
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from paths import ROOT, SUPPORT
from runtime.packages import folder, import_client, package
from runtime.scripted import Scripted, structured_result, text_result, using
from runtime.web import web

from mcpgen.contract.document import read
from mcpgen.jsontext import loads
from runtime import contracts, telling_server

SHOP = package()
SPANS = InMemorySpanExporter()
METRICS = InMemoryMetricReader()
DURATION = "mcp.client.operation.duration"


@pytest.fixture(autouse=True, scope="module")
def providers() -> Iterator[None]:
    with observing.providers(SPANS, METRICS):
        yield


def span_of(act: Any, server: Scripted | None = None, **options: Any) -> Any:
    """Return the single span of an action."""
    SPANS.clear()

    async def clear_and_act(client: Any, shop: Scripted) -> None:
        SPANS.clear()
        await act(client, shop)

    using(clear_and_act, server, **options)
    [span] = of_clients()
    return span


def of_clients() -> list[Any]:
    return [span for span in SPANS.get_finished_spans() if span.kind is trace.SpanKind.CLIENT]


def of_servers() -> list[Any]:
    return [span for span in SPANS.get_finished_spans() if span.kind is trace.SpanKind.SERVER]


def failing(kind: type[Exception], act: Any) -> Any:
    async def fail_and_catch(client: Any, server: Scripted) -> None:
        with pytest.raises(kind):
            await act(client, server)

    return fail_and_catch


# Spans


def test_a_call_of_a_tool_is_one_span() -> None:
    span = span_of(lambda client, _: client.add(a=1, b=2), Scripted(add={"sum": 3}))
    assert span.name == "tools/call add"
    assert span.attributes == {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "add",
        "gen_ai.operation.name": "execute_tool",
        "mcp.protocol.version": "2026-07-28",
    }
    assert span.status.status_code is trace.StatusCode.UNSET
    assert span.events == ()


def test_prompts_and_resources_are_named_as_the_conventions_say() -> None:
    span = span_of(lambda client, _: client.prompts.pitch(item="A"))
    assert span.name == "prompts/get pitch"
    assert span.attributes["gen_ai.prompt.name"] == "pitch"
    assert "gen_ai.operation.name" not in span.attributes
    span = span_of(lambda client, _: client.resources.read("shop://opening"))
    assert span.name == "resources/read"  # its address would be one of too many names
    assert span.attributes["mcp.resource.uri"] == "shop://opening"


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_stdio_server_gets_the_trace_without_an_sdk_span(
    revision: str,
) -> None:
    telling = stdio_client_package(revision)
    metas: list[Any] = []

    async def act() -> None:
        env = {"PYTHONPATH": str(SUPPORT)}
        server = sdk_programs.stdio(telling_server.__file__, env=env)
        async with telling.Client.connect(server) as client:
            SPANS.clear()
            with trace.get_tracer("app").start_as_current_span("work") as work:
                await client.echo(text="a")
            metas.append(work.get_span_context())

    anyio.run(act)
    [span] = of_clients()
    assert span.name == "tools/call echo"
    assert span.parent.span_id == metas[0].span_id
    assert span.attributes["network.transport"] == "pipe"
    assert span.attributes["jsonrpc.request.id"]
    assert span.attributes["mcp.protocol.version"] == revision


def stdio_client_package(revision: Any) -> Any:
    return import_client(anyio.run(telling_server.contract, revision), f"piped_{revision[:4]}")


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_http_span_has_the_address_and_contains_the_servers(
    revision: str,
) -> None:
    telling = stdio_client_package(revision)

    async def act(url: str) -> None:
        async with telling.Client.connect(url) as client:
            SPANS.clear()
            await client.echo(text="a")

    with web(telling_server.make_server()) as (url, _):  # type: ignore[arg-type]
        anyio.run(act, url)
    [span] = of_clients()
    attributes = span.attributes
    assert attributes["network.transport"] == "tcp"
    assert attributes["network.protocol.name"] == "http"
    assert attributes["server.address"] == "127.0.0.1"
    assert url.endswith(f":{attributes['server.port']}/mcp")
    assert ("mcp.session.id" in attributes) is (revision == "2025-11-25")
    [below] = of_servers()
    assert below.parent.span_id == span.context.span_id


def test_sync_client_span_is_a_child_of_the_callers() -> None:
    shop = Scripted(count=1)
    with SHOP.Client.sync.connect(shop.server, verify="off") as client:
        SPANS.clear()
        with trace.get_tracer("app").start_as_current_span("work") as work:
            client.count()
    [span] = of_clients()
    assert span.parent.span_id == work.get_span_context().span_id


def test_middleware_spans_are_children_of_the_call() -> None:
    async def trace_inside(call: Any, proceed: Any) -> Any:
        with trace.get_tracer("app").start_as_current_span("inside"):
            return await proceed(call)

    span = span_of(lambda client, _: client.count(), Scripted(count=1), middleware=[trace_inside])
    [inside] = [
        readable_span
        for readable_span in SPANS.get_finished_spans()
        if readable_span.name == "inside"
    ]
    assert inside.parent.span_id == span.context.span_id


# Errors


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (text_result("secret", is_error=True), "ToolError"),
        (MCPError(-5, "no"), "ProtocolError"),
        (structured_result(-1), "InvalidResult"),
    ],
)
def test_error_type_is_the_exception_type(answer: Any, kind: str) -> None:
    act = failing(getattr(SHOP, kind), lambda client, _: client.count())
    span = span_of(act, Scripted(count=answer))
    assert span.attributes["error.type"] == kind
    assert span.status.status_code is trace.StatusCode.ERROR
    is_protocol = kind == "ProtocolError"
    assert span.status.description == ("no" if is_protocol else None)
    assert span.attributes.get("rpc.response.status_code") == ("-5" if is_protocol else None)
    assert "secret" not in span.to_json()


def test_timeout_and_rejected_confirmation_are_errors() -> None:
    async def hang(*_: Any) -> None:
        await anyio.sleep(60)

    act = failing(SHOP.CallTimeout, lambda client, _: client.count())
    assert span_of(act, Scripted(count=hang), timeout=0.1).attributes["error.type"] == "CallTimeout"
    act = failing(SHOP.NotConfirmed, lambda client, _: client.wipe())
    span = span_of(act, confirm=lambda *_: False)
    assert span.attributes["error.type"] == "NotConfirmed"


@pytest.mark.slow
@pytest.mark.parametrize("reconnect", [True, False])
def test_lost_connection_has_its_error_type(*, reconnect: bool) -> None:
    telling = stdio_client_package("2025-11-25")

    async def act() -> None:
        env = {"PYTHONPATH": str(SUPPORT)}
        server = sdk_programs.stdio(telling_server.__file__, env=env)
        async with telling.Client.connect(
            server, session=SessionOptions(reconnect=reconnect)
        ) as client:
            SPANS.clear()
            with pytest.raises(telling.ConnectionLost):
                await client.die()
            if not reconnect:
                with pytest.raises(telling.ConnectionLost):
                    await client.echo(text="a")

    anyio.run(act)
    spans = of_clients()
    assert {span.attributes["error.type"] for span in spans} == {"ConnectionLost"}
    assert len(spans) == (1 if reconnect else 2)


@pytest.mark.slow
def test_invalid_address_hides_no_error() -> None:
    async def act() -> None:
        failures: list[Exception] = []
        connecting = SHOP.Client.connect(
            "http://127.0.0.1:none/mcp", session=SessionOptions(connect_timeout=5)
        )
        async with connecting.attempt(failures.append) as client:
            with pytest.raises(SHOP.ConnectionFailed):
                await client.count()

    anyio.run(act)


def test_cancelled_call_is_marked() -> None:
    async def act(client: Any, _: Scripted) -> None:
        with anyio.move_on_after(0.1):
            await client.count()

    async def hang(*_: Any) -> None:
        await anyio.sleep(60)

    assert span_of(act, Scripted(count=hang)).attributes["error.type"] == "CancelledError"


# Events


@pytest.mark.parametrize("direction", ["arguments", "result"])
def test_schema_violation_is_an_event_without_the_value(direction: str) -> None:
    is_result = direction == "result"
    act = failing(
        SHOP.InvalidResult if is_result else SHOP.InvalidArguments,
        lambda client, _: client.label(code="ABC" if is_result else "secret"),
    )
    span = span_of(act, Scripted(label={"printed": "secret"}))
    [event] = span.events
    assert event.name == "mcpgen.schema_violation"
    pointer = "/printed" if is_result else "/code"
    assert event.attributes == {"mcpgen.side": direction, "mcpgen.pointers": (pointer,)}
    assert "secret" not in span.to_json()


def test_contract_drift_is_an_event_of_connect_and_call() -> None:
    drifted = contracts.shop(
        tools={
            **contracts.SHOP.tools,
            "count": {**contracts.SHOP.tools["count"], "annotations": {"readOnlyHint": False}},
        }
    )
    span = span_of(lambda client, _: client.count(), Scripted(drifted, count=1), verify="warn")
    [event] = span.events
    assert event.name == "mcpgen.contract_drift"
    assert event.attributes == {"mcpgen.changes": ("count: annotations differs",)}
    SPANS.clear()
    with trace.get_tracer("app").start_as_current_span("work"):
        using(lambda client, _: client.names(), Scripted(drifted, names=[]), verify="warn")
    [work] = [
        readable_span
        for readable_span in SPANS.get_finished_spans()
        if readable_span.name == "work"
    ]
    assert "count: annotations differs" in work.events[0].attributes["mcpgen.changes"]
    span = span_of(lambda client, _: client.names(), Scripted(drifted, names=[]), verify="warn")
    assert span.events == ()


# The metric


def new_measurements() -> list[Any]:
    """Return the duration points added since the last call."""
    data = METRICS.get_metrics_data()
    return [
        point
        for resource in (data.resource_metrics if data else [])
        for scope in resource.scope_metrics
        for metric in scope.metrics
        if metric.name == DURATION
        for point in metric.data.data_points
    ]


def test_duration_uses_seconds_and_standard_buckets() -> None:
    span_of(lambda client, _: client.motto(), Scripted(motto=""))
    [result] = [p for p in new_measurements() if p.attributes.get("gen_ai.tool.name") == "motto"]
    assert result.explicit_bounds == (
        *(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300),
    )
    assert (result.count, 0 < result.sum < 5) == (1, True)
    assert result.attributes == {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "motto",
        "gen_ai.operation.name": "execute_tool",
        "mcp.protocol.version": "2026-07-28",
    }


def test_unsent_calls_and_confirmations_are_not_measured() -> None:
    async def slow(*_: Any) -> bool:
        await anyio.sleep(0.3)
        return True

    span_of(failing(SHOP.InvalidArguments, lambda client, _: client.explain(topic=5)))
    assert [
        p for p in new_measurements() if p.attributes.get("gen_ai.tool.name") == "explain"
    ] == []
    span_of(lambda client, _: client.wipe(), confirm=slow)
    [result] = [p for p in new_measurements() if p.attributes.get("gen_ai.tool.name") == "wipe"]
    assert result.sum < 0.25


def test_metric_has_no_resource_uri() -> None:
    span_of(lambda client, _: client.resources.read("shop://opening"))
    assert all("mcp.resource.uri" not in p.attributes for p in new_measurements())


# Cost


COSTS = """
import asyncio, json, sys
sys.path.insert(0, sys.argv[1])
from {package} import Client
from mcp import StdioServerParameters
{setup}
async def use():
    command = StdioServerParameters(command=sys.executable, args=["-m", "mcpgen.demo"])
    async with Client.connect(command) as client:
        await client.get_item(id="B-1")
asyncio.run(use())
print(json.dumps([name for name in sys.modules if name.startswith("{package}._runtime.")]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("setup", ["", "from opentelemetry.sdk.trace import TracerProvider"])
def test_nothing_is_loaded_where_no_provider_is_set_up(setup: str) -> None:
    name = "untold"
    import_client(read(loads((ROOT / "golden" / "demo" / "contract.json").read_bytes())), name)
    code = COSTS.format(package=name, setup=setup)
    command = [sys.executable, "-c", code, str(folder())]
    completed = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = {span.rpartition(".")[2] for span in json.loads(completed.stdout)}
    assert not loaded & {"telemetry", "middleware", "caching", "call_logging"}
