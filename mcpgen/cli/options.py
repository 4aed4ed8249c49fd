"""What `record` and `client` share: how a server is given, asked, and how notices are told."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

import click
from click.shell_completion import CompletionItem

from mcpgen.cli.talk import aside
from mcpgen.contract import document as contract
from mcpgen.contract import handwritten
from mcpgen.display import on_one_line
from mcpgen.endpoint import Offline, Overrides, Stdio, Target, resolve
from mcpgen.endpoint.overrides import parse_env, parse_headers
from mcpgen.endpoint.redaction import Secrets
from mcpgen.endpoint.resolve import STDIN
from mcpgen.endpoint.server_names import DEMO, known
from mcpgen.endpoint.target import Live
from mcpgen.errors import FindingError, McpgenError, Notice, UsageError
from mcpgen.project import Entry, Project, find
from mcpgen.recording.build_contract import Recorded

_Function = TypeVar("_Function", bound=Callable[..., Any])
_COMMAND = "mcpgen.command"
_SHOWN_LINES = 20
_FIRST_LINES = 5
_FILES = (".json", ".jsonc", ".py", ".toml", ".yaml", ".yml")
_LONGEST = 24 * 60 * 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The server that was asked for, and how; values as they stand on the command line."""

    server: str | None = None
    command: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    cwd: str | None = None
    timeout: float = 30.0
    transport: Literal["stdio", "http", "sse"] | None = None
    era: Literal["auto", "legacy", "modern"] = "auto"
    strict: bool = False
    verbose: bool = False
    quiet: bool = False


class ServerCommand(click.Command):
    """A command whose server may be the exact words after ``--``."""

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
            first = next((n for n, word in enumerate(own) if shutil.which(word)), None)
            if first is None or _COMMAND in ctx.meta:
                raise
            # The rest is not repeated: it may hold a secret.
            hint = f"a command goes after --: mcpgen {self.name} -- {own[first]} ..."
            raise UsageError(error.format_message(), hint=hint) from None

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        pieces = super().collect_usage_pieces(ctx)
        return ["SERVER | -- COMMAND..." if piece == "[SERVER]" else piece for piece in pieces]


def server_options(command: _Function) -> _Function:
    """Declare the server and the options on it; the function gets them as one ``asked``.

    The command's class must be :class:`ServerCommand`.
    """

    def asking(**values: Any) -> Any:
        shared = {name: values.pop(name) for name in Asked.__slots__ if name in values}
        words = click.get_current_context().meta.get(_COMMAND, ())
        return command(asked=Asked(**shared, command=words), **values)

    asking.__name__, asking.__doc__ = command.__name__, command.__doc__
    asking.__click_params__ = getattr(command, "__click_params__", [])  # type: ignore[attr-defined]
    for option in reversed(_OPTIONS):
        option(asking)
    return asking  # type: ignore[return-value] # the same to click, which calls it by keyword


def completed(
    _context: click.Context, _argument: click.Parameter, start: str
) -> list[CompletionItem]:
    """Return the names of servers that a shell completes, else let it complete files."""
    names = [name for name in known() if name.startswith(start)] if start else known()
    return [CompletionItem(name) for name in names] or [CompletionItem(start, type="file")]


_OPTIONS: Sequence[Callable[[Any], Any]] = (
    click.argument("server", required=False, shell_complete=completed),
    click.option(
        "--env",
        multiple=True,
        metavar="NAME[=VALUE]",
        help="Give a variable to the server; without a value, the one it has here. Repeatable.",
    ),
    click.option(
        "--header",
        multiple=True,
        metavar="'NAME: VALUE'",
        help="Send a header to a URL; ${VAR} is read from the environment. Repeatable.",
    ),
    click.option("--cwd", metavar="DIR", help="Start the command in this folder."),
    click.option(
        "--timeout",
        type=float,
        default=30.0,
        show_default=True,
        metavar="SECONDS",
        help="Give up when the server has not answered everything by then.",
    ),
    click.option(
        "--transport",
        type=click.Choice(["stdio", "http", "sse"]),
        help="How to talk to it, where that cannot be told from the server itself.",
    ),
    click.option(
        "--era",
        type=click.Choice(["auto", "legacy", "modern"]),
        default="auto",
        show_default=True,
        help="Ask as clients up to 2025-11-25 do, or as those since 2026-07-28.",
    ),
    click.option("--strict", is_flag=True, help="End with exit code 1 when there is a notice."),
    click.option("-v", "--verbose", is_flag=True, help="Show every notice, and the server's log."),
    click.option("-q", "--quiet", is_flag=True, help="Show no notices."),
)


def contract_of(asked: Asked) -> Recorded:
    """Ask the server for its contract, or read it from a file; say on stderr what is started."""
    if not asked.server and not asked.command:
        raise UsageError("no server was given", hint=f"try: {_command()} demo")
    found = project_entry(asked.server) if asked.server and not asked.command else None
    if found is not None:
        from mcpgen.cli.live import ask

        return ask(*found, asked)
    return recorded(resolve(asked.server, asked.command, overrides_of(asked)), asked)


def _command() -> str:
    context = click.get_current_context(silent=True)
    return context.command_path if context else "mcpgen record"


def project_entry(word: str) -> tuple[Project, Entry] | None:
    """Return the server of [tool.mcpgen] that a bare word names, if there is one."""
    if not re.fullmatch(r"[\w.-]+", word) or word == DEMO or Path(word).suffix in _FILES:
        return None
    try:
        project = find()
    except UsageError:
        return None
    if error := project.settings.broken.get(word):
        raise error
    entry = project.settings.servers.get(word)
    return None if entry is None else (project, entry)


def recorded(target: Target, asked: Asked) -> Recorded:
    """Ask what was resolved, in the manner that was asked for."""
    if not 0 < asked.timeout <= _LONGEST:
        raise UsageError(f"a number of seconds up to {_LONGEST} is needed", "--timeout")
    if isinstance(target, Stdio):
        aside(f"starting: {_without_variables(str(target))}")
    if isinstance(target, Offline):
        return _read(target.path)
    found = _record(target, asked)
    return replace(found, notices=(*target.notices, *found.notices))


def overrides_of(asked: Asked) -> Overrides:
    """Read what stands beside the server: variables, headers, the folder."""
    env = parse_env(asked.env)
    headers = parse_headers(asked.header, {**os.environ, **env})
    secrets = Secrets(dict(headers.expanded))
    return Overrides(env, headers.sent, asked.cwd, asked.transport, secrets, headers.written)


_SECRET = re.compile(r"TOKEN|KEY|SECRET|PASS|CREDENTIAL|AUTH", re.IGNORECASE)


def _without_variables(command: str) -> str:
    """Show ``$TOKEN`` where a shell put in the value of a variable that is named like a secret."""
    values = {v: f"${n}" for n, v in os.environ.items() if len(v) > 7 and _SECRET.search(n)}
    return Secrets(values).hide(command)


def _read(path: str) -> Recorded:
    text = read_file(path)
    where = "stdin" if path == STDIN else path
    document = handwritten.parse(text, where)
    found = contract.read(document, where)
    return Recorded(found, tuple(contract.left_out(document)))


def read_file(path: str) -> bytes:
    """Read a file that was given on the command line; ``-`` is what comes from stdin."""
    try:
        return sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"the file cannot be read: {error.strerror}", path) from None


def _record(target: Live, asked: Asked) -> Recorded:
    from mcpgen.recording.recorder import RecordOptions, record

    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="backslashreplace") as log:
        is_shown = asked.verbose
        try:
            return record(target, RecordOptions(asked.era, asked.timeout), log)
        except McpgenError:
            is_shown = True
            raise
        finally:
            if is_shown:
                log.seek(0)
                _show(log.read(), target, limit=None if asked.verbose else _SHOWN_LINES)


def _show(log: str, target: Live, limit: int | None) -> None:
    lines = target.origin().secrets.hide(log).splitlines()
    kept = lines
    if limit is not None and len(lines) > limit:
        # The reason often stands first, before a page of help.
        kept = [*lines[:_FIRST_LINES], "...", *lines[_FIRST_LINES - limit :]]
        last = limit - _FIRST_LINES
        aside(f"the server's log, its first {_FIRST_LINES} and last {last} lines (-v shows all):")
    elif kept:
        aside("the server's log:")
    for line in kept:
        aside(f"  {line}")


def tell(notices: Sequence[Notice], asked: Asked) -> None:
    """Print notices to stderr, counted by kind when they are many; with --strict they fail."""
    if notices and not asked.quiet:
        lines = _all(notices) if asked.verbose or len(notices) <= 10 else _counted(notices)
        aside("\n".join(lines))
    if notices and asked.strict:
        count = f"{len(notices)} notice{'s' if len(notices) > 1 else ''}"
        raise FindingError(f"{count}, and --strict was given", hint="see them all with -v")


def _all(notices: Sequence[Notice]) -> list[str]:
    return [f"notice: {line(notice)}" for notice in notices]


def _counted(notices: Sequence[Notice]) -> list[str]:
    kinds: dict[str, list[Notice]] = {}
    for notice in notices:
        kinds.setdefault(notice.kind or "other", []).append(notice)
    lines = [_count(kind, found) for kind, found in kinds.items()]
    return [*lines, "show each of them with -v"]


def _count(kind: str, found: Sequence[Notice]) -> str:
    if len(found) == 1:
        return f"notice: {line(found[0])}"
    tools = {notice.pointer.split("/")[2] for notice in found if notice.pointer[:7] == "/tools/"}
    where = f" in {len(tools)} tools" if len(tools) > 1 else ""
    return f"notice: {kind}: {len(found)}{where}, e.g. {line(found[0])}"


def line(notice: Notice) -> str:
    """Return a notice on one line."""
    # Names are a stranger's text: a line break or an escape code in one must not look like ours.
    return on_one_line(f"{notice.pointer}: {notice.reason}")
