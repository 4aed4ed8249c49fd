"""Measures the generation of packages, by number of tools and by step."""

from __future__ import annotations

import ast
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median

import synthetic
import timing
from timing import Row

from mcpgen.codegen import allowlist
from mcpgen.codegen.formatting import format_files
from mcpgen.codegen.pipeline import Options, generate
from mcpgen.codegen.plan import plan
from mcpgen.codegen.render import render
from mcpgen.contract.definitions import Tool, parse
from mcpgen.contract.document import read
from mcpgen.files import write
from mcpgen.jsontext import loads
from mcpgen.schemas.types import infer

SIZES = (1, 10, 100, 1000)
SERVERS = 8


def stages(text: str) -> Row:
    """Run the pipeline step by step, as :func:`mcpgen.codegen.pipeline.generate` does.

    ``check`` parses, validates and compiles the rendered modules. ``layout`` is the rest of
    formatting: statements that are too long for a line.
    """
    times: Row = {}
    contract, times["read"] = timing.timed(lambda: read(loads(text)))
    digest, hashing = timing.timed(contract.digest)
    _, writing = timing.timed(contract.text)
    times["hash"] = hashing + writing
    api, times["validate"] = timing.timed(lambda: parse(contract))
    _, times["infer"] = timing.timed(lambda: _infer(api.tools))
    package, planning = timing.timed(
        lambda: plan(
            api,
            name="",
            style="dataclass",
            digest=digest,
            pins=contract.names,
            classes=contract.classes,
            origin=contract.origin,
        )
    )
    times["plan"] = max(0.0, planning - times["infer"])
    rendered, times["render"] = timing.timed(lambda: render(package, "client"))
    modules = {path: text for path, text in rendered.items() if _is_checked(path)}
    _, times["check"] = timing.timed(lambda: _check(modules))
    _, tidying = timing.timed(lambda: format_files(rendered))
    times["layout"] = max(0.0, tidying - times["check"])
    files = generate(contract, Options()).files
    with tempfile.TemporaryDirectory() as folder:
        _, times["write"] = timing.timed(lambda: write.write(files, Path(folder) / "package"))
    return times


def _infer(tools: Iterable[Tool]) -> None:
    for tool in tools:
        for schema_, is_input in ((tool.input, True), (tool.output, False)):
            if schema_:
                infer(schema_.raw, schema_.dialect, arguments=is_input)


def _is_checked(path: str) -> bool:
    return path.endswith(".py")


def _check(modules: Mapping[str, str]) -> None:
    for path, text in modules.items():
        tree = ast.parse(text, path)
        allowlist.check(tree, path)
        compile(tree, path, "exec")


def warm(size: int, repeat: int) -> Row:
    """Return the medians of the stages in a process that has run them before, in milliseconds."""
    text = synthetic.contract(size).text()
    stages(text)
    runs = [stages(text) for _ in range(max(1, repeat // (1 + size // 100)))]
    parts = {name: median(run[name] for run in runs) for name in runs[0]}
    return {"tools": size, **parts, "sum": sum(parts.values())}


def cold(size: int, repeat: int) -> Row:
    """Return the wall time of the command, from a contract on disk to a package on disk."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "contract.json"
        path.write_text(synthetic.contract(size).text(), encoding="utf-8")
        mcpgen = [sys.executable, "-m", "mcpgen", "client", str(path), "-o"]
        runs = [
            # Each run has an empty cache and stores its output, as for a new contract.
            timing.run(["env", f"MCPGEN_CACHE_DIR={folder}/cache{n}", *mcpgen, f"{folder}/{n}"])
            for n in range(max(2, repeat // (1 + size // 100)) + 1)
        ]
    seconds = median(runs[1:])
    return {"tools": size, "seconds": seconds / 1e3, "ms a tool": seconds / size}


def unchanged(size: int, repeat: int) -> Row:
    """Return the wall times of commands without changes, with the cache and without it."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder)
        (target / "contract.json").write_text(synthetic.contract(size).text(), encoding="utf-8")
        table = '[tool.mcpgen.servers.a]\ncontract = "contract.json"\nclient = {}\n'
        (target / "pyproject.toml").write_text(table, encoding="utf-8")
        mcpgen = ["env", f"MCPGEN_CACHE_DIR={folder}/cache", sys.executable, "-m", "mcpgen"]
        timing.run([*mcpgen, "generate"], target)
        commands = {"client": ["client", "contract.json"], "check": ["check"]}
        ways: dict[str, list[str]] = {}
        for name, args in commands.items():
            ways[f"{name}, cached"] = [*mcpgen, *args]
            ways[f"{name}, anew"] = [*mcpgen, *args, "--no-cache"]
        row = timing.commands(ways, repeat=max(2, repeat // (1 + size // 100)), cwd=target)
    return {"tools": size, **{f"{way}, seconds": ms / 1e3 for way, ms in row.items()}}


def several(size: int, repeat: int) -> Row:
    """Return the wall times of `mcpgen generate` for several servers, with one process and with
    two.
    """
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder)
        (target / "contract.json").write_text(synthetic.contract(size).text(), encoding="utf-8")
        tables = (
            f'[tool.mcpgen.servers.s{n}]\ncontract = "contract.json"\nclient = {{}}\n'
            for n in range(SERVERS)
        )
        (target / "pyproject.toml").write_text("".join(tables), encoding="utf-8")
        mcpgen = [sys.executable, "-m", "mcpgen", "generate", "--no-cache", "--jobs"]
        row = timing.commands(
            {f"--jobs {jobs}": [*mcpgen, str(jobs)] for jobs in (1, 2)},
            repeat=max(2, repeat // (1 + size // 50)),
            cwd=target,
        )
    seconds = {f"{way}, seconds": ms / 1e3 for way, ms in row.items()}
    return {"servers": SERVERS, "tools each": size, **seconds}


def main() -> None:
    """Print the tables."""
    repeat = timing.repeat(__doc__ or "", 7)
    print("Cold: `mcpgen client contract.json -o DIR`\n")
    print(timing.table([cold(size, repeat) for size in SIZES]))
    print("\nWarm, milliseconds by stage\n")
    print(timing.table([warm(size, repeat) for size in SIZES]))
    print("\nNothing changed: `mcpgen client contract.json`, `mcpgen check`\n")
    print(timing.table([unchanged(size, repeat) for size in SIZES]))
    print("\nSeveral servers: `mcpgen generate --no-cache --jobs N`, with two cores\n")
    print(timing.table([several(size, repeat) for size in (10, 100)]))


if __name__ == "__main__":
    main()
