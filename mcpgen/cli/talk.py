"""What a command says: results on stdout, the rest on stderr, as text or as one JSON document."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click

from mcpgen.display import on_one_line, visible
from mcpgen.errors import Exit, McpgenError, Notice, UsageError

JSON = "--json"
_JSON, _TEXT = "json", "text"
_CODES = {
    Exit.FINDING: "finding",
    Exit.AUTHORIZATION: "auth_required",
    Exit.UNREACHABLE: "unreachable",
    Exit.CONTRACT: "contract",
}


def _remember(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        context.find_root().meta[JSON] = True


json_option: Callable[[Any], Any] = click.option(
    JSON,
    is_flag=True,
    is_eager=True,  # known before --format is
    expose_value=False,
    callback=_remember,
    help="Print one JSON document on stdout, and an error as one line of JSON on stderr.",
)


def _agreed(context: click.Context, _: click.Parameter, asked: str) -> str:
    """Let ``--format json`` be the same as ``--json``, and nothing say two things."""
    meta = context.find_root().meta
    meta[JSON] = meta.get(JSON, False) or asked == _JSON
    if meta[JSON] and asked not in (_JSON, _TEXT):
        raise UsageError("--json and --format say two things", JSON, "leave one of them out")
    return _JSON if meta[JSON] else asked


def format_option(formats: Sequence[str], help: str) -> Callable[[Any], Any]:
    """Declare ``--format``, of which ``json`` is the same as ``--json``."""
    return click.option(
        "-f",
        "--format",
        "format_",
        type=click.Choice(formats),
        default=_TEXT,
        show_default=True,
        callback=_agreed,
        help=help,
    )


def is_json(arguments: Sequence[str] | None = None) -> bool:
    """Say whether JSON was asked for: before it is parsed, or of the command that runs."""
    if arguments is not None:
        own = arguments[: arguments.index("--") if "--" in arguments else None]
        return any(map(_asks_for_json, own, [*own[1:], ""]))
    context = click.get_current_context(silent=True)
    return bool(context and context.find_root().meta.get(JSON))


def _asks_for_json(word: str, next_word: str) -> bool:
    if word in ("-f", "--format"):
        return next_word == _JSON
    return word in (JSON, f"--format={_JSON}", f"-f{_JSON}")


def result(document: Any, text: str = "") -> None:
    """Print what the command was asked for: the document with --json, else the text."""
    if is_json():
        click.echo(json.dumps(document, ensure_ascii=True, indent=2, sort_keys=True))
    elif text:
        shown(text if text.endswith("\n") else f"{text}\n")


def aside(text: str, *, quiet: bool = False) -> None:
    """Say something for a person on stderr."""
    if not quiet and not is_json():
        # A server's names and its log are a stranger's.
        click.echo(visible(text.expandtabs(4)), err=True)


def problem(error: McpgenError, *, as_json: bool) -> str:
    """Return an error as it is printed on stderr."""
    if not as_json:
        return visible(str(error))
    return json.dumps({"error": parts(error)})


def parts(error: McpgenError) -> dict[str, str]:
    """Return an error for a JSON document."""
    code = _CODES.get(error.exit, "usage")
    said = {"code": code, "message": error.problem, "where": error.where, "hint": error.hint}
    return {key: value for key, value in said.items() if value}


def noticed(notices: Sequence[Notice]) -> list[dict[str, str]]:
    """Return notices for a JSON document."""
    return [{"pointer": n.pointer, "reason": n.reason, "kind": n.kind} for n in notices]


def is_colored() -> bool:
    """Say whether colors are wanted on stdout."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def styled(text: str, **style: Any) -> str:
    """Color a text, if colors are wanted."""
    return click.style(text, **style) if is_colored() else text


def shown(text: str) -> None:
    """Print a text that ends its own lines, with its colors if they are wanted."""
    click.echo(text, nl=False, color=is_colored())


def tell(name: str, notices: Sequence[Notice], *, verbose: bool, quiet: bool) -> None:
    """Show the notices of a server: all of them, or how many there are."""
    for notice in notices if verbose else ():
        aside(on_one_line(f"notice: {name}: {notice.pointer}: {notice.reason}"), quiet=quiet)
    if notices and not verbose:
        count = f"{len(notices)} notice{'s' if len(notices) > 1 else ''}"
        aside(f"{name}: {count} (-v shows them)", quiet=quiet)
