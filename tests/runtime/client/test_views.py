"""The other views of a generated client: prompts, resources, sync, errors, the package itself."""

from __future__ import annotations

import importlib
import json
import logging
import shutil
import subprocess
import sys
from typing import Any

import anyio
import pytest
from client_views import ITEM, SHOP
from guards import patient
from mcp import MCPError, StdioServerParameters, types
from mcp.server import MCPServer
from mcp.types import Completion
from runtime.packages import STYLES, folder, import_client, package
from runtime.raw_server import TOOLS
from runtime.scripted import Scripted, using
from runtime.web import RAW

from mcpgen.codegen.plan import Style
from mcpgen.contract.document import Contract
from runtime import contracts


def get_prompt_arguments(**arguments: Any) -> Any:
    async def act(client: Any, _: Scripted) -> Any:
        return await client.prompts.pitch(**arguments)

    [message] = using(act).messages
    return json.loads(message.content.text)


def test_a_prompt_takes_strings_by_their_wire_names() -> None:
    assert get_prompt_arguments(item="A") == {"item": "A"}
    assert get_prompt_arguments(item="A", for_whom="me") == {"for-whom": "me", "item": "A"}


@pytest.mark.parametrize("value", [1, None, ["a"]])
def test_a_prompt_takes_nothing_else(value: Any) -> None:
    with pytest.raises(SHOP.InvalidArguments) as refusal:
        get_prompt_arguments(item=value)
    assert [problem.pointer for problem in refusal.value.problems] == ["/item"]


class Failing(Scripted):
    """A shop whose prompts and resources fail as the test specifies."""

    def __init__(self, failure: Any) -> None:
        super().__init__()
        self.failure = failure

    async def get_prompt(self, ctx: Any, params: Any) -> Any:
        return await self.fail()

    async def read_resource(self, ctx: Any, params: Any) -> Any:
        return await self.fail()

    async def fail(self) -> Any:
        if isinstance(self.failure, Exception):
            raise self.failure
        await anyio.sleep(self.failure)


ASKED = [
    (lambda client: client.prompts.pitch(item="A"), "pitch"),
    (lambda client: client.resources.opening(), "shop://opening"),
    (lambda client: client.resources.shelf(shelf="3"), "shop://shelves/3"),
    (lambda client: client.resources.read("shop://x"), "shop://x"),
]


@pytest.mark.parametrize(("ask", "target"), ASKED)
def test_prompts_and_resources_fail_as_tools_do(ask: Any, target: str) -> None:
    async def act(client: Any, _: Scripted) -> Any:
        with pytest.raises(SHOP.ProtocolError) as failure:
            await ask(client)
        error = failure.value
        assert (error.target, error.code, error.message) == (target, -32602, "there is none")

    using(act, Failing(MCPError(-32602, "there is none")))


@pytest.mark.parametrize(("ask", "target"), ASKED)
def test_prompts_and_resources_have_time_limits_too(ask: Any, target: str) -> None:
    async def act(client: Any, _: Scripted) -> Any:
        for options in ({"timeout": 0.05}, {}):
            with pytest.raises(SHOP.CallTimeout) as late:
                await ask(client.with_options(**options))
            assert late.value.target == target
            assert late.value.seconds == options.get("timeout", 0.1)

    with patient():
        using(act, Failing(3600), timeout=0.1)


def test_metadata_goes_with_prompts_and_resources() -> None:
    messages: list[Any] = []

    class Listening(Scripted):
        async def get_prompt(self, ctx: Any, params: Any) -> Any:
            messages.append(params.meta)
            return await super().get_prompt(ctx, params)

        async def read_resource(self, ctx: Any, params: Any) -> Any:
            messages.append(params.meta)
            return await super().read_resource(ctx, params)

    async def act(client: Any, _: Scripted) -> Any:
        await client.prompts.with_options(meta={"example.org/a": 1}).pitch(item="A")
        await client.with_options(meta={"example.org/a": 2}).resources.opening()

    using(act, Listening())
    assert [meta["example.org/a"] for meta in messages] == [1, 2]


def read(name: str, *args: Any, **arguments: Any) -> str:
    async def act(client: Any, _: Scripted) -> Any:
        return await getattr(client.resources, name)(*args, **arguments)

    result = using(act)
    assert isinstance(result, SHOP.ResourceResult)
    return str(result.text.removeprefix("read "))


def test_a_resource_is_read() -> None:
    assert read("opening") == "shop://opening"
    assert read("read", "shop://any/thing") == "shop://any/thing"


@pytest.mark.parametrize(
    ("name", "arguments", "uri"),
    [
        ("shelf", {"shelf": "3"}, "shop://shelves/3"),
        ("shelf", {"shelf": "a b/ü"}, "shop://shelves/a%20b%2F%C3%BC"),
        ("path", {"parts": ["a", "b c"]}, "shop://files/a/b%20c"),
        ("path", {"parts": "a"}, "shop://files/a"),
        ("search", {"words": "a&b"}, "shop://search?words=a%26b"),
        ("search", {"words": "a", "limit": "3"}, "shop://search?words=a&limit=3"),
        ("search", {"limit": "3"}, "shop://search?limit=3"),
        ("search", {}, "shop://search"),
        ("path", {"parts": []}, "shop://files"),
    ],
)
def test_a_template_is_filled_in_by_rfc_6570(name: str, arguments: Any, uri: str) -> None:
    assert read(name, **arguments) == uri


@pytest.mark.parametrize("value", [None, 7, {"a": 1}, [1]], ids=repr)
def test_a_template_is_filled_in_with_text_alone(value: Any) -> None:
    with pytest.raises(SHOP.InvalidArguments):
        read("shelf", shelf=value)


def test_contents_of_a_resource_are_sorted_by_kind() -> None:
    contents: list[Any] = [
        types.TextResourceContents(uri="a:1", text='{"a":'),
        types.BlobResourceContents(uri="a:2", blob="aGVsbG8=", mime_type="image/png"),
        types.BlobResourceContents(uri="a:3", blob=""),
        types.TextResourceContents(uri="a:4", text="1}"),
    ]
    result = SHOP.ResourceResult(types.ReadResourceResult(contents=contents))
    assert result.text == '{"a":\n1}'
    assert result.json() == {"a": 1}
    blobs = [(blob.data, blob.mime_type) for blob in result.blobs]
    assert blobs == [(b"hello", "image/png"), (b"", "application/octet-stream")]


def test_completions_of_arguments_are_typed_and_sent() -> None:
    server = MCPServer("shop")

    @server.prompt()
    def recommend(genre: str) -> str:
        return genre

    @server.completion()
    async def complete(reference: Any, argument: Any, context: Any) -> Completion:
        args = [reference.name, argument.name, argument.value, *context.arguments.values()]
        return Completion(values=args, total=9, has_more=True)

    prompt = {"name": "recommend", "arguments": [{"name": "genre"}, {"name": "mood"}]}
    contract = contracts.shop(prompts={"recommend": prompt}, capabilities={"completions": {}})
    client_package = import_client(contract, "completing")

    async def inside() -> Any:
        async with client_package.Client.connect(server, verify="off") as client:
            view = client.prompts
            return await view.complete_recommend(
                argument="genre", value="cr", known={"mood": "sad"}
            )

    results = anyio.run(inside)
    assert results.values == ("recommend", "genre", "cr", "sad")
    assert (results.total, results.has_more) == (9, True)


def test_completions_need_the_capability() -> None:
    prompt = {"name": "recommend", "arguments": [{"name": "genre"}]}
    client_package = import_client(contracts.shop(prompts={"recommend": prompt}), "not_completing")
    with client_package.Client.sync.connect(Scripted().server, verify="off") as client:
        assert not hasattr(client.prompts, "complete_recommend")


def test_fake_refuses_completions() -> None:
    prompt = {"name": "recommend", "arguments": [{"name": "genre"}]}
    contract = contracts.shop(prompts={"recommend": prompt}, capabilities={"completions": {}})
    client_package = import_client(contract, "fake_completing")
    with client_package.Client.sync.fake() as client, pytest.raises(client_package.NoMatchingRule):
        client.prompts.complete_recommend(argument="genre")


@pytest.mark.parametrize("style", STYLES)
def test_tool_can_be_called_by_its_wire_name(style: Style) -> None:
    shop = package(style)

    async def act(client: Any, server: Scripted) -> Any:
        assert shop.raw_json(await client.call("order", {"item": ITEM, "class": "fast"}))
        counted = await client.response(client.call, "count", {})
        assert (counted.data, counted.raw.structured_content) == (3, 3)
        with pytest.raises(shop.InvalidArguments):
            await client.call("order", {"item": ITEM, "class_": "fast"})
        with pytest.raises(LookupError, match="the contract has no tool 'no_such'"):
            await client.call("no_such", {})
        return server.sent

    requests = using(act, Scripted(order={"item": ITEM}, count=3), style=style)
    assert requests == [("order", {"item": ITEM, "class": "fast"}), ("count", {})]


def test_a_waiting_connection_fails_as_the_other_does() -> None:
    missing = StdioServerParameters(command="no-such-command-here")
    with (
        pytest.raises(SHOP.ConnectionFailed, match="no-such-command-here"),
        SHOP.Client.sync.connect(missing),
    ):
        pass


def run_code(code: str) -> Any:
    """Run code in a fresh interpreter and return its output as JSON."""
    package()
    run = subprocess.run(
        [sys.executable, "-c", f"import json, sys; sys.path.insert(0, {str(folder())!r}); {code}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


LOADED = "print(json.dumps([m for m in sys.modules if m.split('.')[0] in NAMES]))"


def test_importing_the_package_imports_nothing_heavy() -> None:
    heavy = {"mcp", "pydantic", "jsonschema", "anyio", "httpx2", "asyncio"}
    code = f"import shop_dataclass; {LOADED.replace('NAMES', repr(heavy))}"
    assert run_code(code) == []


def test_importing_the_client_imports_no_model_and_no_sdk() -> None:
    names = {"mcp", "jsonschema", "anyio", "httpx2", "shop_dataclass"}
    code = f"from shop_dataclass import Client; {LOADED.replace('NAMES', repr(names))}"
    result = run_code(code)
    assert [name for name in result if name.startswith("shop_dataclass.models.")] == []
    assert [name for name in result if not name.startswith("shop_dataclass")] == []


def test_importing_one_model_loads_no_other() -> None:
    names = {"mcp", "jsonschema", "anyio", "shop_dataclass"}
    code = f"from shop_dataclass import AddOutput; {LOADED.replace('NAMES', repr(names))}"
    result = run_code(code)
    models = [name for name in result if name.startswith("shop_dataclass.models.")]
    assert models == ["shop_dataclass.models.add"]
    assert "shop_dataclass.client" not in result
    assert "mcp" not in result


def test_relocated_package_works_and_logs_under_its_name(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tools = {tool["name"]: tool for tool in TOOLS}
    contract = Contract(tools=tools, revision="2025-11-25", server={"name": "raw"})
    import_client(contract, "raw_to_move")
    app = folder() / "myapp"
    shutil.copytree(folder() / "raw_to_move", app / "clients" / "bookshelf")
    (app / "__init__.py").write_text("")
    (app / "clients" / "__init__.py").write_text("")
    importlib.invalidate_caches()
    moved = importlib.import_module("myapp.clients.bookshelf")
    caplog.set_level(logging.INFO)
    command = StdioServerParameters(command=sys.executable, args=[RAW, "drifted"])

    async def inside() -> Any:
        async with moved.Client.connect(command) as client:
            return (await client.ask()).json()["tool"], (await client.call("beg", {})).text

    assert anyio.run(inside)[0] == "ask"
    names = {record.name for record in caplog.records}
    assert {"myapp.clients.bookshelf", "myapp.clients.bookshelf.audit"} <= names
    assert not {name for name in names if name.startswith("raw_to_move")}


def test_the_package_lists_its_names() -> None:
    for name in SHOP.__all__:
        assert hasattr(SHOP, name)
    assert set(SHOP.__all__) <= set(dir(SHOP))
    with pytest.raises(AttributeError, match="has no attribute 'nothing_such'"):
        _ = SHOP.nothing_such


def test_a_contract_without_anything_still_connects() -> None:
    client_package = import_client(
        contracts.shop(tools={}, prompts={}, resources={}, resource_templates={}), "bar"
    )

    async def inside() -> Any:
        async with client_package.Client.connect(Scripted().server, verify="error") as client:
            return client.session.protocol_version

    assert anyio.run(inside) == "2026-07-28"
