"""Generates a fleet of clients in 1, 2 and 4 shards, and compares bytes and CPU time.

Each shard runs ``mcpgen generate --shard K/N --no-cache --jobs 1`` in its own copy of the project,
as a CI matrix does. ``python benchmarks/shards.py [--contracts 1000]``
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORPUS = ROOT / "tests" / "support" / "corpus" / "live"


def write_project(folder: Path, count: int) -> None:
    """Write a table with contracts that differ in their server and the text of their tools."""
    sources = sorted(CORPUS.glob("*.json"))
    lines = ["[tool.mcpgen]"]
    (folder / "mcp").mkdir(parents=True)
    for number in range(count):
        name = f"server_{number:04}"
        document = json.loads(sources[number % len(sources)].read_bytes())
        tools = [
            {**tool, "description": f"{tool.get('description', '')} ({number})"}
            for tool in document["tools"]
        ]
        contract = {"server": {"name": name, "version": "1"}, "tools": tools}
        (folder / "mcp" / f"{name}.contract.json").write_text(json.dumps(contract))
        lines += [
            f"[tool.mcpgen.servers.{name}]",
            f'contract = "mcp/{name}.contract.json"',
            'client = {output = "src"}',
        ]
    (folder / "pyproject.toml").write_text("\n".join(lines) + "\n")


def generate(folder: Path, shard: str) -> float:
    """Generate a shard, and return its CPU time in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "mcpgen", "generate", "-q", "--no-cache", "--jobs", "1"]
    subprocess.run([*command, "--shard", shard], cwd=folder, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def digests(folder: Path) -> dict[str, str]:
    """Return the hash of each generated file."""
    files = (path for path in (folder / "src").rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def main() -> None:
    """Print a table, and fail if the bytes differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--contracts", type=int, default=1_000)
    count: int = parser.parse_args().contracts
    whole: dict[str, str] = {}
    print("| shards | CPU seconds of seconds_of_each | sum | files |")
    print("|---|---|---|---|")
    for shards in (1, 2, 4):
        union: dict[str, str] = {}
        seconds: list[float] = []
        for number in range(1, shards + 1):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                write_project(folder, count)
                seconds.append(generate(folder, f"{number}/{shards}"))
                share = digests(folder)
                assert not union.keys() & share.keys(), "two shards wrote the same file"
                union |= share
        whole = whole or union
        assert union == whole, "the bytes differ"
        seconds_of_each = ", ".join(f"{value:.1f}" for value in seconds)
        print(
            f"| {shards} | {seconds_of_each} | {sum(seconds):.1f} | {len(union)}, the same bytes |",
            flush=True,
        )


if __name__ == "__main__":
    main()
