"""`mcpgen call`: calls a tool of a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from mcpgen.cli.shared.console import print_result
from mcpgen.cli.shared.item_command import (
    NamedCommand,
    Settings,
    completed_names,
    join_texts,
    late_options,
)
from mcpgen.cli.shared.options import server_options
from mcpgen.errors import AnswerError, FindingError
from mcpgen.jsontext import Json
from mcpgen.servers.recording.arguments import ServerArguments

_NEEDS_LEGACY = "server-initiated requests"
"""Part of FastMCP's error for a question over a modern connection, which can't carry it."""
_LEGACY_HINT = "use the legacy protocol: --era legacy"


@click.command(cls=NamedCommand, name="call", short_help="Call a tool of a server.")
@server_options
@click.argument("name", required=False, shell_complete=completed_names)
@click.option(
    "--unchecked",
    is_flag=True,
    help=("Send the arguments even if they are invalid by the tool's schema."),
)
@late_options
def command(arguments: ServerArguments, name: str | None, **options: Any) -> None:
    """Call a tool of a server, and print its result.

    Arguments are options such as --query night. They are validated by the tool's schema before
    anything is sent, and listed by --help after the tool. Repeat an option for a list, write
    --filter.genre crime for a property of an object, and --NAME:=JSON for any JSON value. With -
    all arguments are read from stdin as a JSON object.

    Options of this command precede the tool. --format, --json, --save, --yes, -v and -q may also
    follow it, unless the tool has an argument of that name. SERVER is the same as in mcpgen list. A
    contract stands for the server that it was recorded from.
    """
    from mcpgen.servers.shell.tool_call import TOOL, Call
    from mcpgen.servers.shell.user import terminal

    settings = Settings.from_options(arguments, options)
    command_line = settings.words_after(name, TOOL)
    is_checked = not options["unchecked"]
    call = Call(TOOL, command_line, terminal(settings.server), settings.asks, is_checked)
    if settings.finish(call):
        _show(settings, call.definition, call.result)


def _show(settings: Settings, definition: Mapping[str, Json], result: dict[str, Json]) -> None:
    """Print a result.

    Raises: AnswerError: The tool failed. The error holds the text of the result.
    """
    from mcpgen_runtime.shell import results

    name = str(definition["name"])
    text = results.text_of(result)
    if result.get("isError") is True:
        print_result(result, is_ordered=True)
        problem = f"the tool failed: {text.strip() or 'the server gave no reason'}"
        raise AnswerError(problem, name, _LEGACY_HINT if _NEEDS_LEGACY in text else "")
    saved = settings.save_media(result, name)
    lines = join_texts(text, *(item.file for item in saved))
    print_result(results.with_files(result, saved), lines, is_ordered=True)
    _check(settings, definition, result)


def _check(settings: Settings, definition: Mapping[str, Json], result: dict[str, Json]) -> None:
    """Report violations of the output schema in a result."""
    schema = definition.get("outputSchema")
    if schema is None or "structuredContent" not in result:
        return
    from mcpgen.servers.shell import checks

    names = checks.problems(schema, result["structuredContent"], lambda pointer: pointer)
    for text in names:
        settings.warn(f"the result breaks its schema: {text}")
    if names and settings.arguments.strict:
        raise FindingError("the result breaks its schema, and --strict was given")
