"""Generated clients against the mock, over every recorded server, in both eras."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import typing
from typing import Any

import anyio
import pytest
from calling import call, models, parameters_of
from mcp import Client
from paths import CORPUS
from recorded_servers import ODD, SERVERS, UNCALLABLE, contract
from skeletons import MODES, list_everything, recorded_lists

from mcpgen.codegen.pipeline import Generated
from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json, loads
from mcpgen.schemas.examples import example
from mcpgen.schemas.validation import schemas
from mcpgen.testing import mock

ERAS = ("legacy", "2026-07-28")
# Each tool is called in one of the eras, in both with MCPGEN_ALL=1.
STEP = 1 if "MCPGEN_ALL" in os.environ else len(ERAS)

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
def test_every_tool_is_called_and_every_wrong_call_refused(server: str, package: Generated) -> None:
    for era in ERAS:
        anyio.run(call_all, package, contract(server), era)


@pytest.mark.sampled(23)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("server", SERVERS)
def test_it_offers_what_was_recorded_in_the_order_of_the_recording(server: str, mode: str) -> None:
    document = loads((CORPUS / "live" / f"{server}.json").read_bytes())
    lists = anyio.run(list_everything, mock.server(contract(server)), mode)
    assert lists == recorded_lists(document, mode)


async def call_all(package: Generated, recorded_contract: Contract, era: str) -> None:
    module = importlib.import_module(package.package)
    parameters = parameters_of(package)
    async with (
        Client(mock.server(recorded_contract), mode=era) as sdk,
        module.Client.connect(sdk, verify="off") as client,
    ):
        both = zip(sorted(recorded_contract.tools), package.tools, strict=True)
        for tool, method in [*both][ERAS.index(era) % STEP :: STEP]:
            names = parameters[method]
            schema = asked(recorded_contract.tools[tool])
            if tool in UNCALLABLE:
                continue
            right = given(schema, names)
            judge(module, method, await call(client, method, names, right))
            wrong = broken(schema, right)
            if wrong is None:
                continue
            with pytest.raises(module.InvalidArguments):
                await call(client, method, names, wrong)
            forced = await client.session.call_tool(tool, wrong)
            assert forced.is_error, tool
            assert forced.content[0].text.startswith(f"invalid arguments for {tool}\n/")


def asked(tool: Any) -> Json:
    return {**tool["inputSchema"], "type": "object"}


def given(schema: Json, names: dict[str, str] | None) -> dict[str, Json]:
    """Return arguments that the schema allows and the method has parameters for."""
    value = example(schema)
    return value if names is None else {n: v for n, v in value.items() if n in names}


def broken(schema: Json, right: dict[str, Json]) -> dict[str, Json] | None:
    """Return arguments with one value that violates the schema, or None if all are allowed."""
    check = schemas.validator(schema)
    for name in right:
        for value in ({"no": ["such", "thing"]}, "nothing of the kind", -0.5):
            with contextlib.suppress(re.error):
                if not check.is_valid({**right, name: value}):
                    return {**right, name: value}
    return None


def judge(module: Any, method: str, result: Any) -> None:
    """Assert that a result is of the type that its method promises."""
    promised = models(module, method)
    if promised.TOOL.result is None:
        assert isinstance(result, module.ToolResult)
        assert result.text
        return
    returns = typing.get_type_hints(getattr(module.Client, method))["return"]
    if isinstance(returns, type):
        assert isinstance(result, returns), method
    else:
        promised.TOOL.result.validate_python(result)
