"""Every recorded server of the corpus becomes a package that imports, type-checks and calls."""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from calling import call_all
from checkers import typed, write
from paths import CORPUS
from recorded_servers import ODD, SERVERS, UNCALLABLE, client_of, contract, generate_client
from stand_in import StandIn

from mcpgen.codegen import naming
from mcpgen.codegen.pipeline import STYLES, Generated, Style
from mcpgen.contract.definitions import Api, parse
from mcpgen.contract.document import Contract
from mcpgen.errors import Notice
from mcpgen.jsontext import Json
from mcpgen.schemas.validation import references

pytestmark = pytest.mark.skipif(
    not SERVERS, reason=f"no recorded servers in {CORPUS}; MCPGEN_CORPUS says where they are"
)


def packages(folder: Path, style: Style = "dataclass", every: int = 1) -> Path:
    """Write the packages of all servers into a folder, or of some where that is enough."""
    for server in SERVERS[:: 1 if "MCPGEN_ALL" in os.environ else every]:
        package = generate_client(server, style) if style != "dataclass" else client_of(server)[1]
        write(package.files, folder / package.package)
    return folder


# Notices about a server's tools


@pytest.mark.slow
def test_a_tool_stays_plain_json_only_where_it_has_no_valid_schema(
    capsys: pytest.CaptureFixture[str],
) -> None:
    apis = {server: parse(contract(server)) for server in SERVERS}
    plain = [(server, notice) for server in SERVERS for notice in kept_plain(apis[server])]
    with capsys.disabled():
        print(f"\n{summary(apis, plain)}", file=sys.stderr)
    for server, notice in plain:
        assert not is_usable(schema_at(contract(server), notice.pointer)), f"{server}: {notice}"


def kept_plain(api: Api) -> list[Notice]:
    return [notice for notice in api.notices if notice.kind in ("no input schema", "no schema")]


def schema_at(recorded_contract: Contract, pointer: str) -> Json:
    """Return the part of a tool's schema that a notice is about."""
    _, _, tool, direction, *_ = pointer.split("/")
    return recorded_contract.tools[tool.replace("~1", "/").replace("~0", "~")].get(direction)


def is_usable(schema: Json) -> bool:
    """Return True if a schema is valid in the dialect that it names, by jsonschema."""
    if not isinstance(schema, dict):
        return False
    dialect: Any = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
    try:
        dialect.check_schema(schema)
    except jsonschema.SchemaError:
        return False
    return True


def summary(apis: Mapping[str, Api], plain: list[tuple[str, Notice]]) -> str:
    tools = [tool for api in apis.values() for tool in api.tools]
    bare = [tool for tool in tools if tool.input and tool.input.raw.keys() <= {"$schema"}]
    kinds = Counter(notice.kind for api in apis.values() for notice in api.notices)
    messages = [
        f"corpus: {len(apis)} servers, {len(tools)} tools, none left out",
        f"  output schemas: {sum(tool.output is not None for tool in tools)} typed,"
        f" of which {sum(tool.wrapped for tool in tools)} are unwrapped",
        *(f"  notices of {kind}: {count}" for kind, count in sorted(kinds.items())),
        f"  methods without parameters, as the schema names no argument: {len(bare)}",
        f"  schemas left as plain JSON: {len(plain)}",
        *(f"    {server} {notice.pointer}: {notice.reason}" for server, notice in plain),
    ]
    return "\n".join(messages)


# What is written


@pytest.mark.slow
def test_black_changes_nothing_in_any_package(tmp_path: Path) -> None:
    folder = packages(tmp_path, every=9)
    for copy in sorted(folder.glob("*/_runtime"))[1:]:  # which is the same in all
        shutil.rmtree(copy)
    options = ["--check", "--quiet", "--line-length", "88", "--target-version", "py310"]
    run = subprocess.run(
        [sys.executable, "-m", "black", *options, "--verbose", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


@typed()
def third(folder: Path) -> None:
    packages(folder, every=3)


@pytest.mark.slow
def test_pyright_is_silent_on_every_package() -> None:
    assert third.pyright() == []


IMPORT_ALL = """\
import importlib, sys
from pathlib import Path

sys.path.insert(0, ".")
first = min(Path().iterdir())
for path in sorted(Path().rglob("*.py")):
    if "_runtime" in path.parts and first not in path.parents:
        continue  # the runtime is the same in all
    name = ".".join(path.with_suffix("").parts)
    importlib.import_module(name.removesuffix(".__init__"))
print(len(sys.modules))
"""


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_every_module_imports_without_a_warning(style: Style, tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", IMPORT_ALL],
        capture_output=True,
        text=True,
        check=False,
        cwd=packages(tmp_path, style, every=12),
    )
    assert run.returncode == 0, run.stderr


# How methods are called


def some(server: str) -> Any:
    """Return a server as a parameter, in slow tests unless its schemas are unusual."""
    return pytest.param(server, server, id=server, marks=() if server in ODD else pytest.mark.slow)


class Sent:
    """A connection that returns the arguments of a call by their JSON names."""

    async def call(self, name: str, arguments: Mapping[str, object], *_: object) -> Any:
        return name, dict(arguments)


@pytest.mark.slow
@pytest.mark.parametrize(("server", "package"), [*map(some, SERVERS)], indirect=["package"])
def test_the_parameters_of_a_method_are_those_of_the_schema_and_no_others(
    server: str, package: Generated
) -> None:
    module: Any = importlib.import_module(package.package)
    client = module.Client(Sent())
    api = parse(contract(server))
    for tool, name in zip(api.tools, method_names(server), strict=True):
        method = getattr(client, name)
        parameters = inspect.signature(method).parameters
        waiting = inspect.signature(getattr(module.Client.sync, name)).parameters
        assert [*waiting] == ["self", *parameters]
        assert {parameter.kind for parameter in parameters.values()} <= {
            inspect.Parameter.KEYWORD_ONLY
        }
        declared = properties(tool.input.raw if tool.input else {})
        if [*parameters] == ["arguments"] and "arguments" not in declared:
            assert declared == set()
            continue
        wire, payload = anyio.run(
            functools.partial(method, **{parameter: parameter for parameter in parameters})
        )
        assert wire == tool.name
        assert payload.keys() == declared
        assert {*payload.values()} == {*parameters}
        for item in ("timeout", "meta", "on_progress"):
            assert payload.get(item, item) == item


def method_names(server: str) -> list[str]:
    recorded_contract = contract(server)
    names = naming.methods(
        (tool.name for tool in parse(recorded_contract).tools), recorded_contract.names
    )
    return [names[tool.name] for tool in parse(recorded_contract).tools]


def properties(schema: Any) -> set[str]:
    """Return the properties that a schema and its subschemas name."""
    names: set[str] = set()
    waiting, visited = [schema], list[Any]()
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict) or any(part is other for other in visited):
            continue
        visited.append(part)
        names |= {*part.get("properties", {}), *part.get("required", [])}
        if "$ref" in part:
            waiting += (references.resolve(schema, part["$ref"]) or (None, None))[1:]
        for keyword in ("allOf", "anyOf", "oneOf"):
            waiting += part.get(keyword, [])
    return names


# What is sent and received


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("server", "package"), [*map(some, SERVERS)], indirect=["package"])
def test_arguments_arrive_as_given_and_results_return_as_sent(
    server: str, package: Generated
) -> None:
    stand_in = StandIn(contract(server))
    anyio.run(call_all, package, stand_in, UNCALLABLE)
