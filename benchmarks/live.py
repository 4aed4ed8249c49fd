"""Compares `mcpgen client` for a live stdio server with the time of the server itself."""

from __future__ import annotations

import json
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import synthetic
import timing
from timing import Row

TOOLS = 15

# A server in the standard library, whose time is mostly the start of its interpreter.
SERVER = """
import json, sys
tools = json.load(open(sys.argv[1]))
greeting = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "small", "version": "1"}}
for line in sys.stdin:
    message = json.loads(line)
    results = {"initialize": greeting, "tools/list": {"tools": tools}}
    if "id" not in message:
        continue
    result = results.get(message["method"])
    error = {"error": {"code": -32601, "message": "Method not found"}}
    said = error if result is None else {"result": result}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **said}), flush=True)
"""

# The minimum for any client: start the server, initialize, list its tools, end it.
FLOOR = """
import json, subprocess, sys
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def ask(number, method, **params):
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    server.stdin.write(json.dumps(message).encode() + b"\\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())["result"]
client = {"name": "floor", "version": "1"}
ask(1, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
ask(2, "tools/list")
server.terminate()
server.wait()
"""

# Uses the SDK, as on Windows, and as over HTTP on all systems.
BY_SDK = (
    "from mcpgen.servers.recording.wire import server_process; server_process.IS_USED = False; "
    "import mcpgen.cli as m; m.main()"
)


def live(repeat: int) -> list[Row]:
    """Measure the commands in turn. Returns the least CPU and wall time of each in milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder)
        (target / "server.py").write_text(SERVER)
        tools = [dict(tool) for tool in synthetic.contract(TOOLS).tools.values()]
        (target / "tools.json").write_text(json.dumps(tools))
        server = [sys.executable, str(target / "server.py"), str(target / "tools.json")]
        result = measured(commands(server, target), target, repeat)
    floor = result["start and list alone"]
    return [
        {
            "command": name,
            "CPU ms": cpu,
            "wall ms": wall,
            "CPU above": cpu - floor[0],
            "wall above": wall - floor[1],
        }
        for name, (cpu, wall) in result.items()
    ]


def commands(server: Sequence[str], folder: Path) -> dict[str, list[str]]:
    """Return the commands to compare, with mcporter if it is installed."""
    (folder / "offline.json").write_text(synthetic.contract(TOOLS).text())
    client = ["client", "--no-cache", "-q", "-o", "out"]
    mcpgen = [sys.executable, "-m", "mcpgen"]
    named = {
        "start and list alone": [*timing.python(FLOOR), *server],
        "mcpgen record": [*mcpgen, "record", "-q", "--", *server],
        "mcpgen client": [*mcpgen, *client, "--", *server],
        "mcpgen client, by the SDK": [*timing.python(BY_SDK), *client, "--", *server],
        "mcpgen client offline.json": [*mcpgen, *client, "./offline.json"],
    }
    if mcporter := shutil.which("mcporter"):
        entry = {"command": server[0], "args": [*server[1:]]}
        (folder / "config").mkdir()
        config = {"mcpServers": {"small": entry}, "imports": []}
        (folder / "config" / "mcporter.json").write_text(json.dumps(config))
        args = ["emit-ts", "small", "--mode", "client", "--out", "out/small.ts"]
        named["mcporter emit-ts"] = [mcporter, *args]
    return named


def measured(
    named: Mapping[str, Sequence[str]], folder: Path, repeat: int
) -> dict[str, tuple[float, float]]:
    """Return the least CPU and wall time of each command. A first turn warms the disk cache."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in named}
    for turn in range(repeat + 1):
        for name, command in named.items():
            shutil.rmtree(folder / "out", ignore_errors=True)
            before, begun = _cpu(), time.perf_counter()
            timing.run(command, folder)
            wall, cpu = time.perf_counter() - begun, _cpu() - before
            if turn:
                times[name].append((cpu * 1e3, wall * 1e3))
    return {
        name: (min(cpu for cpu, _ in runs), min(wall for _, wall in runs))
        for name, runs in times.items()
    }


def _cpu() -> float:
    """Return the CPU time of all ended child processes, including servers."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Print the table."""
    print(timing.table(live(timing.repeat(__doc__ or "", 7))))


if __name__ == "__main__":
    main()
