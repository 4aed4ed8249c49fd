"""No contract causes endless work or needs a gigabyte, and a hostile tool affects no other tool."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hostile_patterns
import pytest
from guards import ENDLESS
from paths import ROOT, SUPPORT

from mcpgen import jsontext
from mcpgen.contract import document as contract

Json = Any
MEBIBYTES = 1024

# Generates in a process with limits and prints tools and notices.
SCRIPT = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds} + 5))
resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
from mcpgen import contract, jsontext
from mcpgen.codegen import pipeline
from mcpgen.errors import McpgenError
text = sys.stdin.buffer.read()
try:
    document = jsontext.loads(text)
    found = contract.left_out(document)
    made = pipeline.generate(contract.read(document))
except McpgenError as error:
    print(json.dumps({{"error": str(error)}}))
else:
    notices = [f"{{each.pointer[:60]}}: {{each.reason}}" for each in [*found, *made.notices]]
    print(json.dumps({{"tools": made.tools, "notices": notices[:9]}}))
"""

FINE: Json = {"name": "fine", "inputSchema": {"type": "object", "properties": {"a": {}}}}


def tool(schema: Json, **more: Json) -> Json:
    return {"name": "bad", "inputSchema": schema, **more}


def tool_with(schema: Json) -> Json:
    return tool({"type": "object", "properties": {"v": schema}})


def nest(levels: int, wrap: Callable[[Json], Json], schema: Json) -> Json:
    for _ in range(levels):
        schema = wrap(schema)
    return schema


def chain(length: int, link: Callable[[Json], Json], end: Json) -> Json:
    """Return a tool whose schema refers to definitions, each made of the next one."""
    links = {f"d{i}": link({"$ref": f"#/$defs/d{i + 1}"}) for i in range(length)}
    definitions = {**links, f"d{length}": end}
    return tool(
        {"type": "object", "properties": {"v": {"$ref": "#/$defs/d0"}}, "$defs": definitions}
    )


TEXT: Json = {"type": "string"}
DEEP: dict[str, Callable[[Json], Json]] = {
    "objects": lambda s: {"type": "object", "properties": {"p": s}},
    "arrays": lambda s: {"type": "array", "items": s},
    "anyOf": lambda s: {"anyOf": [s, {"type": "null"}]},
    "allOf": lambda s: {"allOf": [s]},
    "maps": lambda s: {"type": "object", "additionalProperties": s},
    "not": lambda s: {"not": s},
}


def cases() -> Iterator[tuple[str, Callable[[], list[Json]]]]:
    """Yield cases that a test builds on demand, because some are 10 MB long."""
    for name, wrap in DEEP.items():
        yield f"600 {name}", lambda wrap=wrap: [tool_with(nest(600, wrap, TEXT))]
        yield f"5000 {name}", lambda wrap=wrap: [tool_with(nest(5000, wrap, TEXT))]
        yield f"600 references of {name}", lambda wrap=wrap: [chain(600, wrap, TEXT)]
    yield "600 references", lambda: [chain(600, lambda s: s, TEXT)]
    yield "600 in a default", lambda: [tool_with({"default": nest(600, lambda v: [v], 1)})]
    yield "600 in _meta", lambda: [tool({"type": "object"}, _meta=nest(600, DEEP["maps"], 1))]
    yield "allOf itself", lambda: [tool({"type": "object", "allOf": [{"$ref": "#"}]})]
    yield "5000 properties", lambda: [tool(_properties(5_000, TEXT))]
    yield (
        "5000 renamed",
        lambda: [tool(_properties(5_000, {"type": "integer", "minimum": 1}, "P-"))],
    )
    yield "5000 members", lambda: [tool(_properties(5_000, _properties(1, TEXT)))]
    yield "5000 results", lambda: [tool({"type": "object"}, outputSchema=_properties(5_000, TEXT))]
    yield "5000 alike", lambda: [tool({"type": "object", "properties": _alike(2_000)})]
    for name, text in {"words": "word ", "lines": "\n", "tabs": "\t", "bidi": "\u202e"}.items():
        size = 10_000_000 // len(text.encode())
        yield (
            f"10 MB of {name}",
            lambda t=text, n=size: [tool({"type": "object"}, description=t * n)],
        )
        yield f"10 MB of {name} inside", lambda t=text, n=size: [tool_with({"description": t * n})]
    yield "100000 texts", lambda: [tool_with({"enum": [f"value{i}" for i in range(100_000)]})]
    yield "100000 numbers", lambda: [tool_with({"enum": list(range(100_000))})]
    yield "100000 objects", lambda: [tool_with({"enum": [{"a": i} for i in range(100_000)]})]
    yield "a long value", lambda: [tool_with({"enum": ["x" * 10_000_000]})]
    yield "a long name", lambda: [{**tool({"type": "object"}), "name": "nA_" * 3_000_000}]
    yield "long properties", lambda: [tool(_properties(3, _properties(1, TEXT), "n-" * 300_000))]
    yield (
        "a long title",
        lambda: [tool_with({**_properties(1, TEXT), "title": "Word " * 2_000_000})],
    )
    yield "a long default", lambda: [tool_with({"type": "array", "default": ["x" * 100] * 100_000})]
    yield "10 MB of _meta", lambda: [tool({"type": "object"}, _meta={"a": "x" * 10_000_000})]
    yield "a long pattern", lambda: [tool_with({"type": "string", "pattern": "(a+)+" * 200_000})]
    yield "large numbers", lambda: [tool_with({"minimum": -(10**4000), "enum": [10**4000]})]
    yield "doubled properties", lambda: [chain(100, _two_properties, TEXT)]
    yield "doubled allOf", lambda: [chain(100, lambda s: {"allOf": [s, s]}, TEXT)]
    yield "3000 tools", lambda: [{**tool_with(TEXT), "name": f"t{i}"} for i in range(3_000)]
    yield (
        "3000 tools alike",
        lambda: [{**tool_with(TEXT), "name": "t" + "-" * i} for i in range(3_000)],
    )


def _properties(count: int, schema: Json, name: str = "p") -> Json:
    return {"type": "object", "properties": {f"{name}{i}": schema for i in range(count)}}


def _alike(count: int) -> Json:
    return {"a" + "-" * i: _properties(1, TEXT) for i in range(count)}


def _two_properties(schema: Json) -> Json:
    return {"type": "object", "properties": {"a": schema, "b": schema}}


def unbounded_cases() -> Iterator[tuple[str, Callable[[], list[Json]]]]:
    """Yield cases that have no limit yet. A test fails once they have one."""
    twice: dict[str, Callable[[Json], Json]] = {
        "anyOf": lambda s: {"anyOf": [s, {"type": "array", "items": s}]},
        "tuples": lambda s: {"type": "array", "prefixItems": [s, s], "items": False, "minItems": 2},
        "maps": lambda s: {"anyOf": [DEEP["maps"](s), DEEP["arrays"](s)]},
    }
    for name, wrap in twice.items():
        yield f"doubled {name}", lambda wrap=wrap: [chain(30, wrap, TEXT)]
    both = chain(30, lambda s: {"allOf": [s, s]}, {"type": "object"})
    both["inputSchema"]["properties"]["v"]["default"] = {"a": 1}
    yield "a default of doubled allOf", lambda: [both]
    yield "itself twice", lambda: [tool({**_properties(1, ITSELF), "allOf": [ITSELF, ITSELF]})]
    yield "50000 required", lambda: [tool({"type": "object", "required": NAMES})]
    yield (
        "5000 alternatives",
        lambda: [tool_with({"anyOf": [_properties(1, {"const": n}) for n in NAMES[:5000]]})],
    )


ITSELF: Json = {"$ref": "#"}
NAMES = [f"p{i}" for i in range(50_000)]
CASES = {**dict(cases()), **dict(unbounded_cases())}
QUICK = {"600 objects", "600 references of arrays", "allOf itself"}


def generate_limited(text: str) -> Json:
    memory = MEBIBYTES << 20
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(seconds=int(ENDLESS), memory=memory)],
        input=text.encode("utf-8", "surrogatepass"),
        capture_output=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr.decode()[-2000:] or f"ended by signal {-run.returncode}"
    return json.loads(run.stdout)


def to_text(value: Json) -> str:
    """Convert JSON of any depth to text. The standard library's recursion is limited."""
    parts: list[str] = []
    waiting: list[Json] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, _Raw):
            parts.append(item.text)
        elif isinstance(item, dict):
            parts.append("{")
            waiting += [_Raw("}"), *_members(item)]
        elif isinstance(item, list):
            parts.append("[")
            waiting.append(_Raw("]"))
            for number in range(len(item) - 1, -1, -1):
                waiting += [item[number], _Raw("," if number else "")]
        else:
            parts.append(json.dumps(item))
    return "".join(parts)


def _members(item: dict[str, Json]) -> list[Json]:
    results: list[Json] = []
    for number, key in reversed(list(enumerate(item))):
        results += [item[key], _Raw(f"{',' if number else ''}{json.dumps(key)}:")]
    return results


class _Raw:
    def __init__(self, text: str) -> None:
        self.text = text


@pytest.mark.parametrize(
    "case", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in CASES]
)
def test_hostile_size_is_bounded_and_affects_no_other_tool(case: str) -> None:
    package = generate_limited(to_text({"tools": [FINE, *CASES[case]()]}))
    assert "error" not in package, package
    assert "fine" in package["tools"]
    if case.startswith(("600 in", "600 objects", "5000 ")) and case.endswith(tuple(DEEP)):
        assert any("levels deep" in notice for notice in package["notices"]), package["notices"]


def test_too_deep_definition_is_reported() -> None:
    text = to_text({"tools": [FINE, tool_with(nest(600, DEEP["objects"], TEXT))]})
    (notice,) = contract.left_out(jsontext.loads(text))
    assert notice.pointer == "/tools/bad"
    assert notice.reason == "nested more than 256 levels deep; left out"


def test_nesting_outside_definitions_affects_no_definition() -> None:
    text = to_text({"tools": [FINE], "capabilities": nest(5_000, lambda v: {"a": v}, {})})
    document = jsontext.loads(text)
    assert list(contract.read(document).tools) == ["fine"]
    assert [notice.pointer for notice in contract.left_out(document)] == ["/capabilities"]


# Pattern matching always ends.


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("patterns")
    tools = hostile_patterns.tools()
    (folder / "new.json").write_text(json.dumps({"tools": list(tools.values())}))
    fewer = [{**tool, "outputSchema": {"type": "object"}} for tool in tools.values()]
    (folder / "old.json").write_text(json.dumps({"tools": fewer[1:]}))
    serving = json.dumps([*MOCK[1:-1], str(folder / "new.json")])
    table = f'[tool.mcpgen.servers.odd]\nsource = {serving}\nclient = {{output = "src"}}\n'
    (folder / "pyproject.toml").write_text(table)
    return folder


def ending() -> None:
    """Limit the CPU time of this process and its children."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(10 * ENDLESS),) * 2)


def run(folder: Path, *arguments: str) -> str:
    completed = subprocess.run(
        [sys.executable, "-m", "mcpgen", *arguments],
        cwd=folder,
        env={**os.environ, "MCPGEN_CACHE_DIR": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=ending,
    )
    assert completed.returncode in (0, 1), completed.stderr
    assert "Traceback" not in completed.stderr
    return completed.stdout


MOCK = ("--", sys.executable, "-m", "mcpgen", "mock", "new.json")
COMMANDS: dict[str, list[tuple[str, ...]]] = {
    "client": [("client", "new.json", "-o", "build")],
    "server": [("server", "new.json", "-o", "server")],
    "diff": [("diff", "old.json", "new.json")],
    "mock, record, generate, check and lock": [
        ("record", "-o", "mcp/odd.contract.json", "--timeout", "3600", *MOCK),
        *(("generate",), ("check",), ("lock",)),
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("way", COMMANDS)
def test_hostile_patterns_hold_up_no_command(way: str, hostile: Path) -> None:
    for command in COMMANDS[way]:
        run(hostile, *command)


@pytest.mark.slow
def test_hostile_patterns_hold_up_no_generated_client_and_server(hostile: Path) -> None:
    for kind in ("client", "server"):
        run(hostile, kind, "new.json", "-o", f"run_{kind}")
    packages = [
        *hostile.glob("run_client/*/client.py"),
        *(hostile / "run_server").rglob("_generated/models"),
    ]
    assert len(packages) == 2
    for folder in packages:
        completed = subprocess.run(
            [sys.executable, "-c", JUDGING, str(folder.parent)],
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=ending,
        )
        assert completed.returncode == 0, completed.stderr
        assert json.loads(completed.stdout) == 2 * len(hostile_patterns.tools())


# Nothing is fetched

OUTSIDE = [
    *("http://127.0.0.1:9/s.json", "https://example.org/s", "file:///etc/passwd", "/etc/passwd"),
    *("../../../etc/passwd", "contract.json", "./contract.json", "//host/share/s.json"),
    *("\\\\host\\share\\s.json", "data:application/json,{}", "jar:file:///x.jar!/s", "urn:x:y"),
    *("ftp://127.0.0.1/s", "s.json#/a", "http://json-schema.org/draft-07/schema", "#/../x", "?a"),
]

# Asks a package's own check of every schema, about a text for which its pattern is slow.
JUDGING = """
import importlib, json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
top = folder
while (top / "__init__.py").exists():
    top = top.parent
sys.path.insert(0, str(top))
name = ".".join(folder.relative_to(top).parts)
copy = name + "._runtime" if (folder / "_runtime").exists() else "mcpgen_runtime"
package = importlib.import_module(copy + ".package").package_of_module(name)
validation = importlib.import_module(copy + ".validation.schemas")
text, asked = "a" * 5000 + "!", 0
for name in package.tools:
    for side in ("inputSchema", "outputSchema"):
        for value in (text, {text: 1, "b": 2}, [text] * 50):
            validation.problems(package.tool(name), side, {"v": value})
        asked += 1
print(asked)
"""

WATCHED = """
import json, sys
from mcpgen import contract
from mcpgen.codegen import pipeline
from mcpgen.schemas.validation import schemas
from mcpgen.errors import McpgenError
documents = json.load(sys.stdin)
warm = {"tools": [{"name": "a", "inputSchema": {"$id": "http://a/b", "type": "object",
        "properties": {"b": {"type": "integer", "default": 1, "multipleOf": 2}}}}]}
pipeline.generate(contract.read(warm))
done = []
def hook(event, arguments):
    if event.startswith(("socket.", "subprocess.", "os.system", "os.exec", "urllib.")):
        done.append(f"{event} {arguments}"[:200])
    if event == "open" and not str(arguments[0]).startswith(tuple(sys.argv[1:])):
        done.append(f"open {arguments}"[:200])
sys.addaudithook(hook)
for document in documents:
    try:
        made = pipeline.generate(contract.read(document))
    except McpgenError:
        continue
    for raw in document["tools"]:
        schema = raw["inputSchema"]
        if schemas.problem(schema) is None:
            schemas.SchemaValidator(schema).errors({"v": 1})
print(json.dumps(done))
"""


def reaching(pointer: str) -> Json:
    schemas = [
        {"type": "object", "properties": {"v": {"$ref": pointer}}},
        {"type": "object", "$ref": pointer},
        {"type": "object", "$id": pointer, "properties": {"v": {"$ref": "s.json"}}},
        {"type": "object", "$id": pointer, "properties": {"v": {"$ref": "#"}}},
        {"type": "object", "$schema": pointer, "properties": {"v": {}}},
        {"type": "object", "$dynamicRef": pointer},
        {"type": "object", "properties": {"v": {"$id": pointer, "$ref": "#/a", "default": 1}}},
        {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "$ref": pointer},
    ]
    return {
        "tools": [
            {"name": f"t{number}", "inputSchema": schema, "outputSchema": schema}
            for number, schema in enumerate(schemas)
        ]
    }


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("prefix", [(), ("unshare", "-rn")], ids=["watched", "cut off"])
def test_no_reference_makes_the_generator_open_anything(prefix: tuple[str, ...]) -> None:
    cannot = prefix and (
        shutil.which(prefix[0]) is None
        or subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode
    )
    if cannot:
        pytest.skip("no network namespace can be made here")
    own = [str(ROOT / "mcpgen"), str(ROOT / "templates"), str(ROOT / "schema"), sys.prefix]
    run = subprocess.run(
        [*prefix, sys.executable, "-c", WATCHED, *own, sys.base_prefix],
        input=json.dumps([reaching(pointer) for pointer in OUTSIDE]),
        capture_output=True,
        text=True,
        check=False,
        cwd=SUPPORT,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert json.loads(run.stdout) == []
