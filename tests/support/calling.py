"""Calls every tool of a generated package and compares arguments and results."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import json
from collections.abc import Collection, Iterator, Mapping
from types import ModuleType
from typing import Any, get_type_hints

import pytest
from instances import instance
from stand_in import StandIn, answers

from mcpgen.codegen import naming
from mcpgen.codegen.pipeline import Generated
from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json
from mcpgen.schemas.validation import schemas


async def call_all(
    package: Generated,
    stand_in: StandIn,
    uncallable: Mapping[str, Json],
    skipped: Collection[str] = (),
) -> None:
    """Call each tool with all arguments, and again with the required ones.

    ``uncallable`` maps tools without valid arguments to invalid ones to try.
    """
    module = importlib.import_module(package.package)
    parameters = parameters_of(package)
    async with module.Client.connect(stand_in.server, verify="off") as client:
        for tool, method in zip(sorted(stand_in.contract.tools), package.tools, strict=True):
            if tool in skipped:
                continue
            if tool in uncallable:
                with pytest.raises(module.InvalidArguments):
                    await getattr(client, method)(**uncallable[tool])
                continue
            for full in (True, False):
                value = arguments(stand_in.contract.tools[tool], parameters[method], full)
                result = await call(client, method, parameters[method], value)
                assert same(stand_in.calls.pop(tool), value), tool
                judge(module, method, result, promise(stand_in.contract, tool))


def parameters_of(package: Generated) -> dict[str, dict[str, str] | None]:
    """Return the Python names of each method's arguments by wire name, or None for plain JSON."""
    result: dict[str, dict[str, str] | None] = {}
    for method in methods(package):
        node = sent_by(method)
        result[method.name] = python_names(node) if isinstance(node, ast.Dict) else None
    return result


def methods(package: Generated) -> Iterator[ast.AsyncFunctionDef]:
    """Yield the methods of the client, in whichever file they are."""
    for path, text in package.files.items():
        if path == "client.py" or path.startswith("tools/"):
            classes = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
            for node in classes:
                if node.name == package.client or path != "client.py":
                    yield from (m for m in node.body if isinstance(m, ast.AsyncFunctionDef))


def sent_by(method: ast.AsyncFunctionDef) -> ast.expr:
    """Return the arguments that a method passes to ``self._call``."""
    calls = [node for node in ast.walk(method) if isinstance(node, ast.Call)]
    call = next(node for node in calls if ast.unparse(node.func) == "self._call")
    return call.args[1]


def python_names(payload: ast.Dict) -> dict[str, str]:
    pairs = zip(payload.keys, payload.values, strict=True)
    return {ast.literal_eval(key): ast.unparse(value) for key, value in pairs if key is not None}


def arguments(tool: Mapping[str, Json], names: dict[str, str] | None, full: bool) -> Json:
    """Return arguments that the tool's schema allows and its method has parameters for."""
    free: Json = {"anything": [1, None]}
    if names is None and _admits(tool.get("inputSchema"), free):
        return free
    options = instance({**tool["inputSchema"], "type": "object"}, full=full)
    return {wire: value for wire, value in options.items() if names is None or wire in names}


def _admits(schema: Json, value: Json) -> bool:
    is_usable = isinstance(schema, dict) and schemas.problem(schema) is None
    return not is_usable or schemas.validator(schema).is_valid(value)


async def call(client: Any, method: str, names: dict[str, str] | None, options: Json) -> Any:
    keywords = (
        {"arguments": options}
        if names is None
        else {names[wire]: value for wire, value in options.items()}
    )
    return await getattr(client, method)(**keywords)


def same(rest: Json, right: Json) -> bool:
    """Compare JSON with its types: 1 is neither 1.0 nor true."""
    return json.dumps(rest, sort_keys=True) == json.dumps(right, sort_keys=True)


def promise(contract: Contract, tool: str) -> Mapping[str, Json]:
    """Return a tool with the schema of its results, declared or observed."""
    observed = contract.observed.get(tool)
    if observed is None:
        return contract.tools[tool]
    return {**contract.tools[tool], "outputSchema": observed.get("schema")}


def judge(module: ModuleType, method: str, result: Any, tool: Mapping[str, Json]) -> None:
    """Assert that a result is of the type that its method promises, and has lost nothing."""
    promised = models(module, method)
    if promised.TOOL.result is None:
        text = result if promised.TOOL.observed else result.text
        assert (type(text), text) == (str, "done")
        return
    answer = answers(tool["outputSchema"])
    raw = answer["result"] if promised.TOOL.unwrap and not promised.TOOL.observed else answer
    assert same(module.raw_json(result), raw), method
    returns = get_type_hints(getattr(module.Client, method))["return"]
    if dataclasses.is_dataclass(returns):
        assert isinstance(result, returns), method
    else:
        promised.TOOL.result.validate_python(result)


def models(module: ModuleType, method: str) -> ModuleType:
    return importlib.import_module(f"{module.__name__}.models.{naming.module(method)}")
