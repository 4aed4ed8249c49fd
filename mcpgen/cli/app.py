"""The commands as Click knows them, and what becomes of the problems they meet."""

from __future__ import annotations

import difflib
import importlib
import json
import os
import sys

import click

from mcpgen import __version__
from mcpgen.cli.commands import COMMANDS
from mcpgen.cli.console import asks_for_json, format_error
from mcpgen.errors import Exit, McpgenError, UsageError


class _Commands(click.Group):
    """Knows each command's one-line help, and imports a command only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"mcpgen.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            guess = f"did you mean {near[0]}? " if near else ""
            raise UsageError(f"no such command {args[0][:40]!r}", hint=f"{guess}see: mcpgen --help")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mcpgen")
def cli() -> None:
    """Typed Python clients and servers, generated from what an MCP server publishes."""


def run(arguments: list[str]) -> int:
    """Run a command line; say a problem in short and return the exit code."""
    as_json = asks_for_json(arguments)
    try:
        code = cli.main(args=arguments, prog_name="mcpgen", standalone_mode=False)
    except McpgenError as error:
        click.echo(format_error(error, as_json=as_json), err=True)
        return error.exit
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return Exit.USAGE
    except click.ClickException as error:
        click.echo(format_error(_usage_error(error), as_json=as_json), err=True)
        return Exit.USAGE
    except click.exceptions.Abort:
        word = "interrupted"
        line = json.dumps({"error": {"code": word, "message": word}})
        click.echo(line if as_json else word, err=True)
        return 130
    except BrokenPipeError:
        # Whoever read our output has seen enough; what is left must not be flushed at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.DONE
    return code if isinstance(code, int) else Exit.DONE


def _usage_error(error: click.ClickException) -> UsageError:
    """Say what Click found wrong in the form of all our errors."""
    message = error.format_message().rstrip(".")
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = context.command_path if context else "mcpgen"
    return UsageError(message[:1].lower() + message[1:], hint=f"see: {command} --help")
