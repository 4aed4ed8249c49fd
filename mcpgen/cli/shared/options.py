"""The options and the server arguments that several commands share."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import click
from click.shell_completion import CompletionItem
from mcpgen_runtime.display import shell_words

from mcpgen.cli.shared import console
from mcpgen.errors import UsageError
from mcpgen.project.configuration.model import CAPABILITIES
from mcpgen.project.shard import Shard, parse

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Option = Callable[[Any], Any]
_COMMAND = "mcpgen.command"
_TEXT = "text"

STANDALONE_HELP = (
    "Put a copy of the runtime library into the package, which then needs only mcp and pydantic."
)
"""The help of the option ``--standalone``."""


# The order of options in help

COMMON = frozenset(
    "env header account cwd timeout transport era capability accept_origin config shard jobs"
    " no_cache observed no_observed strict verbose quiet json".split()
)
"""The names of options that many commands have."""


class Command(click.Command):
    """A command whose help shows its own options first, and then the common ones."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        own: list[tuple[str, str]] = []
        common: list[tuple[str, str]] = []
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx) if isinstance(option, click.Option) else None
            if record is not None:
                is_common = option.name in COMMON or option is self.get_help_option(ctx)
                (common if is_common else own).append(record)
        for title, records in (("Options", own), ("Common options" if own else "Options", common)):
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


# --json and --format


def _remember(context: click.Context, _: click.Parameter, is_given: bool) -> None:
    if is_given:
        context.find_root().meta[console.JSON] = True


json_option: _Option = click.option(
    console.JSON,
    is_flag=True,
    is_eager=True,  # known before --format is
    expose_value=False,
    callback=_remember,
    help="Print one JSON document on stdout, and an error as one line of JSON on stderr.",
)


def _store_format(context: click.Context, _: click.Parameter, format: str) -> str:
    """Treat `--format json` as `--json`. Reject `--json` with another format."""
    meta = context.find_root().meta
    meta[console.JSON] = meta.get(console.JSON, False) or format == console.JSON_FORMAT
    if meta[console.JSON] and format not in (console.JSON_FORMAT, _TEXT):
        problem = "--json and --format exclude each other"
        raise UsageError(problem, console.JSON, "leave one of them out")
    return console.JSON_FORMAT if meta[console.JSON] else format


def format_option(formats: Sequence[str], help: str) -> _Option:
    """Return the option ``--format``, where ``json`` equals ``--json``."""
    return click.option(
        "-f",
        "--format",
        "format_",
        type=click.Choice(formats),
        default=_TEXT,
        show_default=True,
        callback=_store_format,
        help=help,
    )


output_option: _Option = click.option(
    "-o", "--output", "file", metavar="FILE", help="Write to this file, not to stdout."
)


# The servers of a project


def project_options(command: _Function) -> _Function:
    """Add the options of commands on a project: names of servers, and the project's location."""
    for option in reversed(_PROJECT_OPTIONS):
        command = option(command)
    return command


def _completed_names(_context: click.Context, _argument: click.Parameter, start: str) -> list[str]:
    """Return the names that a shell completes."""
    from mcpgen.project.discovery import project_here

    project = project_here()
    return [name for name in project.settings.servers if name.startswith(start)] if project else []


_PROJECT_OPTIONS: Sequence[_Option] = (
    click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=_completed_names),
    click.option(
        "--config",
        metavar="FILE",
        help="The pyproject.toml to use.  [default: the nearest one with a table tool.mcpgen]",
    ),
)


def _parse_shard(_context: click.Context, _: click.Parameter, text: str | None) -> Shard | None:
    return None if text is None else parse(text)


shard_option: _Option = click.option(
    "--shard",
    metavar="K/N",
    callback=_parse_shard,
    help="Process only the K-th of N shards. Each server is in exactly one of them.",
)
jobs_option: _Option = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Use this many processes.  [default: one for each processor]",
)
cache_option: _Option = click.option(
    "--no-cache", is_flag=True, help="Generate everything without reading or writing the cache."
)
observed_option: _Option = click.option(
    "--observed",
    metavar="FILE",
    help="Read observed result types from this file, written by mcpgen observe."
    "  [default: the one of the contract's table, or CONTRACT.observed.json next to it]",
)
no_observed_option: _Option = click.option(
    "--no-observed", is_flag=True, help="Ignore observed result types."
)


def observed_place(file: str | None, no_observed: bool) -> str | Literal[False]:
    """Return the selected observed file, or "" for the one next to the contract."""
    if no_observed and file is not None:
        problem = "--observed and --no-observed exclude each other"
        raise UsageError(problem, "--no-observed", "leave one of them out")
    return False if no_observed else file or ""


# One server


class ServerCommand(Command):
    """A command whose server may be a command after ``--``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = args
        if "--" in args:
            end = args.index("--")
            own, command = args[:end], args[end + 1 :]
            if not command:
                hint = f"try: mcpgen {self.name} demo"
                raise UsageError("no command follows --", hint=hint)
            ctx.meta[_COMMAND] = tuple(command)
        try:
            return super().parse_args(ctx, list(own))
        except click.UsageError as error:
            first = next((n for n, token in enumerate(own) if shutil.which(token)), None)
            if first is None or _COMMAND in ctx.meta:
                raise
            # The rest may contain a secret, so it is not repeated.
            hint = f"a command goes after --: mcpgen {self.name} -- {own[first]} ..."
            raise UsageError(error.format_message(), hint=hint) from None

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        pieces = super().collect_usage_pieces(ctx)
        return ["SERVER | -- COMMAND..." if piece == "[SERVER]" else piece for piece in pieces]


def server_options(command: _Function) -> _Function:
    """Add the server argument and its options, which the function gets as ``arguments``.

    The command's class must be :class:`ServerCommand`.
    """

    def collecting(**values: Any) -> Any:
        from mcpgen.servers.recording.arguments import ServerArguments

        shared = {name: values.pop(name) for name in ServerArguments.__slots__ if name in values}
        args = click.get_current_context().meta.get(_COMMAND, ())
        return command(arguments=ServerArguments(**shared, command=args), **values)

    collecting.__name__, collecting.__doc__ = command.__name__, command.__doc__
    parameters = getattr(command, "__click_params__", [])
    collecting.__click_params__ = parameters  # type: ignore[attr-defined]
    for option in reversed(_SERVER_OPTIONS):
        option(collecting)
    return collecting  # type: ignore[return-value] # the same to click, which calls it by keyword


_NAMED = re.compile(r"([A-Za-z_]\w*)=(.+)")


def split_name(token: str) -> tuple[str, str]:
    """Split ``NAME=SERVER``. Without a name, it is "" and the server is the whole token.

    A file whose name looks like that is a server without a name.
    """
    named = _NAMED.fullmatch(token)
    return (named[1], named[2]) if named and not Path(token).is_file() else ("", token)


def completed_servers(
    _context: click.Context, _argument: click.Parameter, start: str
) -> list[CompletionItem]:
    """Return server names for shell completion, or complete files."""
    from mcpgen.servers.endpoint.host_files.server_names import known_names

    names = shell_words(name for name in known_names() if name.startswith(start))
    return [CompletionItem(name) for name in names] or [CompletionItem(start, type="file")]


def _capabilities(_context: click.Context, _: click.Parameter, text: str | None) -> tuple[str, ...]:
    """Parse comma-separated names."""
    if text is None:
        return ()
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in CAPABILITIES:
            problem = f"{name!r} is not a client capability"
            raise UsageError(problem, "--capability", f"known: {', '.join(CAPABILITIES)}")
    return tuple(sorted(set(names)))


_SERVER_OPTIONS: Sequence[_Option] = (
    click.argument("server", required=False, shell_complete=completed_servers),
    click.option(
        "--env",
        multiple=True,
        metavar="NAME[=VALUE]",
        help="Pass a variable to the server. Without a value, pass the current one. Repeatable.",
    ),
    click.option(
        "--header",
        multiple=True,
        metavar="'NAME: VALUE'",
        help="Send a header to a URL; ${VAR} is read from the environment. Repeatable.",
    ),
    click.option("--account", metavar="NAME", help="Use the login with this name."),
    click.option("--cwd", metavar="DIR", help="Start the command in this folder."),
    click.option(
        "--timeout",
        type=float,
        default=30.0,
        show_default=True,
        metavar="SECONDS",
        help="Give up if the server takes longer than this.",
    ),
    click.option(
        "--transport",
        type=click.Choice(["stdio", "http", "sse"]),
        help="Transport, if it can't be detected.",
    ),
    click.option(
        "--era",
        type=click.Choice(["auto", "legacy", "modern"]),
        default="auto",
        show_default=True,
        help="Use the protocol up to 2025-11-25 (legacy), or since 2026-07-28 (modern).",
    ),
    click.option(
        "--capability",
        metavar="NAME,...",
        callback=_capabilities,
        help="Declare client capabilities: elicitation, roots, sampling.  [default: elicitation]",
    ),
    click.option(
        "--accept-origin",
        metavar="DIGEST",
        default="",
        help="Start the server of a contract file without confirmation.",
    ),
    click.option("--strict", is_flag=True, help="Exit with code 1 if there is a notice."),
    click.option("-v", "--verbose", is_flag=True, help="Show every notice, and the server's log."),
    click.option("-q", "--quiet", is_flag=True, help="Show no notices."),
)
