"""Measures `mcpgen list` and `mcpgen call`, compared with the server's own start and call."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import live
import synthetic
import timing
from timing import Row

# A server in the standard library, whose time is mostly the start of its interpreter.
SERVER = """
import json, sys
schema = {"type": "object", "properties": {"query": {"type": "string"},
          "limit": {"type": "integer", "maximum": 50}}, "required": ["query"]}
greeting = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "small", "version": "1"}}
said = {"content": [{"type": "text", "text": "found"}]}
results = {"initialize": greeting, "tools/call": said,
           "tools/list": {"tools": [{"name": "search", "inputSchema": schema}]}}
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = results.get(message["method"])
    error = {"error": {"code": -32601, "message": "Method not found"}}
    answer = error if result is None else {"result": result}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
"""

# The minimum for any client: start the server, initialize, call a tool, end it.
FLOOR = """
import json, subprocess, sys
server = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
def send(**message):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\\n")
    server.stdin.flush()
def ask(number, method, **params):
    send(id=number, method=method, params=params)
    while "id" not in (message := json.loads(server.stdout.readline())):
        pass
    return message["result"]
client = {"name": "floor", "version": "1"}
ask(1, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
send(method="notifications/initialized")
ask(2, "tools/call", name=sys.argv[1], arguments=json.loads(sys.argv[2]))
server.terminate()
server.wait()
"""


def rows(repeat: int, tool: str, arguments: str, server: Sequence[str]) -> list[Row]:
    """Measure the commands in turn. Returns the least CPU and wall time of each in milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder)
        (target / "server.py").write_text(SERVER)
        args = [f"--{name}:={json.dumps(value)}" for name, value in json.loads(arguments).items()]
        own = [sys.executable, str(target / "server.py")]
        calls = {"a small server": ("search", '{"query": "a"}', ["--query", "a"], own)}
        if server:
            calls["the given server"] = (tool, arguments, args, list(server))
        for size in (10, 100):
            (target / f"{size}.json").write_text(synthetic.contract(size).text())
        mcpgen = [sys.executable, "-m", "mcpgen"]
        named = {
            "`python -c pass`": timing.python("pass"),
            "`mcpgen --help`": [*mcpgen, "--help"],
            "`mcpgen list`, 10 tools": [*mcpgen, "list", "./10.json"],
            "`mcpgen list`, 100 tools": [*mcpgen, "list", "./100.json"],
        }
        for label, (name, text, typed, command) in calls.items():
            named[f"{label}: start and call alone"] = [
                *timing.python(FLOOR),
                name,
                text,
                *command,
            ]
            named[f"{label}: `mcpgen call`"] = [*mcpgen, "call", name, *typed, "--", *command]
        result = live.measured(named, target, repeat)
    return [_row(name, *result[name], result) for name in result]


def _row(name: str, cpu: float, wall: float, result: dict[str, tuple[float, float]]) -> Row:
    label, colon, _ = name.partition(": `")
    floor = result[f"{label}: start and call alone"] if colon else (cpu, wall)
    above = {"CPU above": cpu - floor[0], "wall above": wall - floor[1]}
    return {"command": name, "CPU ms": cpu, "wall ms": wall, **above}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=7, help="runs of which the least counts")
    parser.add_argument("--tool", default="get-sum", help="a tool of the given server")
    parser.add_argument("--arguments", default='{"a": 1, "b": 2}', help="its arguments, as JSON")
    parser.add_argument("server", nargs="*", help="the command of another server, after --")
    namespace = parser.parse_args()
    print(
        timing.table(rows(namespace.repeat, namespace.tool, namespace.arguments, namespace.server))
    )


if __name__ == "__main__":
    main()
