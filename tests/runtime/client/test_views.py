"""The other views of a generated client: prompts, resources, sync, errors, the package itself."""

from __future__ import annotations

import asyncio
import copy
import importlib
import json
import logging
import pickle
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import pytest
from guards import patient, until
from mcp import MCPError, StdioServerParameters, types
from mcp.server import MCPServer
from mcp.types import Completion
from mcpgen_runtime import errors as runtime_errors
from mcpgen_runtime import problem as runtime_problem
from runtime.packages import STYLES, folder, import_client, package
from runtime.raw_server import TOOLS
from runtime.scripted import Scripted, text_result, using
from runtime.web import RAW

from mcpgen.codegen.plan import Style
from mcpgen.contract.document import Contract
from runtime import contracts

SHOP = package()
ITEM = {"id": "A", "price": 1}


# Prompts


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


# Resources


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


# Completions


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


# The wire name at run time


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


# Without async


@contextmanager
def waiting(server: Scripted | None = None, **options: Any) -> Iterator[Any]:
    settings: Any = {"verify": "off", **options}
    with SHOP.Client.sync.connect((server or Scripted(count=3)).server, **settings) as client:
        yield client


def used_without_async() -> Any:
    with waiting(Scripted(count=3, explain=text_result("so"), order={"item": ITEM})) as shop:
        assert isinstance(shop, SHOP.Client.sync)
        return [
            shop.count(),
            shop.explain(topic="x").text,
            shop.order(item=ITEM).item.id,
            shop.response(shop.count).raw.structured_content,
            shop.prompts.pitch(item="A").messages[0].content.text,
            shop.resources.shelf(shelf="3").text,
            shop.resources.read("shop://x").text,
            shop.call("count", {}),
        ]


USED = [3, "so", "A", 3, '{"item": "A"}', "read shop://shelves/3", "read shop://x", 3]


def test_every_view_works_without_async() -> None:
    assert used_without_async() == USED


def test_it_works_inside_a_running_loop() -> None:
    async def notebook() -> Any:
        return used_without_async()

    assert asyncio.run(notebook()) == USED


def test_it_works_in_several_threads() -> None:
    with waiting() as shop:
        numbers: list[int] = []
        threads = [threading.Thread(target=lambda: numbers.append(shop.count())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert numbers == [3] * 4


async def slow(ctx: Any, params: Any) -> Any:
    del ctx, params
    await anyio.sleep_forever()


def test_sync_client_raises_errors_unchanged() -> None:
    shop = Scripted(explain=text_result("no", is_error=True), count=slow)
    with patient(), waiting(shop) as client:
        with pytest.raises(SHOP.ToolError):
            client.explain(topic="x")
        with pytest.raises(SHOP.InvalidArguments):
            client.label(code="abc")
        with pytest.raises(SHOP.CallTimeout):
            client.with_options(timeout=0.05).count()
        assert client.nothing() is None


@pytest.mark.parametrize("own", [KeyError("mine"), KeyboardInterrupt("mine"), SystemExit(3)])
def test_exception_of_the_caller_leaves_a_sync_client(own: BaseException) -> None:
    with pytest.raises(type(own)) as failure, waiting():
        raise own
    assert failure.value is own


def test_a_waiting_connection_fails_as_the_other_does() -> None:
    missing = StdioServerParameters(command="no-such-command-here")
    with (
        pytest.raises(SHOP.ConnectionFailed, match="no-such-command-here"),
        SHOP.Client.sync.connect(missing),
    ):
        pass


def test_a_waiting_client_over_stdio_leaves_no_thread() -> None:
    tools = {tool["name"]: tool for tool in TOOLS}
    client_package = import_client(
        Contract(tools=tools, revision="2025-11-25", server={"name": "r"}), "raw_sync"
    )
    before = threading.active_count()
    command = StdioServerParameters(command=sys.executable, args=[RAW, "dies"])
    with (
        pytest.raises(client_package.ConnectionLost) as caught,
        client_package.Client.sync.connect(command) as client,
    ):
        client.ask()
    assert caught.value.stderr == "fatal: the shelf fell"
    # Threads end asynchronously.
    until(lambda: threading.active_count() <= before)


def test_hooks_work_without_async() -> None:
    messages: list[str] = []

    def confirm(info: Any, arguments: Any) -> bool:
        del arguments
        messages.append(info.name)
        return False

    with waiting(confirm=confirm) as client, pytest.raises(SHOP.NotConfirmed):
        client.wipe()
    assert messages == ["wipe"]


# Errors


def errors() -> list[Any]:
    problem = runtime_problem.Problem("/a", "it is wrong")
    result = text_result("failed", is_error=True)
    return [
        runtime_errors.ToolError("t", result),
        runtime_errors.ProtocolError("t", -1, "no", {"a": 1}),
        runtime_errors.InvalidArguments("t", [problem]),
        runtime_errors.InvalidResult("t", [problem], result),
        runtime_errors.InvalidResult("t", [problem]),
        runtime_errors.CallTimeout("t", 1.5),
        runtime_errors.CallTimeout("t", None),
        runtime_errors.ConnectionFailed("s", "why", "last\nwords"),
        runtime_errors.AuthorizationRequired("s", "it answered 401"),
        runtime_errors.ConnectionLost("why", "last words"),
        runtime_errors.ContractDrift([runtime_errors.Change("t", "inputSchema differs")]),
        runtime_errors.NotConfirmed("t", {"a": 1}),
        runtime_errors.UnknownTool("t"),
        runtime_errors.HttpError("t", 429, 7.0, "Bearer", "too many"),
        runtime_errors.HttpError("t", 500),
    ]


@pytest.mark.parametrize("error", errors(), ids=lambda error: type(error).__name__)
def test_an_error_carries_its_facts_through_copies(error: Any) -> None:
    assert isinstance(error, SHOP.ClientError)
    assert str(error)
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is type(error)
        assert vars(again) == vars(error)
        assert str(again) == str(error)


def test_error_with_notes_survives_pickling() -> None:
    error = SHOP.ConnectionLost(reason="why", stderr="last words")
    vars(error)["__notes__"] = ["in the shop"]
    again = pickle.loads(pickle.dumps(error))
    assert vars(again) == vars(error)
    assert str(again) == str(error)


def test_errors_are_public_and_read_well() -> None:
    texts = [str(error) for error in errors()]
    assert texts == [
        "t: failed",
        "t: no (-1)",
        "t: invalid arguments, nothing was sent\n  /a: it is wrong",
        "t: invalid result\n  /a: it is wrong",
        "t: invalid result\n  /a: it is wrong",
        "t: no response within 1.5 s",
        "t: no response in time",
        "cannot connect to s: why\n  | last\n  | words",
        "s requires authorization: it answered 401",
        "the connection was lost: why\n  | last words",
        "the server differs from the contract; generate again\n  t: inputSchema differs",
        "t: the call was not confirmed, nothing was sent",
        "the contract has no tool 't'",
        "t: the server responded with HTTP 429: too many",
        "t: the server responded with HTTP 500",
    ]
    for error in errors():
        assert getattr(SHOP, type(error).__name__) is type(error)


def test_an_error_can_be_raised_through_context_managers() -> None:
    @contextmanager
    def pass_through() -> Iterator[None]:
        yield

    for error in errors():
        with pytest.raises(type(error)), pass_through():
            raise error


def test_timeouts_and_lost_connections_have_builtin_base_classes() -> None:
    kinds = {type(error): type(error).__mro__ for error in errors()}
    assert TimeoutError in kinds[SHOP.CallTimeout]
    for name in ("ConnectionFailed", "AuthorizationRequired", "ConnectionLost"):
        assert ConnectionError in kinds[getattr(SHOP, name)]


# The package


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
