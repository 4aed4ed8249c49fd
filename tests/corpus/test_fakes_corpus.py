"""The fakes of all recorded servers: they have every method, and generated values are valid."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import anyio
import pytest
from mcpgen_runtime.testing import method_targets
from paths import CORPUS
from recorded_servers import SERVERS, contract

from mcpgen.codegen.pipeline import Generated
from mcpgen.contract.document import Contract
from mcpgen.schemas.validation import schemas

ODD = {"cocal__google-calendar-mcp", "mcp-server-time", "pinecone-database__mcp"}
"""Small servers, two of which have output schemas; the others are asked in slow tests."""

pytestmark = pytest.mark.skipif(
    not SERVERS, reason=f"no recorded servers in {CORPUS}; MCPGEN_CORPUS says where they are"
)


@pytest.mark.parametrize(
    ("server", "package"),
    [
        pytest.param(server, server, id=server, marks=() if server in ODD else pytest.mark.slow)
        for server in SERVERS
    ],
    indirect=["package"],
)
def test_generated_result_satisfies_the_output_schema(server: str, package: Generated) -> None:
    fake = importlib.import_module(package.package).Client.fake("generate")
    anyio.run(ask_all, fake, contract(server), package)


async def ask_all(fake: Any, recorded: Contract, generated_package: Generated) -> None:
    """Call each tool as a client does after validating arguments."""
    session = fake._connection.session.sdk
    for tool, name in zip(sorted(recorded.tools), generated_package.tools, strict=True):
        method = getattr(fake, name)
        assert method_targets.target_of(fake, method).name == tool
        result = await session.call_tool(tool, {})
        assert fake.calls(method)[0].result is not None
        schema = schema_of(recorded, tool)
        assert (result.structured_content is None) is (schema is None), tool
        if schema is not None:
            assert schemas.SchemaValidator(schema).allows(result.structured_content), tool
    for view in ("prompts", "resources"):
        for name in of_view(fake, generated_package, view):
            target = method_targets.target_of(fake, getattr(getattr(fake, view), name))
            assert f"{target.kind}s" == view


def of_view(fake: Any, generated_package: Generated, view: str) -> list[str]:
    """Return the methods of the prompts, or of the resources, of a client."""
    module = importlib.import_module(f"{generated_package.package}.client")
    kind = getattr(
        module, f"{generated_package.client.removesuffix('Client')}{view.title()}", object
    )
    own = vars(kind).items() if hasattr(fake, view) else ()
    # Completions can't be faked.
    return [
        name
        for name, value in own
        if inspect.iscoroutinefunction(value) and value.__annotations__["return"] != "Completion"
    ]


def schema_of(recorded: Contract, tool: str) -> Any:
    """Return the output schema of a tool."""
    raw: Any = recorded.tools[tool]
    return raw.get("outputSchema")
