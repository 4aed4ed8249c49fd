"""Every recorded server of the corpus becomes a package that imports, type-checks and calls."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import jsonschema
import pytest
from checkers import pyright, slug, write
from conftest import CORPUS
from instances import instance
from stand_in import StandIn, answers

from mcpgen.api import Api, parse
from mcpgen.contract import Contract, Json, loads, read
from mcpgen.errors import Notice
from mcpgen.pipeline import STYLES, Generated, Options, Style, generate

SERVERS = sorted(path.stem for path in (CORPUS / "live").glob("*.json"))
ODD = {
    "cocal__google-calendar-mcp",
    "ivotoby__openapi-mcp-server",
    "mcp-server-time",
    "metabase-ai-assistant",
    "modelcontextprotocol__server-gitlab",
    "modelcontextprotocol__server-memory",
    "netlify__mcp",
    "pinecone-database__mcp",
}
"""Small servers with unusual schemas; the others are called in slow tests."""

UNCALLABLE = {"netlify-coding-rules": {"creation_type": "any"}}
"""Tools without valid arguments: here a required member is one of an empty ``enum``."""

pytestmark = pytest.mark.skipif(
    not SERVERS, reason=f"no recorded servers in {CORPUS}; MCPGEN_CORPUS says where they are"
)


@cache
def contract(server: str) -> Contract:
    return read(loads((CORPUS / "live" / f"{server}.json").read_bytes()))


def generated(server: str, style: Style = "dataclass") -> Generated:
    return generate(contract(server), Options(name=slug(server), style=style))


def packages(folder: Path, style: Style = "dataclass") -> Path:
    """Write the packages of all servers into a folder."""
    for server in SERVERS:
        package = generated(server, style)
        write(package.files, folder / package.package)
    return folder


# What is said of a server's tools


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


def schema_at(given: Contract, pointer: str) -> Json:
    """Return the schema of a tool that a notice is about."""
    _, _, tool, side, *_ = pointer.split("/")
    return given.tools[tool.replace("~1", "/").replace("~0", "~")].get(side)


def is_usable(schema: Json) -> bool:
    """Say whether a schema is valid by the dialect that it names, as jsonschema reads it."""
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
    said = [
        f"corpus: {len(apis)} servers, {len(tools)} tools, none left out",
        f"  output schemas: {sum(tool.output is not None for tool in tools)} typed,"
        f" of which {sum(tool.wrapped for tool in tools)} are unwrapped",
        *(f"  notices of {kind}: {count}" for kind, count in sorted(kinds.items())),
        f"  methods without parameters, as the schema names no argument: {len(bare)}",
        f"  schemas left as plain JSON: {len(plain)}",
        *(f"    {server} {notice.pointer}: {notice.reason}" for server, notice in plain),
    ]
    return "\n".join(said)


# What is written


@pytest.mark.slow
def test_black_changes_nothing_in_any_package(tmp_path: Path) -> None:
    folder = packages(tmp_path)
    options = ["--check", "--quiet", "--line-length", "88", "--target-version", "py310"]
    run = subprocess.run(
        [sys.executable, "-m", "black", *options, "--verbose", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.slow
def test_pyright_is_silent_on_every_package(tmp_path: Path) -> None:
    assert pyright(packages(tmp_path)) == []


IMPORT_ALL = """\
import importlib, sys
from pathlib import Path

sys.path.insert(0, ".")
for path in sorted(Path().rglob("*.py")):
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
        cwd=packages(tmp_path, style),
    )
    assert run.returncode == 0, run.stderr


# What is sent and received


@pytest.fixture
def package(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Generated]:
    """The package of a server, where it can be imported."""
    made = generated(request.param)
    write(made.files, tmp_path / made.package)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield made
    for name in [name for name in sys.modules if name.split(".")[0] == made.package]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("server", "package"),
    [
        pytest.param(server, server, id=server, marks=() if server in ODD else pytest.mark.slow)
        for server in SERVERS
    ],
    indirect=["package"],
)
def test_arguments_arrive_as_given_and_results_return_as_sent(
    server: str, package: Generated
) -> None:
    stand_in = StandIn(contract(server))
    anyio.run(call_all, package, stand_in)


async def call_all(package: Generated, stand_in: StandIn) -> None:
    module = importlib.import_module(package.package)
    parameters = parameters_of(package)
    async with module.Client.connect(stand_in.server, verify="off") as client:
        for tool, method in zip(sorted(stand_in.contract.tools), package.tools, strict=True):
            if tool in UNCALLABLE:
                with pytest.raises(module.InvalidArguments):
                    await getattr(client, method)(**UNCALLABLE[tool])
                continue
            for full in (True, False):
                given = arguments(stand_in.contract.tools[tool], parameters[method], full)
                result = await call(client, method, parameters[method], given)
                assert same(stand_in.calls.pop(tool), given), tool
                judge(module, method, result, stand_in.contract.tools[tool])


def parameters_of(package: Generated) -> dict[str, dict[str, str] | None]:
    """Return how the members on the wire are called in each method; ``None`` for plain JSON."""
    tree = ast.parse(package.files["client.py"])
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    client = next(node for node in classes if node.name == package.client)
    found: dict[str, dict[str, str] | None] = {}
    for method in client.body:
        if isinstance(method, ast.AsyncFunctionDef):
            sent = sent_by(method)
            found[method.name] = named(sent) if isinstance(sent, ast.Dict) else None
    return found


def sent_by(method: ast.AsyncFunctionDef) -> ast.expr:
    """Return what a method gives to ``self._call`` as arguments."""
    calls = [node for node in ast.walk(method) if isinstance(node, ast.Call)]
    call = next(node for node in calls if ast.unparse(node.func) == "self._call")
    return call.args[1]


def named(sent: ast.Dict) -> dict[str, str]:
    pairs = zip(sent.keys, sent.values, strict=True)
    return {ast.literal_eval(key): ast.unparse(value) for key, value in pairs if key is not None}


def arguments(tool: Mapping[str, Json], names: dict[str, str] | None, full: bool) -> Json:
    """Return arguments that the tool's schema allows and its method has parameters for."""
    given = instance({**tool["inputSchema"], "type": "object"}, full=full)
    if names is None:
        return given
    return {wire: value for wire, value in given.items() if wire in names}


async def call(client: Any, method: str, names: dict[str, str] | None, given: Json) -> Any:
    keywords = (
        {"arguments": given}
        if names is None
        else {names[wire]: value for wire, value in given.items()}
    )
    return await getattr(client, method)(**keywords)


def same(left: Json, right: Json) -> bool:
    """Compare JSON with its types: 1 is neither 1.0 nor true."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def judge(module: ModuleType, method: str, result: Any, tool: Mapping[str, Json]) -> None:
    """Assert that a result is of the type that its method promises, and has lost nothing."""
    promised = models(module, method)
    if promised.TOOL.result is None:
        assert isinstance(result, module.ToolResult)
        assert result.text == "done"
        return
    answer = answers(tool["outputSchema"])
    raw = answer["result"] if promised.TOOL.unwrap else answer
    assert same(module.raw_json(result), raw), method
    returns = getattr(promised, getattr(module.Client, method).__annotations__["return"])
    if isinstance(returns, type):
        assert isinstance(result, returns), method
    else:
        promised.TOOL.result.validate_python(result)


def models(module: ModuleType, method: str) -> ModuleType:
    from mcpgen import naming

    return importlib.import_module(f"{module.__name__}.models.{naming.module(method)}")
