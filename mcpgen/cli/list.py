"""`mcpgen list`: lists a server's definitions, or the configured servers."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import click
from mcpgen_runtime.display import TerminalText, lines, on_one_line

from mcpgen.cli.shared.console import log, log_notices, print_result, with_style
from mcpgen.cli.shared.options import ServerCommand, json_option, server_options
from mcpgen.errors import Exit, UsageError
from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.servers.shell import listing
from mcpgen.servers.shell.servers import Server

_LONGEST = 1000
"""Columns if stdout isn't a terminal."""
_MAX_AT_ONCE = 8


@click.command(
    cls=ServerCommand, name="list", short_help=("List a server's tools, resources and prompts.")
)
@server_options
@click.option("--live", is_flag=True, help="Without SERVER: ask each configured server.")
@json_option
def command(arguments: ServerArguments, *, live: bool) -> int:
    """Show the tools, prompts and resources of a server or contract.

    SERVER is "demo", an http(s) URL, file.py[:object] or package.module:object, FILE:NAME or NAME
    of a configuration file such as .mcp.json, or a file with a contract or a tools/list result. A
    command that starts a server goes after --.

    With -v the arguments of each tool are listed. With --json each definition is printed as the
    server sent it. Without SERVER the configured servers are listed, with --live also whether they
    respond.
    """
    if not arguments.server and not arguments.command:
        return _list_configured(arguments, is_live=live)
    if live:
        hint = "leave it out to ask each configured server"
        raise UsageError("--live is for a list without SERVER", "--live", hint)
    server = Server(arguments, log, "mcpgen list")
    contract = server.contract()
    if contract is None:
        recorded = server.record()
        contract = recorded.contract
        notices = recorded.notices if arguments.verbose or arguments.strict else ()
        log_notices(notices, strict=arguments.strict, verbose=True, quiet=arguments.quiet)
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _LONGEST
    text = [listing.table(contract, width)]
    if arguments.verbose:
        call = on_one_line(f"mcpgen call {arguments.server or 'SERVER'}")
        text.append(listing.arguments(contract, call, width))
    print_result(listing.document(contract), lines(text))
    return Exit.DONE


def _list_configured(arguments: ServerArguments, *, is_live: bool) -> int:
    """List the configured servers. They are only started to check their health."""
    from mcpgen.servers.endpoint.host_files.server_names import configured_servers

    servers: dict[str, dict[str, Any]] = {
        name: {"file": file} for name, file in configured_servers().items()
    }
    if is_live:
        with ThreadPoolExecutor(_MAX_AT_ONCE) as pool:
            health = pool.map(partial(_health, timeout=arguments.timeout), servers)
            for name, outcome in zip(servers, health, strict=True):
                servers[name] |= outcome
    listed = [_line(name, server) for name, server in servers.items()]
    none = on_one_line("no server is configured; try: mcpgen list demo")
    print_result({"servers": servers}, lines(listed or [none]))
    is_failed = any("error" in server for server in servers.values())
    return Exit.UNREACHABLE if is_failed else Exit.DONE


def _health(name: str, timeout: float) -> dict[str, Any]:
    """Check a server in a child process, so that a slow one doesn't block the others."""
    if name.startswith("-"):  # it would be read as an option, such as --live
        return {"error": {"message": "a name must not begin with a dash"}}
    command = [sys.executable, "-m", "mcpgen", "list", name, "--json", "--timeout", str(timeout)]
    run = subprocess.run(  # noqa: S603 - this Python, with a configured name
        command, capture_output=True, check=False, stdin=subprocess.DEVNULL
    )
    output: Sequence[bytes] = (run.stdout if run.returncode == 0 else run.stderr).splitlines()
    try:
        document = json.loads(b"\n".join(output) if run.returncode == 0 else output[-1])
    except (ValueError, IndexError):
        return {"error": {"message": f"mcpgen list ended with exit code {run.returncode}"}}
    if run.returncode:
        return {"error": document["error"]}
    return {"tools": len(document["tools"])}


def _line(name: str, server: dict[str, Any]) -> TerminalText:
    file = on_one_line(f"({server['file']})")
    if "error" in server:
        message = on_one_line(f"{name}: {server['error']['message']}")
        return TerminalText(f"{with_style(on_one_line('bad'), fg='red')}  {message}  {file}")
    if "tools" in server:
        number = server["tools"]
        message = on_one_line(f"{name}: {number} tool{'' if number == 1 else 's'}")
        return TerminalText(f"{with_style(on_one_line('ok'), fg='green')}   {message}  {file}")
    return TerminalText(f"{on_one_line(name)}  {file}")
