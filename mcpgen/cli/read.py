"""`mcpgen read`: reads a resource of a server."""

from __future__ import annotations

from collections.abc import Generator
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
from mcpgen.errors import UsageError
from mcpgen.jsontext import Json
from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.servers.recording.follow_up import FollowUpRequest, RequestPlan
from mcpgen.servers.recording.raw_responses import Answers


@click.command(cls=NamedCommand, name="read", short_help="Read a resource of a server.")
@server_options
@click.argument("name", metavar="URI", required=False, shell_complete=completed_names)
@late_options
def command(arguments: ServerArguments, name: str | None, **options: Any) -> None:
    """Read a resource of a server, and print its text.

    URI names a resource, or fills in the variables of a template. mcpgen list shows
    both. Binary contents are written to a folder by --save.
    """
    from mcpgen_runtime.shell import results

    from mcpgen.servers.shell.exchange import checked_result, send_one
    from mcpgen.servers.shell.servers import Server
    from mcpgen.servers.shell.user import terminal

    settings = Settings.from_options(arguments, options)
    if name is None:
        hint = f"see: mcpgen list {arguments.server}" if arguments.server else ""
        raise UsageError("no URI of a resource was given", hint=hint)
    if not settings.take_behind():
        click.echo(click.get_current_context().get_help())
        return
    result: dict[str, Json] = {}

    def further(_answers: Answers) -> Generator[FollowUpRequest, Json, None]:
        exchange = send_one(FollowUpRequest("resources/read", {"uri": name}))
        result.update((yield from checked_result(exchange, "resources/read", name)))

    request_plan = RequestPlan(frozenset(), further, terminal(settings.server))
    server = Server(arguments, settings.say, settings.command)
    contract = server.contract() or server.fulfil(request_plan, None)
    if contract is not None:
        server.fulfil(request_plan, contract)
    saved = settings.save_media(result, name.rpartition("/")[2])
    lines = join_texts(results.contents_text(result), *(item.file for item in saved))
    print_result(results.with_files(result, saved), lines, is_ordered=True)
