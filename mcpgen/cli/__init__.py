"""The command line: options in, messages and exit codes out. One file per command, loaded on use."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click

from mcpgen import __version__
from mcpgen.errors import McpgenError

_COMMANDS = {
    "client": "Write a typed Python client package for a server.",
    "protocol": "Write Pydantic models of every message of a protocol revision.",
    "record": "Ask a server what it offers and write its contract.",
}


class _Commands(click.Group):
    """Knows each command's one-line help, and imports a command only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"mcpgen.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mcpgen")
def cli() -> None:
    """Typed Python clients and servers, generated from what an MCP server publishes."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; a problem becomes a short message and its documented exit code."""
    try:
        _exit(cli.main(args=arguments, prog_name="mcpgen", standalone_mode=False))
    except McpgenError as error:
        _exit(error.exit, str(error))
    except click.exceptions.Abort:
        _exit(130, "interrupted")
    except click.ClickException as error:
        error.show()
        _exit(2)


def _exit(code: Any, message: str = "") -> None:
    if message:
        click.echo(message, err=True)
    sys.exit(code if isinstance(code, int) else 0)
