"""What a command says: results on stdout, the rest on stderr, as text or as one JSON document."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from typing import Any

import click

from mcpgen.errors import Exit, McpgenError, Notice

JSON = "--json"
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
    expose_value=False,
    callback=_remember,
    help="Print one JSON document on stdout, and an error as one line of JSON on stderr.",
)


def is_json(arguments: Sequence[str] | None = None) -> bool:
    """Say whether JSON was asked for: before it is parsed, or of the command that runs."""
    if arguments is not None:
        return JSON in arguments[: arguments.index("--") if "--" in arguments else None]
    context = click.get_current_context(silent=True)
    return bool(context and context.find_root().meta.get(JSON))


def result(document: Any, text: str = "", *, as_json: bool = False) -> None:
    """Print what the command was asked for: the document with --json, else the text."""
    if as_json or is_json():
        click.echo(json.dumps(document, ensure_ascii=True, indent=2, sort_keys=True))
    elif text:
        click.echo(text, nl=not text.endswith("\n"))


def aside(text: str, *, quiet: bool = False) -> None:
    """Say something for a person on stderr."""
    if not quiet and not is_json():
        click.echo(text, err=True)


def problem(error: McpgenError, *, as_json: bool) -> str:
    """Return an error as it is printed on stderr."""
    if not as_json:
        return str(error)
    return line(_CODES.get(error.exit, "usage"), error.problem, error.where, error.hint)


def line(code: str, message: str, where: str = "", hint: str = "") -> str:
    """Return an error as one line of JSON."""
    parts = {"code": code, "message": message, "where": where, "hint": hint}
    return json.dumps({"error": {key: value for key, value in parts.items() if value}})


def noticed(notices: Sequence[Notice]) -> list[dict[str, str]]:
    """Return notices for a JSON document."""
    return [{"pointer": n.pointer, "reason": n.reason, "kind": n.kind} for n in notices]


def styled(text: str, **style: Any) -> str:
    """Color a text for a terminal, unless ``NO_COLOR`` is set."""
    return text if os.environ.get("NO_COLOR") else click.style(text, **style)


def tell(name: str, notices: Sequence[Notice], *, verbose: bool, quiet: bool) -> None:
    """Show the notices of a server: all of them, or how many there are."""
    from mcpgen.source.shown import visible

    for notice in notices if verbose else ():
        said = visible(f"{notice.pointer}: {notice.reason}")
        aside(f"notice: {name}: {said}".replace("\n", "\\n").replace("\t", " "), quiet=quiet)
    if notices and not verbose:
        count = f"{len(notices)} notice{'s' if len(notices) > 1 else ''}"
        aside(f"{name}: {count} (-v shows them)", quiet=quiet)
