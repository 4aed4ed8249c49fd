"""Values of template variables: the SDK's security rules apply unless user code changes them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp.server.mcpserver import MCPServer, ResourceSecurity
from skeletons import MODES, import_server, project, raises_mcp

from mcpgen.contract.document import read
from mcpgen.testing import mock

TEMPLATES = {
    "acme://products/{id}": "one",
    "acme://files/{+path}": "many",
    "acme://parts{/path*}": "parts",
    "acme://found{?q,page}": "query",
}
CONTRACT = read(
    {
        "server": {"name": "acme", "version": "1"},
        "tools": [{"name": "echo", "inputSchema": {"type": "object"}}],
        "resources": [{"uri": "acme://files/../etc", "name": "fixed"}],
        "resourceTemplates": [{"uriTemplate": uri, "name": n} for uri, n in TEMPLATES.items()],
    }
)
GOOD = [
    "acme://products/B-1",
    "acme://products/a..b",
    "acme://products/%2e",
    "acme://products/1.0..2.0",
    "acme://products/%252e%252e%252fetc",  # decoded once, as the SDK does: no path
    "acme://products/%C0%AE%C0%AE%C0%AFetc",  # no UTF-8, and no dots either
    "acme://files/a/b/c.txt",
    "acme://files/a/../b",
    "acme://parts/a/b",
    "acme://found?q=a/b",
    "acme://products/caf%C3%A9",
]
BAD = [
    "acme://products/..%2F..%2Fetc%2Fpasswd",
    "acme://products/..",
    "acme://products/%2e%2E",
    "acme://products/..%5C..%5Cwindows",
    "acme://products/%2Fetc%2Fpasswd",
    "acme://products/%5C%5Chost%5Cshare",
    "acme://products/C:%5Cwindows",
    "acme://products/c:x",
    "acme://products/a%00b",
    "acme://products/a%2F..%2F..%2Fb",
    "acme://files/../../etc/passwd",
    "acme://files//etc/passwd",
    "acme://files/a/%2e%2e/../b",
    "acme://files/x%00",
    "acme://parts/a/../../b",
    "acme://parts/..",
    "acme://found?q=../x",
    "acme://found?q=a&page=%00",
]
AUTHOR = """\
import json
from ._generated import AcmeResources


class Resources(AcmeResources):
    async def fixed(self, context):
        return "fixed"

    async def one(self, context, **given):
        return json.dumps(given, sort_keys=True)

    many = parts = query = one
"""
ECHO = """\
from ._generated import AcmeTools, raw_json


class Tools(AcmeTools):
    async def echo(self, arguments, context):
        return str(raw_json(arguments))
"""


@pytest.fixture
def acme(tmp_path: Path) -> Iterator[ModuleType]:
    folder = project(CONTRACT, tmp_path)
    (folder / "src/acme/resources.py").write_text(AUTHOR)
    (folder / "src/acme/tools.py").write_text(ECHO)
    with import_server(folder) as module:
        yield module


def usual() -> MCPServer:
    """The SDK's own server, with the same templates."""
    server = MCPServer("acme")

    @server.resource("acme://products/{id}")
    def read_product(id: str) -> str:
        return json.dumps({"id": id})

    @server.resource("acme://files/{+path}")
    def many(path: str) -> str:
        return json.dumps({"path": path})

    @server.resource("acme://parts{/path*}")
    def parts(path: list[str]) -> str:
        return json.dumps({"path": path})

    @server.resource("acme://found{?q,page}")
    def query(q: str = "", page: str = "") -> str:
        arguments = {"q": q, "page": page}
        return json.dumps({k: v for k, v in arguments.items() if v}, sort_keys=True)

    return server


def answer(server: Any, uri: str, mode: str) -> str | None:
    """Return the content of a resource, or None if the server can't find it."""

    async def ask() -> Any:
        async with Client(server, mode=mode) as client:  # type: ignore[arg-type]
            try:
                return (await client.read_resource(uri)).contents[0]
            except MCPError as error:
                return error.code

    result = anyio.run(ask)
    if isinstance(result, int):
        assert result in (-32602, -32002)
        return None
    text: str = result.text
    return text


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("uri", [*GOOD, *BAD])
def test_uri_is_readable_if_the_sdk_allows_it(acme: ModuleType, uri: str, mode: str) -> None:
    result = answer(acme.server, uri, mode)
    assert result == answer(usual(), uri, mode)
    assert (result is None) == (uri in BAD)
    assert (answer(mock.server(CONTRACT), uri, mode) is None) == (uri in BAD)


def test_listed_resource_is_readable_whatever_its_uri(acme: ModuleType) -> None:
    assert answer(acme.server, "acme://files/../etc", "auto") == "fixed"


def test_rejected_uri_does_not_reach_a_later_template(tmp_path: Path) -> None:
    templates = [{"uriTemplate": "a://{x}", "name": "x"}, {"uriTemplate": "a://{+y}", "name": "y"}]
    contract = read({"server": {"name": "acme"}, "tools": [], "resourceTemplates": templates})
    folder = project(contract, tmp_path)
    (folder / "src/acme/resources.py").write_text(
        "from ._generated import AcmeResources\n\n"
        "class Resources(AcmeResources):\n"
        "    async def x(self, context, x): return 'x'\n"
        "    async def y(self, context, y): return 'y'\n"
    )
    with import_server(folder) as module:
        free = module.Policy(security_of={"a://{+y}": ResourceSecurity(exempt_params={"y"})})
        server = module.create(module.Tools(), module.Resources(), free)
        assert answer(server, "a://..", "auto") is None
        assert answer(server, "a://../b", "auto") == "y"


def test_rejected_variable_is_logged_without_its_value(
    acme: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    answer(acme.server, "acme://products/..%2Fsecret", "auto")
    assert "'id' of 'acme://products/{id}'" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize(
    "policy",
    [
        {"security_of": {"acme://products/{id}": ResourceSecurity(exempt_params={"id"})}},
        {"security": ResourceSecurity(reject_path_traversal=False)},
    ],
)
def test_policy_may_allow_values_per_template_or_globally(
    acme: ModuleType, policy: dict[str, Any]
) -> None:
    server = acme.create(acme.Tools(), acme.Resources(), acme.Policy(**policy))
    assert answer(server, "acme://products/..%2Fx", "auto") == '{"id": "../x"}'


def test_security_of_an_unknown_template_is_rejected(acme: ModuleType) -> None:
    policy = acme.Policy(security_of={"acme://product/{id}": ResourceSecurity()})
    with pytest.raises(ValueError, match="acme://product/"):
        acme.create(acme.Tools(), acme.Resources(), policy)


def test_arguments_of_tools_are_not_looked_at(acme: ModuleType) -> None:
    async def call() -> Any:
        async with Client(acme.server) as client:
            return await client.call_tool("echo", {"path": "../../etc/passwd"})

    assert "../../etc/passwd" in anyio.run(call).content[0].text


def test_rejection_looks_like_a_missing_resource(acme: ModuleType) -> None:
    async def ask() -> Any:
        async with Client(acme.server) as client:
            return await client.read_resource("acme://products/..")

    with raises_mcp() as raised:
        anyio.run(ask)
    assert raised.message == "Unknown resource: acme://products/.."
