"""The `repr` and notebook display of clients, results and errors."""

from __future__ import annotations

import base64
import html
from types import SimpleNamespace
from typing import Any

import pytest
from mcp import types
from mcpgen_runtime import contract
from mcpgen_runtime import errors as runtime_errors
from mcpgen_runtime.auth import options
from mcpgen_runtime.calls import call_pipeline
from mcpgen_runtime.connection import session as runtime_session
from mcpgen_runtime.connection.routing import routes as runtime_routes
from mcpgen_runtime.package import package_of_module
from runtime.packages import STYLES, package
from runtime.scripted import Scripted, text_result, using

from mcpgen.codegen.plan import Style

SHOP = package()
LONG = "x" * 100_000
HOSTILE = "<script>alert(1)</script>\u202e\x1b[31m\n\"'&"
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def is_one_line(text: str) -> bool:
    return text.isprintable() and len(text) < 1_000


def result(*blocks: Any) -> Any:
    return SHOP.ToolResult(types.CallToolResult(content=list(blocks)), "t")


def text_of(args: str) -> types.TextContent:
    return types.TextContent(type="text", text=args)


def image(mime: str, data: bytes = PIXEL) -> types.ImageContent:
    return types.ImageContent(type="image", data=base64.b64encode(data).decode(), mime_type=mime)


# On one line


def test_client_repr_shows_server_state_and_counts() -> None:
    async def act(client: Any, _: Scripted) -> Any:
        return client, repr(client), repr(client.prompts)

    client, as_open, view = using(act)
    count = len(SHOP.Client.tools)
    assert as_open == f"<ShopDataclassClient: stand-in, open, {count} tools>"
    assert view == "<ShopDataclassPrompts: stand-in, open>"
    assert repr(client) == f"<ShopDataclassClient: stand-in, closed, {count} tools>"


def test_sync_client_repr_is_similar() -> None:
    with SHOP.Client.sync.connect(Scripted().server, verify="off") as client:
        assert repr(client).startswith("<SyncShopDataclassClient: stand-in, open, ")
        assert repr(client.resources) == "<SyncShopDataclassResources: stand-in, open>"
    assert repr(client).startswith("<SyncShopDataclassClient: stand-in, closed, ")


def test_client_repr_contains_no_secret() -> None:
    routes, sessions = runtime_routes, runtime_session
    secret = {"Authorization": "canary-5ecret"}

    async def act(client: Any, _: Scripted) -> Any:
        url = "https://canary-5ecret:canary-5ecret@example.org/mcp?key=canary-5ecret"
        http = options.HttpOptions(secret)
        session = sessions.Session.new(
            routes.find_route(url, http, package_of_module(SHOP.__name__)), 1.0
        )
        connection = call_pipeline.CallPipeline(SimpleNamespace(current=session), 1.0, None)
        return repr(SHOP.Client(connection).with_options(meta=secret))

    displayed = using(act)
    assert "https://example.org/mcp" in displayed
    assert "canary" not in displayed


def test_the_tools_say_their_names() -> None:
    assert repr(SHOP.Client.tools).startswith(f"<{len(SHOP.Client.tools)} tools: 'add', ")
    assert is_one_line(repr(SHOP.Client.tools))
    assert repr(SHOP.Client.tools["add"]) == "<ToolInfo: add: 'The tool add.'>"
    info = contract.ToolInfo
    assert is_one_line(repr(info(HOSTILE + LONG, "", HOSTILE + LONG, {}, (), {}, {"a": LONG})))


RESULTS = [
    result(text_of(HOSTILE), image(HOSTILE), text_of(LONG)),
    SHOP.ResourceResult(
        types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=HOSTILE, text=HOSTILE + LONG)]
        ),
        HOSTILE + LONG,
    ),
    result(image(HOSTILE + LONG)).images[0],
    SHOP.Response({"a": HOSTILE, "b": [LONG] * 100}, result(text_of(LONG)).raw),
    SHOP.Response(result(image(HOSTILE)), result(image(HOSTILE)).raw),
]


@pytest.mark.parametrize("value", RESULTS, ids=lambda value: type(value).__name__)
def test_a_result_is_one_line_of_bounded_length(value: Any) -> None:
    assert type(value).__name__ in repr(value)
    assert is_one_line(repr(value))


def test_result_repr_shows_its_content() -> None:
    both = result(text_of("so"), image("image/png"), image("image/png"))
    assert repr(both) == "<ToolResult: 1 text, 2 image: 'so'>"
    assert repr(both.images[0]) == f"<Binary: {len(PIXEL)} bytes of image/png>"
    assert repr(SHOP.Response(3, both.raw)) == "<Response: 3 with 1 text, 2 image>"


@pytest.mark.parametrize("style", STYLES)
def test_response_repr_is_one_line_in_each_style(style: Style) -> None:
    items = [{"id": "A" * 500, "price": 1}] * 500

    async def act(client: Any, _: Scripted) -> Any:
        return await client.response(client.order, item={"id": "A", "price": 1})

    answer = using(act, Scripted(order={"item": {**items[0], "parts": items}}), style=style)
    assert is_one_line(repr(answer))
    assert len(answer._repr_html_()) < 100_000


def test_error_repr_is_one_bounded_line_without_arguments() -> None:
    failed = runtime_errors.ToolError("t", text_result(HOSTILE + LONG, is_error=True))
    assert is_one_line(repr(failed))
    assert repr(failed).startswith("ToolError('t: <script>")
    assert "canary" not in repr(runtime_errors.NotConfirmed("t", {"a": "canary-5ecret"}))
    for error in (
        runtime_errors.ConnectionFailed("s", "why", HOSTILE + LONG),
        runtime_errors.AuthorizationRequired("s", LONG),
        runtime_errors.ContractDrift([runtime_errors.Change("t", "inputSchema differs")] * 1000),
    ):
        assert repr(error).startswith(f"{type(error).__name__}(")
        assert is_one_line(repr(error))


# In a notebook


def test_an_image_shows_itself() -> None:
    displayed = result(text_of("a cover"), image("image/png"))._repr_html_()
    encoded = base64.b64encode(PIXEL).decode()
    assert f'<img src="data:image/png;base64,{encoded}"' in displayed
    assert "<pre>a cover</pre>" in displayed
    assert encoded in result(image("image/png")).images[0]._repr_html_()


@pytest.mark.parametrize("mime", ["image/png", "image/jpeg", "image/gif", "IMAGE/WebP; q=1"])
def test_result_with_only_an_image_displays_it(mime: str) -> None:
    only = result(image(mime))
    source = f"data:{mime.partition(';')[0].lower()};base64,{base64.b64encode(PIXEL).decode()}"
    expected = f'<img src="{source}" style="max-width: 100%">'
    for value in (only, SHOP.Response(only, only.raw), only.images[0]):
        assert value._repr_html_() == expected


def test_a_clip_can_be_played() -> None:
    clip = types.AudioContent(type="audio", data="aGVsbG8=", mime_type="audio/wav")
    assert '<audio controls src="data:audio/wav;base64,aGVsbG8=">' in result(clip)._repr_html_()


def test_a_response_shows_its_data_and_its_images() -> None:
    raw = result(text_of("as text"), image("image/png")).raw
    displayed = SHOP.Response({"total": 3}, raw)._repr_html_()
    assert html.escape("{'total': 3}") in displayed
    assert "data:image/png" in displayed
    assert "<pre>as text</pre>" in SHOP.Response(SHOP.ToolResult(raw), raw)._repr_html_()


@pytest.mark.parametrize(
    "mime", ["image/svg+xml", "text/html", 'image/png" onerror="alert(1)', HOSTILE, ""]
)
def test_nothing_of_a_server_is_markup(mime: str) -> None:
    link = types.TextResourceContents(uri=HOSTILE, text=HOSTILE)
    embedded = types.EmbeddedResource(type="resource", resource=link)
    whole = result(text_of(HOSTILE), image(mime, b"<script>"), embedded)
    for value in (whole, whole.images[0], SHOP.Response({HOSTILE: HOSTILE}, whole.raw)):
        displayed = value._repr_html_()
        assert "<script" not in displayed
        assert "<img" not in displayed
        assert 'onerror="' not in displayed


def test_display_is_bounded() -> None:
    huge = result(text_of(LONG), image("image/png", b"x" * 6_000_000), *[image("image/png")] * 50)
    displayed = huge._repr_html_()
    assert len(displayed) < 50_000
    assert "and 90,000 more characters" in displayed
    assert "6,000,000 bytes of image/png" in displayed
    assert displayed.count("<img") == 19
    assert "and 31 more" in displayed


def test_images_are_bounded_together() -> None:
    displayed = result(*[image("image/png", b"x" * 2_000_000)] * 4)._repr_html_()
    assert displayed.count("<img") == 2
    assert displayed.count("2,000,000 bytes of image/png") == 2
    assert len(displayed) < 6_000_000


def test_undecodable_content_is_reported() -> None:
    broken = types.ImageContent(type="image", data="<not base64>", mime_type="image/png")
    assert "not base64" in result(broken)._repr_html_()


def test_a_resource_shows_itself() -> None:
    contents: Any = [
        types.BlobResourceContents(
            uri="a://b", blob=base64.b64encode(PIXEL).decode(), mime_type="image/png"
        ),
        types.TextResourceContents(uri="a://c", text="a < b"),
    ]
    displayed = SHOP.ResourceResult(
        types.ReadResourceResult(contents=contents), "a://b"
    )._repr_html_()
    assert "<pre>a &lt; b</pre>" in displayed
    assert "data:image/png" in displayed
