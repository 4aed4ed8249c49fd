"""Counts the faults in scripts that are found before any call, by mcpgen and by other tools.

A correct script for each tool of the corpus is broken in seven ways. A harder set was written by
hand. `--peers FOLDER` compares with FastMCP's code mode (FOLDER/bin/python has fastmcp[code-mode])
and with Cloudflare's types under tsc (FOLDER/node_modules has @cloudflare/codemode, typescript).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import timing
from harder_scripts import FAULTS, RIGHT

from mcpgen.codegen.agent_files.stubs import ToolStub
from mcpgen.contract import definitions
from mcpgen.contract.definitions import Tool
from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import Json, loads
from mcpgen.schemas import examples
from mcpgen.schemas.examples import NoExampleError
from mcpgen.schemas.validation.schemas import SchemaValidator
from mcpgen.scripting import Checker, Surface, surface

ROOT = Path(__file__).parent.parent
HERE = Path(__file__).parent
CORPUS = Path(os.environ.get("MCPGEN_CORPUS", ROOT.parent / "shared" / "corpus"))
KINDS = (
    "unknown tool",
    "wrong argument name",
    "missing argument",
    "wrong type",
    "wrong enum value",
    "unknown result member",
    "result used as another type",
)
# A value without a common JSON type, so that a wrong type is refused for any value.
VALUES: Mapping[type, Sequence[Json]] = {
    str: ("wrong text", "1", "a@b.co", "2025-01-01T00:00:00Z", "2025-01-01", "https://a.b", ""),
    int: (12345, 1, 0),
    list: (["x"], [], [1], [{}], [["x"]]),
    dict: ({"x": 1}, {}),
}
RAW = """\
from typing import Any
async def call_tool(name: str, arguments: dict[str, Any]) -> Any: ...
"""


@dataclass(frozen=True)
class Script:
    """A script of one call: the tool, its arguments, and the use of the result.

    ``suffix`` is added to the tool's name, to make it wrong.
    """

    tool: str
    arguments: tuple[tuple[str, Json], ...]
    use: tuple[str, ...] = ()
    kind: str = ""
    suffix: str = ""

    def python(self, module: str, stub: ToolStub) -> str:
        """Return the script with mcpgen's functions."""
        own = {wire: name for name, wire in (stub.arguments or {}).items()}
        text = ", ".join(f"{own.get(name, name)}={value!r}" for name, value in self.arguments)
        call = f"await {module}.{stub.name}{self.suffix}({text})"
        return f"import {module}\nresult = {call}\nprint({self.used()})\n"

    def raw(self) -> str:
        """Return the script with one function that calls any tool."""
        call = f"await call_tool({self.tool + self.suffix!r}, {dict(self.arguments)!r})"
        return f"result = {call}\nx = {self.used()}\n"

    def typescript(self, names: Mapping[str, str]) -> str:
        """Return the script with Cloudflare's types."""
        function = names[self.tool] + self.suffix
        call = f"await codemode.{function}({json.dumps(dict(self.arguments))})"
        return f"const result = {call};\nconsole.log({self.used(typescript=True)});\nexport {{}};\n"

    def used(self, *, typescript: bool = False) -> str:
        """Return the code that uses the result."""
        match self.use:
            case ("member", name):
                return f"result[{json.dumps(name)}]"
            case ("item", name):
                return f"result[0][{json.dumps(name)}]"
            case ("minus",):
                return "result - 1"
            case ("text",):
                return "result.toUpperCase()" if typescript else "result.upper()"
            case _:
                return "result"


def misspelt(name: str, names: Sequence[str]) -> str:
    """Return a misspelt form of a name that isn't a known name."""
    tries = [name[:-1], name[:1] + name[2:], f"{name}s", f"{name}_x"]
    return next(text for text in tries if text and text not in (*names, name))


def scripts(contract: Contract) -> Iterator[tuple[ToolStub, Script]]:
    """Yield a correct script for each tool, and the same script with one fault of each kind."""
    surface_ = surface(contract)
    tools = definitions.tools(contract)
    for stub in surface_.functions.values():
        tool = tools[stub.wire]
        right = _right(tool, stub, surface_)
        if right is None:
            continue
        yield stub, right
        names = {*surface_.functions, *tools}
        suffix = next(s for s in "sxyz" if names.isdisjoint({stub.name + s, stub.wire + s}))
        yield stub, replace(right, suffix=suffix, kind=KINDS[0])
        if stub.arguments is not None and tool.input is not None:
            for kind, arguments in _broken_arguments(tool, stub, dict(right.arguments)):
                yield stub, replace(right, arguments=tuple(arguments.items()), kind=kind)
        for kind, use in _broken_uses(stub, surface_):
            yield stub, replace(right, use=use, kind=kind)


def _right(tool: Tool, stub: ToolStub, surface_: Surface) -> Script | None:
    """Return a correct script by the tool's schema, with all arguments if possible."""
    use = _right_use(stub, surface_)
    if tool.input is None or stub.arguments is None:
        return Script(tool.name, (("arguments", {}),) if stub.arguments is None else (), use)
    raw = {**tool.input.raw, "type": "object"}
    for required in (list(stub.arguments.values()), tool.input.raw.get("required", [])):
        with suppress(NoExampleError, RecursionError):
            result = examples.example({**raw, "required": required})
            arguments = {k: v for k, v in result.items() if k in stub.arguments.values()}
            if SchemaValidator(tool.input.raw).allows(arguments):
                return Script(tool.name, tuple(arguments.items()), use)
    return None


def _returns(stub: ToolStub, surface_: Surface) -> tuple[str, str, list[str]]:
    """Return the result's type, the type of its members or items, and the members' names."""
    returned = stub.signature.rpartition(" -> ")[2].removesuffix(": ...")
    item = returned.removeprefix("list[").removesuffix("]") if returned[:5] == "list[" else returned
    return returned, item, surface_.names.get(item, []) if item[:1].isupper() else []


def _right_use(stub: ToolStub, observed: Surface) -> tuple[str, ...]:
    returned, item, members = _returns(stub, observed)
    if not members:
        return ()
    return ("item" if returned != item else "member", members[0])


def _broken_uses(stub: ToolStub, observed: Surface) -> Iterator[tuple[str, tuple[str, ...]]]:
    returned, item, members = _returns(stub, observed)
    if members:
        way = "item" if returned != item else "member"
        yield KINDS[5], (way, misspelt(members[0], members))
    is_known = members or returned in ("str", "int", "float", "bool") or returned[:5] == "list["
    if is_known:
        yield KINDS[6], ("text",) if returned in ("int", "float", "bool") else ("minus",)


def _broken_arguments(
    tool: Tool, stub: ToolStub, right: dict[str, Json]
) -> Iterator[tuple[str, dict[str, Json]]]:
    assert tool.input is not None
    assert stub.arguments is not None
    judge = SchemaValidator(tool.input.raw)
    own = {wire: name for name, wire in stub.arguments.items()}
    names = [*stub.arguments, *own]
    if right:
        first = next(iter(right))
        wrong = misspelt(own[first], names)
        yield KINDS[1], {(wrong if k == first else k): v for k, v in right.items()}
    required = [name for name in tool.input.raw.get("required", []) if name in right]
    if required:
        yield KINDS[2], {k: v for k, v in right.items() if k != required[0]}
    if wrong_type := next(_of_wrong_type(judge, right), None):
        yield KINDS[3], wrong_type
    if wrong_value := next(_of_wrong_enum(judge, tool.input.raw, right), None):
        yield KINDS[4], wrong_value


def _of_wrong_type(judge: SchemaValidator, right: dict[str, Json]) -> Iterator[dict[str, Json]]:
    for name, value in right.items():
        for kind, values in VALUES.items():
            if isinstance(value, kind) or (kind is int and isinstance(value, float | bool)):
                continue
            if not any(judge.allows({**right, name: item}) for item in values):
                yield {**right, name: values[0]}


def _of_wrong_enum(
    judge: SchemaValidator, schema: Json, right: dict[str, Json]
) -> Iterator[dict[str, Json]]:
    for name, value in right.items():
        part = schema.get("properties", {}).get(name)
        if not isinstance(part, dict) or '"enum"' not in json.dumps(part):
            continue
        wrong: Json = f"{value}x" if isinstance(value, str) else None
        if isinstance(value, list) and value and isinstance(value[0], str):
            wrong = [f"{value[0]}x", *value[1:]]
        if wrong is not None and not judge.allows({**right, name: wrong}):
            yield {**right, name: wrong}


class Tally:
    """The findings of one tool."""

    def __init__(self) -> None:
        self.of: Counter[str] = Counter()
        self.caught: Counter[str] = Counter()
        self.missed: list[tuple[str, str, str]] = []
        self.times: list[float] = []

    def note(self, server: str, script: Script, *, caught: bool, text: str = "") -> None:
        """Count a script as refused or accepted."""
        self.of[script.kind] += 1
        self.caught[script.kind] += caught
        if caught != bool(script.kind):
            self.missed.append((server, script.kind or "right", text))


def ours(
    server: str, contract: Contract, cases: Sequence[tuple[ToolStub, Script]], tally: Tally
) -> None:
    """Check each script against the functions of the server."""
    observed = surface(contract, "server")
    with Checker([observed]) as checker:
        checker.check("")
        for stub, script in cases:
            text = script.python("server", stub)
            started = time.perf_counter()
            findings = checker.check(text)
            tally.times.append(time.perf_counter() - started)
            tally.note(
                server, script, caught=bool(findings), text=f"{text}{findings}{stub.signature}"
            )


def raw(server: str, cases: Sequence[tuple[ToolStub, Script]], tally: Tally) -> None:
    """Check each script against one function that calls any tool."""
    with Checker([Surface("tools", RAW, {})]) as checker:
        for _, script in cases:
            text = f"from tools import call_tool\n{script.raw()}"
            tally.note(server, script, caught=bool(checker.check(text)))


def codemode(
    server: str,
    contract: Contract,
    cases: Sequence[tuple[ToolStub, Script]],
    tally: Tally,
    peers: Path,
) -> None:
    """Check each script by tsc against the types that Cloudflare's code mode shows."""
    tools = {name: dict(raw) for name, raw in contract.tools.items()}
    command = ["node", str(HERE / "agents_codemode.mjs"), str(peers)]
    completed = subprocess.run(
        command, input=json.dumps(tools), capture_output=True, text=True, check=True
    )
    problems = json.loads(completed.stdout)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder)
        (target / "types.d.ts").write_text(problems["types"], "utf-8")
        settings = {
            "compilerOptions": {
                "strict": True,
                "noEmit": True,
                "target": "es2022",
                "module": "esnext",
                "lib": ["es2022", "dom"],
                "types": [],
            },
            "include": ["*.ts"],
        }
        (target / "tsconfig.json").write_text(json.dumps(settings), "utf-8")
        for number, (_, script) in enumerate(cases):
            text = script.typescript(problems["names"])
            (target / f"s{number}.ts").write_text(text, "utf-8")
        tsc = [str(peers / "node_modules" / ".bin" / "tsc"), "-p", ".", "--pretty", "false"]
        started = time.perf_counter()
        run = subprocess.run(tsc, cwd=target, capture_output=True, text=True, check=False)
        tally.times.append(time.perf_counter() - started)
        wrong = {
            line.partition("(")[0]: line for line in run.stdout.splitlines() if line[:1] == "s"
        }
        for number, (_, script) in enumerate(cases):
            problem = wrong.get(f"s{number}.ts", "")
            tally.note(server, script, caught=bool(problem), text=problem)


def fastmcp(cases: Sequence[tuple[str, Contract, Script]], tally: Tally, python: Path) -> None:
    """Run scripts in FastMCP's code mode, each correct one before the one with the fault."""
    by_server: dict[str, list[tuple[Contract, Script]]] = {}
    for server, contract, script in cases:
        by_server.setdefault(server, []).append((contract, script))
    for server, group in by_server.items():
        contract = group[0][0]
        tools = [dict(raw) for raw in contract.tools.values()]
        first = f"await call_tool({next(iter(contract.tools))!r}, {{}})\n"  # any tool answers
        texts = [first + script.raw() for _, script in group]
        run = subprocess.run(
            [str(python), str(HERE / "agents_fastmcp.py")],
            input=json.dumps({"tools": tools, "scripts": texts}),
            capture_output=True,
            text=True,
            check=False,  # the process may be killed at its end, after all output
        )
        for (_, script), problem in zip(group, json.loads(run.stdout), strict=True):
            tally.note(server, script, caught=problem["error"] and not problem["called"])


def harder() -> list[timing.Row]:
    """Return the findings in the harder set, by kind of fault."""
    contracts = [
        read(loads((ROOT / "golden" / "demo" / "contract.json").read_bytes())),
        read(loads((HERE / "harder_contract.json").read_bytes())),
    ]
    with Checker([surface(contract_) for contract_ in contracts]) as checker:
        checker.check("")
        times: list[float] = []

        def is_refused(text: str) -> bool:
            started = time.perf_counter()
            findings = checker.check(text)
            times.append(time.perf_counter() - started)
            return bool(findings)

        missed = [name for name, text in FAULTS.items() if not is_refused(text)]
        false = [name for name, text in RIGHT.items() if is_refused(text)]
    print(f"missed: {missed}\nfalse alarms: {false}\n", file=sys.stderr)
    return [
        {
            "faults": len(FAULTS),
            "found": len(FAULTS) - len(missed),
            "right scripts": len(RIGHT),
            "false alarms": len(false),
            "ms, median": statistics.median(times) * 1e3,
            "ms, least": min(times) * 1e3,
        }
    ]


def table(ways: Mapping[str, Tally]) -> list[timing.Row]:
    """Return a row for each kind of fault, and one for correct scripts that are refused."""
    rows: list[timing.Row] = []
    for kind in (*KINDS, ""):
        row: timing.Row = {"fault": kind or "none: false alarms"}
        for name, tally in ways.items():
            row[name] = f"{tally.caught[kind]:,} of {tally.of[kind]:,}"
        rows.append(row)
    total: timing.Row = {"fault": "all faults"}
    for name, tally in ways.items():
        of, caught = (sum(item[k] for k in KINDS) for item in (tally.of, tally.caught))
        total[name] = f"{100 * caught / of:.1f} %" if of else "-"
    return [*rows[:-1], total, rows[-1]]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", type=Path, help="a folder with the others")
    parser.add_argument("--servers", type=int, default=0, help="so many alone")
    parser.add_argument("--missed", type=Path, help="write what was missed here")
    parser.add_argument("--each", type=int, default=30, help="scripts a kind for FastMCP")
    options = parser.parse_args()
    print(timing.table(harder()), "\n")
    files = sorted((CORPUS / "live").glob("*.json"))
    ways = {"mcpgen": Tally(), "call_tool(name, dict)": Tally()}
    if options.peers:
        ways |= {"FastMCP code mode": Tally(), "Cloudflare's types, tsc": Tally()}
    sampled: dict[str, list[tuple[str, Contract, Script]]] = {}
    for file in files[:: max(1, len(files) // options.servers) if options.servers else 1]:
        contract = read(loads(file.read_bytes()))
        cases = list(scripts(contract))
        ours(file.stem, contract, cases, ways["mcpgen"])
        raw(file.stem, cases, ways["call_tool(name, dict)"])
        if options.peers:
            codemode(file.stem, contract, cases, ways["Cloudflare's types, tsc"], options.peers)
        for _, script in cases:
            sampled.setdefault(script.kind, []).append((file.stem, contract, script))
    if options.peers:
        chosen = [
            item for group in sampled.values() for item in group[:: len(group) // options.each + 1]
        ]
        fastmcp(chosen, ways["FastMCP code mode"], options.peers / "bin" / "python")
    print(timing.table(table(ways)), "\n")
    times = [used * 1e3 for used in ways["mcpgen"].times]
    print(f"a check, ms: median {statistics.median(times):.1f}, least {min(times):.1f}")
    if options.missed:
        lines = [[name, *item] for name, tally in ways.items() for item in tally.missed]
        options.missed.write_text("\n".join(map(json.dumps, lines)), "utf-8")


if __name__ == "__main__":
    main()
