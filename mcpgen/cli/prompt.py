"""`mcpgen prompt`: shows a prompt of a server, filled in."""

from __future__ import annotations

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
from mcpgen.servers.recording.arguments import ServerArguments


@click.command(cls=NamedCommand, name="prompt", short_help="Show a prompt, filled in.")
@server_options
@click.argument("name", required=False, shell_complete=completed_names)
@late_options
def command(arguments: ServerArguments, name: str | None, **options: Any) -> None:
    """Show the messages of a prompt, rendered with its arguments.

    Arguments are options such as --topic rain, listed by --help after the name. Options of this
    command precede the name, see mcpgen call.
    """
    from mcpgen_runtime.shell import results

    from mcpgen.servers.shell.tool_call import PROMPT, Call
    from mcpgen.servers.shell.user import terminal

    settings = Settings.from_options(arguments, options)
    command_line = settings.words_after(name, PROMPT)
    call = Call(PROMPT, command_line, terminal(settings.server))
    if settings.finish(call):
        print_result(call.result, join_texts(results.messages_text(call.result)), is_ordered=True)
