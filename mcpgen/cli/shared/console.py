"""Prints results to stdout, as text or one JSON document, and everything else to stderr."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

import click
from mcpgen_runtime.display import TerminalText, lines, on_one_line, visible
from mcpgen_runtime.redaction.credentials import CREDENTIALS

from mcpgen.errors import Exit, FindingError, McpgenError, Notice, indent_continuation
from mcpgen.project.shard import Shard

JSON = "--json"
JSON_FORMAT = "json"
_MANY = 10


def is_json() -> bool:
    """Return True if the running command has --json."""
    context = click.get_current_context(silent=True)
    return bool(context and context.find_root().meta.get(JSON))


def asks_for_json(arguments: Sequence[str]) -> bool:
    """Return True if a command line that isn't parsed yet has --json."""
    own = arguments[: arguments.index("--") if "--" in arguments else None]
    return any(map(_is_for_json, own, [*own[1:], ""]))


def _is_for_json(text: str, next_word: str) -> bool:
    if text in ("-f", "--format"):
        return next_word == JSON_FORMAT
    return text in (JSON, f"--format={JSON_FORMAT}", f"-f{JSON_FORMAT}")


NOTHING = TerminalText("")


def print_result(document: Any, text: TerminalText = NOTHING, *, is_ordered: bool = False) -> None:
    """Print the document with --json, otherwise the text.

    An ordered document keeps the order of its properties.
    """
    if is_json():
        printable = CREDENTIALS.strip(document)
        click.echo(json.dumps(printable, ensure_ascii=True, indent=2, sort_keys=not is_ordered))
    elif text:
        print_text(text if text.endswith("\n") else lines([text, NOTHING]))


def print_text(text: TerminalText) -> None:
    """Print text with its own line breaks, with colors if enabled."""
    click.echo(CREDENTIALS.hide(text), nl=False, color=is_colored())


def _print_error(text: TerminalText) -> None:
    click.echo(text, err=True)


def log(*messages: str, quiet: bool = False) -> None:
    """Print messages on stderr, each on lines of its own."""
    for message in messages if not quiet and not is_json() else ():
        # A server's text may repeat a credential. Its lines are indented, unlike ours.
        _print_error(visible(indent_continuation(CREDENTIALS.hide(message).expandtabs(4))))


def format_error(error: McpgenError, *, as_json: bool) -> TerminalText:
    """Return an error as printed on stderr."""
    if as_json:
        return visible(json.dumps({"error": CREDENTIALS.strip(error.document())}))
    return visible(CREDENTIALS.hide(str(error)))


# Commands on several servers, which fail independently


def log_failures(failed: Mapping[str, McpgenError]) -> None:
    """Print the error of each server. With --json the document holds the errors instead."""
    for name, error in failed.items():
        if not is_json():
            _print_error(visible(f"{on_one_line(name)}: {format_error(error, as_json=False)}"))


def failures_document(failed: Mapping[str, McpgenError]) -> dict[str, Any]:
    """Return the property `failed` of a JSON document, or nothing if no server failed."""
    return {"failed": {name: e.document() for name, e in failed.items()}} if failed else {}


def log_share(names: Sequence[str], shard: Shard | None, *, quiet: bool) -> None:
    """Print the servers of this shard."""
    if shard is not None:
        log(f"shard {shard}: {', '.join(names) or 'none of the servers'}", quiet=quiet)


def shard_document(shard: Shard | None) -> dict[str, str]:
    """Return the property `shard` of a JSON document, or nothing without --shard."""
    return {} if shard is None else {"shard": str(shard)}


def exit_code(failed: Mapping[str, McpgenError]) -> int:
    """Return the highest exit code of the errors, or `Exit.DONE` without any."""
    return int(max((error.exit for error in failed.values()), default=Exit.DONE))


# Notices


def notices_document(notices: Sequence[Notice]) -> list[dict[str, str]]:
    """Return notices for a JSON document."""
    return [{"pointer": n.pointer, "reason": n.reason, "kind": n.kind} for n in notices]


def notice_line(notice: Notice) -> TerminalText:
    """Return a notice on one line."""
    # The names in it are remote text.
    return on_one_line(f"{notice.pointer}: {notice.reason}")


def log_notices(
    notices: Sequence[Notice], *, strict: bool = False, verbose: bool = False, quiet: bool = False
) -> None:
    """Print notices to stderr, and if there are many, only their number by kind.

    Raises: FindingError: There is a notice, and `strict` is set.
    """
    if notices and not quiet:
        is_each_shown = verbose or len(notices) <= _MANY
        log(*(_all(notices) if is_each_shown else _counted_notices(notices)))
    if notices and strict:
        raise FindingError(
            f"{_number(notices)}, and --strict was given", hint="see them all with -v"
        )


def log_server_notices(name: str, notices: Sequence[Notice], *, verbose: bool, quiet: bool) -> None:
    """Print the notices of one of several servers, or their number."""
    for notice in notices if verbose else ():
        log(f"notice: {name}: {notice_line(notice)}", quiet=quiet)
    if notices and not verbose:
        log(f"{name}: {_number(notices)} (-v shows them)", quiet=quiet)


def _number(notices: Sequence[Notice]) -> str:
    return f"{len(notices)} notice{'s' if len(notices) > 1 else ''}"


def _all(notices: Sequence[Notice]) -> list[str]:
    return [f"notice: {notice_line(notice)}" for notice in notices]


def _counted_notices(notices: Sequence[Notice]) -> list[str]:
    kinds: dict[str, list[Notice]] = {}
    for notice in notices:
        kinds.setdefault(notice.kind or "other", []).append(notice)
    counts = [_count(kind, members) for kind, members in kinds.items()]
    return [*counts, "show each of them with -v"]


def _count(kind: str, notices: Sequence[Notice]) -> str:
    first = notice_line(notices[0])
    if len(notices) == 1:
        return f"notice: {first}"
    tools = {notice.pointer.split("/")[2] for notice in notices if notice.pointer[:7] == "/tools/"}
    where = f" in {len(tools)} tools" if len(tools) > 1 else ""
    return f"notice: {kind}: {len(notices)}{where}, e.g. {first}"


# The terminal


def is_colored() -> bool:
    """Return True if stdout gets colors (NO_COLOR, FORCE_COLOR, or a terminal)."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def with_style(text: TerminalText, **style: Any) -> TerminalText:
    """Add a style to text, if stdout supports colors."""
    return TerminalText(click.style(text, **style) if is_colored() else text)


@contextlib.contextmanager
def no_progress(_length: int) -> Generator[Callable[[], None]]:
    """Replace `progress` in quiet commands."""
    yield lambda: None


@contextlib.contextmanager
def progress(length: int) -> Generator[Callable[[], None]]:
    """Show a progress bar on a terminal. Yields a function that advances it by one."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    with click.progressbar(length=length, label="generating", file=sys.stderr) as bar:
        yield lambda: bar.update(1)
