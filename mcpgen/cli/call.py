"""`mcpgen call`: call a tool of a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from mcpgen.cli.console import print_result
from mcpgen.cli.named import NamedCommand, Settings, completed_names, late_options, shown
from mcpgen.cli.options import server_options
from mcpgen.errors import AnswerError, FindingError
from mcpgen.jsontext import Json
from mcpgen.servers.recording.arguments import ServerArguments

_NEEDS_LEGACY = "server-initiated requests"
"""Words of FastMCP for a question that a modern connection can't carry."""
_LEGACY_HINT = "connect as clients up to 2025-11-25 do: --era legacy"


@click.command(cls=NamedCommand, name="call", short_help="Call a tool of a server.")
@server_options
@click.argument("name", required=False, shell_complete=completed_names)
@click.option(
    "--unchecked", is_flag=True, help="Send arguments also where they break the tool's schema."
)
@late_options
def command(arguments: ServerArguments, name: str | None, **options: Any) -> None:
    """Call a tool of a server, and print its result.

    Its arguments are options, such as --query night, made from the schema that the server
    publishes, by which they are checked before anything is sent: --help after the tool lists them.
    A list is given by repeating its option, a member of an object as --filter.genre crime, any
    value as JSON by --NAME:=JSON; - reads all arguments as a JSON object from stdin.

    Options of this command stand before the tool. --format, --json, --save, --yes, -v and -q may
    stand after it, where an argument of the same name comes first. SERVER is what it is in mcpgen
    list; of a contract, the server that it was recorded from is called.
    """
    from mcpgen.servers.shell.calling import TOOL, Call
    from mcpgen.servers.shell.person import terminal

    settings = Settings.of(arguments, options)
    given = settings.given(name, TOOL)
    is_checked = not options["unchecked"]
    call = Call(TOOL, given, terminal(settings.server), settings.asks, is_checked)
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
        problem = f"the tool failed: {text.strip() or 'it did not say why'}"
        raise AnswerError(problem, name, _LEGACY_HINT if _NEEDS_LEGACY in text else "")
    saved = settings.saved(result, name)
    lines = shown(text, *(each.file for each in saved))
    print_result(results.with_files(result, saved), lines, is_ordered=True)
    _check(settings, definition, result)


def _check(settings: Settings, definition: Mapping[str, Json], result: dict[str, Json]) -> None:
    """Report where a result breaks the output schema."""
    schema = definition.get("outputSchema")
    if schema is None or "structuredContent" not in result:
        return
    from mcpgen.servers.shell import checks

    found = checks.problems(schema, result["structuredContent"], lambda pointer: pointer)
    for each in found:
        settings.warn(f"the result breaks its schema: {each}")
    if found and settings.arguments.strict:
        raise FindingError("the result breaks its schema, and --strict was given")
