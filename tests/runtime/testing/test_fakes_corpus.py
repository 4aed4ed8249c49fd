"""The fake of every recorded server: each method is known, and generated values are valid."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from checkers import slug, write
from mcpgen_runtime.testing import method_targets
from paths import CORPUS

from mcpgen.codegen.pipeline import Generated, Options, generate
from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import loads
from mcpgen.schemas.validation import schemas

SERVERS = sorted(path.stem for path in (CORPUS / "live").glob("*.json"))
ODD = {"cocal__google-calendar-mcp", "mcp-server-time", "pinecone-database__mcp"}
"""Small servers, two of which have output schemas; the others are asked in slow tests."""

pytestmark = pytest.mark.skipif(
    not SERVERS, reason=f"no recorded servers in {CORPUS}; MCPGEN_CORPUS says where they are"
)


@pytest.fixture
def package(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Contract, Generated]]:
    """The contract of a server, and its importable package."""
    contract = read(loads((CORPUS / "live" / f"{request.param}.json").read_bytes()))
    generated_package = generate(contract, Options(name=slug(request.param)))
    write(generated_package.files, tmp_path / generated_package.package)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield contract, generated_package
    for name in [name for name in sys.modules if name.split(".")[0] == generated_package.package]:
        del sys.modules[name]


@pytest.mark.parametrize(
    "package",
    [
        pytest.param(server, id=server, marks=() if server in ODD else pytest.mark.slow)
        for server in SERVERS
    ],
    indirect=True,
)
def test_generated_result_satisfies_the_output_schema(
    package: tuple[Contract, Generated],
) -> None:
    contract, generated_package = package
    fake = importlib.import_module(generated_package.package).Client.fake("generate")
    anyio.run(ask_all, fake, contract, generated_package)


async def ask_all(fake: Any, contract: Contract, generated_package: Generated) -> None:
    """Call each tool as a client does after validating arguments."""
    session = fake._connection.session.sdk
    for tool, name in zip(sorted(contract.tools), generated_package.tools, strict=True):
        method = getattr(fake, name)
        assert method_targets.target_of(fake, method).name == tool
        result = await session.call_tool(tool, {})
        assert fake.calls(method)[0].result is not None
        schema = schema_of(contract, tool)
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


def schema_of(contract: Contract, tool: str) -> Any:
    """Return the output schema of a tool."""
    raw: Any = contract.tools[tool]
    return raw.get("outputSchema")
