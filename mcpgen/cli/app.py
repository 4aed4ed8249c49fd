"""Loads commands on use, and reports their errors."""

from __future__ import annotations

import difflib
import importlib
import json
import sys

import click
from mcpgen_runtime.shell import streams

from mcpgen import __version__
from mcpgen.cli.shared.commands import COMMANDS, GROUPS
from mcpgen.cli.shared.console import asks_for_json, format_error
from mcpgen.errors import Exit, McpgenError, OutputError, UsageError


class _Commands(click.Group):
    """A group with the help of all commands, which imports a command only to run it."""

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
        width = max(map(len, COMMANDS))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), text) for name, text in group.items()])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mcpgen")
def cli() -> None:
    """Typed Python clients and servers, generated from the definitions of MCP servers."""


def run(arguments: list[str]) -> int:
    """Run a command line. Errors are printed; returns the exit code."""
    as_json = asks_for_json(arguments)
    try:
        code = cli.main(args=arguments, prog_name="mcpgen", standalone_mode=False)
        sys.stdout.flush()
    except McpgenError as error:
        return _report(error, as_json=as_json)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return Exit.USAGE
    except click.ClickException as error:
        return _report(_usage_error(error), as_json=as_json)
    except click.exceptions.Abort:
        text = "interrupted"
        line = json.dumps({"error": {"code": text, "message": text}})
        click.echo(line if as_json else text, err=True)
        return 130
    except OSError as error:
        code = _end_output(error, as_json=as_json)
    return code if isinstance(code, int) else Exit.DONE


def _end_output(error: OSError, *, as_json: bool) -> int:
    """Return the exit code for output that could not be written. Raises other errors again."""
    if isinstance(error, BrokenPipeError):  # the reader of our output has closed it
        streams.discard_rest()
        return Exit.DONE
    if not streams.is_failure(error):
        raise error
    streams.discard_rest()
    hint = "check where the output goes"
    return _report(OutputError(streams.failure(error), hint=hint), as_json=as_json)


def _report(error: McpgenError, *, as_json: bool) -> int:
    click.echo(format_error(error, as_json=as_json), err=True)
    return error.exit


def _usage_error(error: click.ClickException) -> UsageError:
    """Convert an error of Click."""
    message = error.format_message().rstrip(".")
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = context.command_path if context else "mcpgen"
    return UsageError(message[:1].lower() + message[1:], hint=f"see: {command} --help")
