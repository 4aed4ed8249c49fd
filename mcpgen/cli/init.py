"""`mcpgen init`: adds a table to pyproject.toml, or writes a contract for a new server."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import click
from mcpgen_runtime.display import visible

from mcpgen.cli.shared import questions
from mcpgen.cli.shared.console import log, print_result
from mcpgen.cli.shared.options import json_option
from mcpgen.contract import handwritten, scaffold
from mcpgen.errors import UsageError
from mcpgen.files import write
from mcpgen.project.command_words import split_command
from mcpgen.project.discovery import PYPROJECT
from mcpgen.project.new_entry import NewEntry, add, default_name

_WORDS = "mcpgen.words"


class _Init(click.Group):
    """A group that is also a command. The arguments after ``--`` are a server's command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        ctx.meta[_WORDS] = tuple(args[end + 1 :])
        return super().parse_args(ctx, args[:end])


@click.group(cls=_Init, name="init", invoke_without_command=True, short_help="Start a project.")
@click.option("--name", default="", help="Name of the server in this project.")
@click.option(
    "--source",
    default="",
    metavar="SERVER",
    help=("Command or URL of the server: see mcpgen record."),
)
@click.option("--contract", default="", metavar="FILE", help="Path of the contract file.")
@click.option("--client", metavar="DIR", help="Write a client's package into this folder.")
@click.option("--server", metavar="DIR", help="Write a server's project into this folder.")
@json_option
@click.pass_context
def command(  # noqa: PLR0913 - click gives each option as an argument
    context: click.Context,
    *,
    name: str,
    source: str,
    contract: str,
    client: str | None,
    server: str | None,
) -> None:
    """Add a server to pyproject.toml, for mcpgen lock, generate and check.

    Prompts for missing options at a terminal. A command that starts the server goes after --.
    """
    if context.invoked_subcommand is None:
        argv: tuple[str, ...] = context.meta[_WORDS]
        entry = NewEntry(
            name=name,
            source=argv or split_command(source),
            contract=contract,
            client=client,
            server=server,
        )
        _add(_ask(entry) if sys.stdin.isatty() else entry)


def _add(entry: NewEntry) -> None:
    if not entry.source and not entry.contract:
        hint = "mcpgen init --source https://example.org/mcp --client src"
        raise UsageError("the location of the server is missing", "--source", hint)
    entry = replace(entry, name=entry.name or default_name(entry.source, entry.contract))
    add(entry)
    log(f"{PYPROJECT}: [tool.mcpgen.servers.{entry.name}] written")
    print_result(
        {"file": PYPROJECT, "server": entry.name},
        visible(
            f"mcpgen lock {entry.name}    # records its contract\n"
            "mcpgen generate    # writes the code\n"
        ),
    )


def _ask(entry: NewEntry) -> NewEntry:
    """Ask for missing options."""
    source, name, client = entry.source, entry.name, entry.client
    if not source and not entry.contract:
        question = "Where is the server (a URL, file.py:object, a name of .mcp.json, or a command)"
        answer: str = click.prompt(question, err=True)
        source = split_command(answer)
    if not name:
        name = click.prompt(
            "Name of the server in this project", default_name(source, entry.contract), err=True
        )
    if client is None and entry.server is None:
        client = click.prompt("Folder for the client's package", "src", err=True)
    return replace(entry, source=source, name=name, client=client)


@command.command(name="server")
@click.option("--name", default="", help="Name that the server reports.")
@click.option("--version", default="0.1.0", show_default=True, help="The server's version.")
@click.option("--instructions", default="", help="Advice to the model that uses the server.")
@click.option(
    "--tool",
    "tools",
    multiple=True,
    metavar="TOOL",
    help="A tool: its name, or with arguments 'search(query, limit?: integer)'. Repeatable.",
)
@click.option(
    "--prompt",
    "prompts",
    multiple=True,
    metavar="PROMPT",
    help="A prompt: its name, or with arguments 'compare(product)'. Repeatable.",
)
@click.option("--resource", "uris", multiple=True, metavar="URI", help="A resource. Repeatable.")
@click.option(
    "--template",
    "templates",
    multiple=True,
    metavar="URI",
    help="A resource template, 'acme://products/{id}'. Repeatable.",
)
@click.option(
    "-o",
    "--output",
    "file",
    default="contract.yaml",
    show_default=True,
    metavar="FILE",
    help="Write to this file, as JSON if its suffix is .json, otherwise as YAML.",
)
@json_option
def server(  # noqa: PLR0913 - click gives each option as an argument
    *,
    name: str,
    version: str,
    instructions: str,
    tools: tuple[str, ...],
    prompts: tuple[str, ...],
    uris: tuple[str, ...],
    templates: tuple[str, ...],
    file: str,
) -> None:
    """Write a first contract. Prompts for missing options at a terminal."""
    path = Path(file)
    if path.exists():
        raise UsageError("the file exists already", file, "choose another folder with -o")
    outline = scaffold.Outline(name, version, instructions, tools, prompts, uris, templates)
    scaffold.check(outline)
    if sys.stdin.isatty():
        outline = questions.ask_missing(outline)
    if not outline.name:
        raise UsageError("the server needs a name", "--name", "mcpgen init server --name acme")
    text = scaffold.text(outline)
    document = handwritten.parse(text.encode(), "contract.yaml")
    if path.suffix == ".json":
        text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    write.replace(path, text)
    hint = f"{file}: written; describe your tools in it, then: mcpgen server {_path(path)}"
    print_result({"file": file, "server": outline.name}, visible(hint))


def _path(folder: Path) -> str:
    """Return a path that can't be confused with a server's name."""
    return str(folder) if folder.suffix else f"./{folder}"
