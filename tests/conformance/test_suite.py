"""A generated client accepts exactly the values that the JSON Schema Test Suite accepts.

Each schema becomes the property ``value`` of a tool's input schema and output schema, and the root
of both. Arguments pass through the generated methods to a server that records them.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import pytest
from checkers import write
from mcp import types
from mcp.server import Server, ServerRequestContext
from mcpgen_runtime.models import values
from mcpgen_runtime.package import package_of_module
from mcpgen_runtime.validation import schemas as runtime_schemas
from mcpgen_runtime.validation.keywords import native
from paths import ROOT
from suite import DIALECTS, OLD_DIALECTS, Case, as_property, as_root, cases, fetch, is_remote

from mcpgen.codegen.pipeline import STYLES, Options, Style, generate
from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json
from mcpgen.schemas.validation import schemas

pytestmark = [pytest.mark.network, pytest.mark.slow]

# In CI, intermediate drafts are tested in one style. MCPGEN_ALL=1 tests every style.
ASKED = [
    (draft, style)
    for draft in DIALECTS
    for style in STYLES
    if "MCPGEN_ALL" in os.environ or style == "dataclass" or draft != "draft2019-09"
]

PROMISES = ROOT / "docs" / "guarantees.md"


@dataclass
class Echo:
    """A server that records its requests and returns configured results."""

    received: Json = None
    answer: Json = None

    def server(self) -> Server[Any]:
        return Server("echo", on_call_tool=self.call, on_list_tools=self.list)

    async def list(self, ctx: ServerRequestContext[Any], params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[])

    async def call(
        self, ctx: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        self.received = params.arguments
        return types.CallToolResult(content=[], structured_content=self.answer)


@dataclass
class Verdicts:
    """Counts agreements of package and suite by keyword, and lists every disagreement."""

    agreed: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    wrong: list[str] = field(default_factory=list)

    def note(self, case: Case, pointer: str, description: str, problem: str) -> None:
        if problem:
            self.wrong.append(f"{case.name}: {description} ({pointer}): {problem}")
        else:
            self.agreed[case.keyword][case.draft] += 1


@pytest.fixture(scope="module")
def tests(cache: Path) -> Path:
    return fetch(cache)


def tools(value: list[Case]) -> dict[str, Mapping[str, Json]]:
    plain: Json = {"type": "object"}
    package: dict[str, Mapping[str, Json]] = {}
    for number, case in enumerate(value):
        inside, root = as_property(case), as_root(case)
        arguments = root if is_object(root) else plain
        package[f"inside{number}"] = {"inputSchema": inside, "outputSchema": inside}
        package[f"root{number}"] = {"inputSchema": arguments, "outputSchema": root}
    return {name: {"name": name, **tool} for name, tool in package.items()}


def is_object(schema: Json) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "object"


@pytest.mark.parametrize(("draft", "style"), ASKED)
def test_verdicts_agree_and_values_arrive_unchanged(
    draft: str, style: Style, tests: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = [case for case in cases(tests, draft) if not is_remote(case)]
    contract = Contract(tools=tools(results), revision="2026-07-28")
    generated_package = generate(
        contract, Options(name=f"suite_{draft.replace('-', '_')}", style=style)
    )
    assert not [notice for notice in generated_package.notices if notice.kind == "no schema"]
    write(generated_package.files, tmp_path / generated_package.package)
    monkeypatch.syspath_prepend(str(tmp_path))
    with_it, without_it = Verdicts(), Verdicts()
    try:
        package = importlib.import_module(generated_package.package)
        anyio.run(judge, package, results, with_it)
        take_away_jsonschema_rs(monkeypatch)
        anyio.run(judge, package, results, without_it)
    finally:
        for name in [
            name for name in sys.modules if name.split(".")[0] == generated_package.package
        ]:
            del sys.modules[name]
    assert with_it.wrong == without_it.wrong == []
    if style == "dataclass":
        assert documented_counts(draft) == {
            k: counts[draft] for k, counts in with_it.agreed.items()
        }


def take_away_jsonschema_rs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a package run without jsonschema-rs after it ran with it."""
    assert native._library() is not None
    monkeypatch.setattr(native, "_library", lambda: None)
    runtime_schemas._judge.cache_clear()


async def judge(package: ModuleType, value: list[Case], verdicts: Verdicts) -> None:
    echo = Echo()
    async with package.Client.connect(echo.server(), verify="off") as client:
        for number, case in enumerate(value):
            for description, data, is_valid in case.tests:
                problems = {
                    "argument": await argument(client, echo, number, data, is_valid),
                    "member": await result(client, f"inside{number}", data, is_valid),
                    "result": await result(client, f"root{number}", data, is_valid),
                }
                if is_object(as_root(case)) and isinstance(data, dict):
                    problems["root"] = await arguments(client, echo, number, data, is_valid)
                for pointer, problem in problems.items():
                    verdicts.note(case, pointer, description, problem)


async def argument(client: Any, echo: Echo, number: int, data: Json, is_valid: bool) -> str:
    echo.received = None
    method = getattr(client, f"inside{number}")
    package = sys.modules[client_package(client)]
    try:
        with contextlib.suppress(package.InvalidResult):  # the answer is empty
            await method(value=data)
    except package.InvalidArguments as error:
        return describe_rejection(is_valid, echo.received is not None, str(error))
    return describe_acceptance(is_valid, echo.received, {"value": data})


async def arguments(client: Any, echo: Echo, number: int, data: Json, is_valid: bool) -> str:
    echo.received = None
    package = sys.modules[client_package(client)]
    try:
        with contextlib.suppress(package.InvalidResult):  # the answer is empty
            await client.call(f"root{number}", data)
    except package.InvalidArguments as error:
        return describe_rejection(is_valid, echo.received is not None, str(error))
    return describe_acceptance(is_valid, echo.received, data)


async def result(client: Any, tool: str, data: Json, is_valid: bool) -> str:
    """Pass a tool's result to the runtime as received from the network."""
    package = client_package(client)
    existing = package_of_module(package).tool(tool)
    raw = {"value": data} if tool.startswith("inside") else data
    answer = types.CallToolResult(content=[], structured_content=raw)
    try:
        value = values.decode_result(existing, answer)
    except sys.modules[package].InvalidResult as error:
        return describe_rejection(is_valid, False, str(error))
    return describe_acceptance(is_valid, sys.modules[package].raw_json(value), raw)


def client_package(client: Any) -> str:
    return str(type(client).__module__).split(".", maxsplit=1)[0]


def describe_rejection(is_valid: bool, was_sent: bool, error: str) -> str:
    if was_sent:
        return "refused, but sent"
    return f"refused: {error}" if is_valid else ""


def describe_acceptance(is_valid: bool, value: Json, expected: Json) -> str:
    if not is_valid:
        return "accepted"
    same = json.dumps(value, sort_keys=True) == json.dumps(expected, sort_keys=True)
    return "" if same else f"{expected!r} became {value!r}"


@pytest.mark.parametrize("library", ["jsonschema-rs", "jsonschema"])
@pytest.mark.parametrize("draft", DIALECTS | OLD_DIALECTS)
def test_raw_schema_verdicts_equal_the_suites_in_every_draft(
    draft: str, library: str, tests: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if library == "jsonschema":
        monkeypatch.setattr(native, "_library", lambda: None)
    wrong: list[str] = []
    results = list(cases(tests, draft))
    for case in results:
        schema = as_root(case)
        problem = schemas.problem(schema)
        if problem is not None:
            wrong += [case.name] * (not re.search("leaves the document|unknown", problem.reason))
            continue
        judge = schemas.SchemaValidator(schema)
        message = ((text, judge.allows(data), is_valid) for text, data, is_valid in case.tests)
        wrong += [
            f"{case.name}: {text}" for text, verdict, is_valid in message if verdict != is_valid
        ]
    assert len(results) > 100
    assert wrong == []


def documented_counts(draft: str) -> dict[str, int]:
    """Return the column of a draft in the documentation's table of verdicts."""
    column = list(DIALECTS).index(draft) + 2
    rows = re.findall(r"^\|.*\|$", PROMISES.read_text("utf-8"), re.MULTILINE)
    cells = [[cell.strip().replace(",", "") for cell in row.split("|")] for row in rows]
    return {row[1].strip("`"): int(row[column]) for row in cells if row[column:][0].isdecimal()}


@pytest.mark.parametrize("draft", DIALECTS)
def test_external_reference_is_rejected_and_named(draft: str, tests: Path) -> None:
    results = [case for case in cases(tests, draft) if is_remote(case)]
    assert results
    contract = Contract(
        tools={
            f"t{number}": {
                "name": f"t{number}",
                "inputSchema": {"type": "object"},
                "outputSchema": as_root(case),
            }
            for number, case in enumerate(results)
        }
    )
    notices = generate(contract, Options(name="remote")).notices
    refused = {notice.pointer.split("/")[2]: notice.reason for notice in notices}
    assert refused.keys() == contract.tools.keys()
    assert all("leaves the document" in r or "unknown" in r for r in refused.values()), refused
