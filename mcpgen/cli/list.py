"""`mcpgen list`: show what a server offers."""

from __future__ import annotations

import shutil
import sys

import click

from mcpgen.cli.console import log, log_notices, print_result
from mcpgen.cli.options import ServerCommand, json_option, server_options
from mcpgen.recording.arguments import ServerArguments
from mcpgen.shell import listing
from mcpgen.shell.servers import Server

_LONGEST = 1000
"""Columns where nobody looks at a terminal."""


@click.command(cls=ServerCommand, name="list", short_help="Show what a server offers.")
@server_options
@json_option
def command(arguments: ServerArguments) -> None:
    """Show the tools, prompts and resources of a server, or of a contract.

    SERVER is "demo", an http(s) URL, file.py[:object] or package.module:object, FILE:NAME or NAME
    of a configuration file such as .mcp.json, or a file with a contract or a tools/list answer.
    A command that starts a server goes after --. With --json each definition is as it was sent.
    """
    server = Server(arguments, log, "mcpgen list")
    contract = server.contract()
    if contract is None:
        recorded = server.listed()
        contract = recorded.contract
        notices = recorded.notices if arguments.verbose or arguments.strict else ()
        log_notices(notices, strict=arguments.strict, verbose=True, quiet=arguments.quiet)
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _LONGEST
    print_result(listing.document(contract), listing.table(contract, width))
