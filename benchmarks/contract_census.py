"""Lists what ``mcpgen test`` finds in real servers that start without an account.

``observed_calls.yaml`` has the servers with arguments that work, and ``observed.py`` installs them.
Each runs in a scratch folder, which is also its home. On Linux it has a PID namespace, because some
tools end processes. All tools are called, including those that write, so run this benchmark where a
server can do no harm.

Each failure is printed with its line, because only a person can decide whether it is true.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import observed

from mcpgen.contract import yaml_reader

LIMIT = 900.0
APART = (
    ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc")
    if sys.platform == "linux"
    else ()
)

Json = Any


def tested(server: Mapping[str, Json], servers: Path, web: str, words: Sequence[str]) -> Json:
    """Return the report on one server, or the reason why there is none."""
    command = observed.found(server, servers)
    if command is None:
        return "not installed"
    with tempfile.TemporaryDirectory() as pointer:
        folder = Path(pointer).resolve()
        observed.furnish(folder)
        filled = partial(observed.fill, {"folder": str(folder), "web": web, "dot": observed.DOT})
        lines = [
            json.dumps({"name": tool, "arguments": filled(arguments)})
            for tool, arguments in observed.calls_of(server["calls"])
            if not any(f"{{{name}}}" in json.dumps(arguments) for name in server.get("seen", {}))
        ]
        arguments = folder / "arguments.jsonl"
        arguments.write_text("\n".join(lines))
        variables: dict[str, str] = filled(server.get("env", {}))
        env = [token for item in variables.items() for token in ("--env", "=".join(item))]
        ended = subprocess.run(
            [
                *APART,
                *(sys.executable, "-m", "mcpgen", "test", "--allow-writes", "--format", "json"),
                *("--cwd", filled(server.get("cwd", "{folder}")), "--arguments", str(arguments)),
                *(
                    "--timeout",
                    "120",
                    *env,
                    *words,
                    "--",
                    str(command),
                    *filled(server["command"][1:]),
                ),
            ],
            cwd=folder,
            env={**os.environ, "HOME": str(folder)},
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=LIMIT,
            check=False,
        )
    try:
        return json.loads(ended.stdout)
    except ValueError:
        return ended.stderr.decode(errors="replace")[-500:]


def row(name: str, report: Json) -> str:
    """Return the row of a server, with its errors and warnings by rule."""
    tools = report["coverage"].values()
    counts = Counter(item["judge"] for item in report["failures"] if item["level"] != "note")
    text = ", ".join(f"{judge} {count}" for judge, count in sorted(counts.items()))
    reached = [sum(bool(tool[key]) for tool in tools) for key in ("calls", "results")]
    return f"| {name} | {len(tools)} | {reached[0]} | {reached[1]} | {report['calls']} | {text} |"


def main() -> None:
    """Test each server. Prints one table, and each failure above a note."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--servers", type=Path, default=observed.CACHE, help="where servers are installed"
    )
    parser.add_argument("--only", nargs="*", default=[], help="test these servers alone")
    parser.add_argument("--calls", type=int, default=600, help="requests at most, of each")
    parser.add_argument("--keep", type=Path, help="keep reports here, and read those there")
    options = parser.parse_args()
    text = (observed.HERE / "observed_calls.yaml").read_bytes()
    entries: dict[str, Json] = yaml_reader.loads(text, "observed_calls.yaml")
    reports: dict[str, Json] = {}
    if options.keep and options.keep.exists():
        reports = json.loads(options.keep.read_bytes())
    with observed.web() as address:
        for name, server in entries.items():
            if (options.only and name not in options.only) or name in reports:
                continue
            report = tested(server, options.servers, address, ["--calls", str(options.calls)])
            if isinstance(report, str):
                print(f"{name}: {report}", file=sys.stderr)
                continue
            reports[name] = report
            if options.keep:
                options.keep.write_text(json.dumps(reports))
    print("| server | tools | called | with a result | requests | errors and warnings |")
    print("|---|---:|---:|---:|---:|---|")
    for name, report in reports.items():
        print(row(name, report))
    for name, report in reports.items():
        for item in report["failures"]:
            if item["level"] != "note":
                print(f"\n{name}: {item['judge']} {item['subject']}: {item['detail']}")
                print(f"  -> {item['answer'][:300]}\n  $ {item['run']}")


if __name__ == "__main__":
    main()
