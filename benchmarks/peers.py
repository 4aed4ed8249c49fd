"""Compares mcpgen with other tools that write a client of one live server.

The first run needs the network, npm and half a gigabyte, because each tool is installed into its
own environment under ``.cache/peers``. Run it by hand. Delete that folder to get new versions.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import timing
from timing import Row

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / ".cache" / "peers"
BIN = "Scripts" if os.name == "nt" else "bin"
NAME = "everything"
SERVER = "@modelcontextprotocol/server-everything@2026.8.31"
LONGEST = 120.0

# As for users of a published tool: nothing of this shell's Python, and no partial cache.
CLEAN = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}


class Unusable(Exception):
    """A tool can't be installed, or writes nothing."""


@dataclass(frozen=True)
class Peer:
    """A tool, its packages, and its command with ``{}`` placeholders."""

    name: str
    packages: tuple[str, ...]
    command: tuple[str, ...]
    is_npm: bool = False


# As in their own --help. Two import names that only the SDK before version 2 has.
PEERS = (
    Peer(
        "mcpgen",
        (f"-e{ROOT}/runtime", f"-e{ROOT}"),
        ("mcpgen", "client", "--name", NAME, "--", "{node}", "{server}"),
    ),
    Peer(
        "mcp-client-kit",
        ("mcp-client-kit",),
        ("mcpgen", "codegen", NAME, "--stdio", "{node} {server}", "--out", "client.py"),
    ),
    Peer(
        "mcpygen",
        ("mcpygen", "mcp<2"),
        (
            *("mcpygen", "apigen", "--server-name", NAME),
            *("--server-params", "{entry}", "--root-dir", "."),
        ),
    ),
    Peer(
        "mcp-as-code",
        ("mcp-as-code", "mcp<2"),
        ("maco", "gen", "--config", "{config}", "--workspace", "."),
    ),
    Peer("fastmcp", ("fastmcp",), ("fastmcp", "generate-cli", "{config}", "cli.py")),
    Peer(
        "mcporter",
        ("mcporter",),
        (
            *("mcporter", "--config", "{config}", "emit-ts", NAME),
            *("--mode", "client", "--out", "client.ts"),
        ),
        is_npm=True,
    ),
)


@dataclass
class Found:
    """The measurements of one tool."""

    version: str = ""
    times: list[float] = field(default_factory=list[float])
    cpu: list[float] = field(default_factory=list[float])
    tools: int = 0
    size: int = 0
    failure: str = ""


# Installing


def node() -> Path:
    """Install the server and a recent Node, which mcporter needs."""
    folder = PLACE / "npm"
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _npm(folder, "node@24", CLEAN)
        _npm(folder, SERVER, _with_node(folder))
        (folder / "done").touch()
    return folder


def installed(peer: Peer) -> str:
    """Install a tool if necessary, and return its installed version."""
    if peer.is_npm:
        package = node() / "node_modules" / peer.name / "package.json"
        if not package.exists():
            _npm(node(), peer.packages[0], _with_node(node()))
        number: str = json.loads(package.read_text("utf-8"))["version"]
        return number
    folder = PLACE / peer.name
    python = str(folder / BIN / Path(sys.executable).name)
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        _run([python, "-m", "pip", "install", "--quiet", *peer.packages], CLEAN, 600.0)
        (folder / "done").touch()
    code = f"from importlib.metadata import version; print(version({peer.name!r}))"
    return _run([python, "-c", code], CLEAN, LONGEST).strip()


def commands_of(peer: Peer) -> str:
    """Return the folder of a tool's commands."""
    return str(node() / "node_modules" / ".bin" if peer.is_npm else PLACE / peer.name / BIN)


def _npm(folder: Path, package: str, env: Mapping[str, str]) -> None:
    npm = shutil.which("npm", path=env["PATH"])
    if not npm:
        raise Unusable("npm is not installed")
    quiet = ["--silent", "--no-audit", "--no-fund", "--prefix", str(folder)]
    _run([npm, "install", *quiet, package], env, 600.0)


def _with_node(folder: Path) -> dict[str, str]:
    """Return an environment with that Node first in PATH."""
    return CLEAN | {"PATH": f"{folder / 'node_modules' / '.bin'}{os.pathsep}{CLEAN['PATH']}"}


# Measuring


def command_of_server() -> tuple[str, str]:
    """Return the server's command: Node itself, so that no launcher is measured."""
    folder = node() / "node_modules"
    executable = "node.exe" if os.name == "nt" else "node"
    runtime = folder / "node" / "bin" / executable
    return str(runtime), str(folder / SERVER.rpartition("@")[0] / "dist" / "index.js")


def floor(server: tuple[str, str]) -> tuple[float, list[str]]:
    """Start the server, and return the milliseconds until its tools are listed, and their names. No
    tool that starts the server itself can be faster.
    """
    start = time.perf_counter()
    with subprocess.Popen(
        server, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        hello: Row = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"elicitation": {"form": {}, "url": {}}},
            "clientInfo": {"name": "floor", "version": "1"},
        }
        _ask(process, 1, "initialize", hello)
        _send(process, {"method": "notifications/initialized"})
        tools = _ask(process, 2, "tools/list", {})["tools"]
        used = (time.perf_counter() - start) * 1e3
        process.kill()
    return used, [tool["name"] for tool in tools]


def _ask(process: subprocess.Popen[bytes], number: int, method: str, params: Row) -> Row:
    """Send a request, and return its result. Other messages are ignored."""
    _send(process, {"id": number, "method": method, "params": params})
    assert process.stdout
    for line in process.stdout:
        message: Row = json.loads(line)
        if message.get("id") == number and "result" in message:
            result: Row = message["result"]
            return result
    raise Unusable("the server ended before it answered")


def _send(process: subprocess.Popen[bytes], message: Row) -> None:
    assert process.stdin
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    process.stdin.flush()


def turn(peer: Peer, result: Found, server: tuple[str, str], names: list[str]) -> None:
    """Run a tool once in an empty folder with an empty cache, and record time and output."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder)
        entry = {"command": server[0], "args": [server[1]]}
        config = target / "mcp.json"
        config.write_text(json.dumps({"mcpServers": {NAME: entry}}))
        (target / "out").mkdir()
        values = {"node": server[0], "server": server[1], "config": str(config)}
        values["entry"] = json.dumps(entry)
        command, *args = (_filled(part, values) for part in peer.command)
        env = _with_node(node()) if peer.is_npm else CLEAN
        env = env | {"XDG_CACHE_HOME": str(target / "cache")}
        path = shutil.which(command, path=commands_of(peer)) or command
        before, start = timing.processor(), time.perf_counter()
        _run([path, *args], env, LONGEST, target / "out")
        result.times.append((time.perf_counter() - start) * 1e3)
        result.cpu.append(timing.processor() - before)
        files = [file for file in (target / "out").rglob("*") if file.is_file()]
        source = [file.read_text("utf-8") for file in files if file.suffix in (".py", ".ts")]
        if not source:
            raise Unusable("it wrote no source")
        result.tools = sum(any(name in text for text in source) for name in names)
        result.size = sum(file.stat().st_size for file in files)


def _filled(argument: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        argument = argument.replace(f"{{{name}}}", value)
    return argument


def _run(command: list[str], env: Mapping[str, str], limit: float, cwd: Path | None = None) -> str:
    """Run a command, and return its output. An error contains the end of the output."""
    try:
        completed = subprocess.run(
            command, cwd=cwd, env=env, timeout=limit, capture_output=True, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unusable(str(error)) from None
    if completed.returncode:
        lines = (completed.stderr or completed.stdout).decode(errors="replace").strip().splitlines()
        raise Unusable(
            f"exit code {completed.returncode}: {lines[-1] if lines else 'nothing said'}"
        )
    return completed.stdout.decode(errors="replace")


def measured(repeat: int) -> tuple[list[float], list[str], dict[str, Found]]:
    """Measure the floor and all tools in turn. A failed tool isn't run again."""
    server = command_of_server()
    rows = {peer.name: Found() for peer in PEERS}
    floors: list[float] = []
    names: list[str] = []
    for number in range(repeat + 1):
        floor_time, names = floor(server)
        floors.append(floor_time)
        for peer in PEERS:
            item = rows[peer.name]
            if not item.failure:
                try:
                    item.version = item.version or installed(peer)
                    turn(peer, item, server, names)
                except Unusable as error:
                    item.failure = str(error)
        if not number:  # it only warms the disk cache
            floors.clear()
            for item in rows.values():
                item.times.clear()
                item.cpu.clear()
    return floors, names, rows


def main() -> None:
    """Print the table: the floor, each tool, and the failed tools with the reasons."""
    floors, names, result = measured(timing.repeat(__doc__ or "", 7))
    least = median(floors)
    print(f"{SERVER}, {len(names)} tools: started and listed in {least:,.0f} ms\n")
    ours = median(result["mcpgen"].times or [0])
    rows = [row(name, item, least, ours) for name, item in result.items() if not item.failure]
    if rows:
        print(timing.table(rows))
    for name, item in result.items():
        if item.failure:
            print(f"\n{name} {item.version} gave nothing: {item.failure}")


def row(name: str, result: Found, least: float, ours: float) -> Row:
    """Return the row of one tool, with its ratio to mcpgen."""
    ms = median(result.times)
    return {
        "tool": f"{name} {result.version}",
        "ms": ms,
        "above the floor": ms - least,
        "x mcpgen": ms / ours if ours else 0.0,
        "CPU": min(result.cpu),
        "tools": result.tools,
        "KB": result.size / 1e3,
    }


if __name__ == "__main__":
    main()
