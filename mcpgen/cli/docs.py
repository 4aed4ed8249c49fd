"""`mcpgen docs`: writes contracts, or a comparison of two, as pages of HTML."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import click
from mcpgen_runtime.redaction.credentials import CREDENTIALS

from mcpgen.cli.diff import compare_sources
from mcpgen.cli.shared.console import is_json, log, log_notices, notices_document, print_result
from mcpgen.cli.shared.options import (
    ServerCommand,
    completed_servers,
    json_option,
    no_observed_option,
    observed_place,
    server_options,
    split_name,
)
from mcpgen.codegen import naming
from mcpgen.codegen.pages.contract_page import contract_page
from mcpgen.codegen.pages.html import MARK, render_page
from mcpgen.compare import Severity
from mcpgen.compare.page import comparison_page
from mcpgen.contract.definitions import server_name
from mcpgen.errors import Notice, UsageError
from mcpgen.findings.policy import DiffPolicy, read_ignores
from mcpgen.project.observed import with_observed
from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.servers.recording.inputs import observed_file
from mcpgen.servers.recording.project_servers import contract_of

_STDOUT = "-"
_BEGINNING = 4_096


class _Command(ServerCommand):
    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return ["[OPTIONS]", "[NAME=]SERVER... | -- COMMAND..."]


@dataclass(frozen=True, slots=True)
class _Page:
    """A page, the name of its file, and a summary for the terminal."""

    name: str
    html: str
    summary: str
    notices: tuple[Notice, ...]


@click.command(
    cls=_Command, name="docs", short_help="Write a server's definitions as a page of HTML."
)
@server_options
@click.argument("others", nargs=-1, metavar="[SERVER]...", shell_complete=completed_servers)
@click.option(
    "-o",
    "--output",
    "output",
    metavar="FILE|DIR/",
    help="Write this file, or one file per server into this folder; - for stdout."
    "  [default: NAME.html]",
)
@click.option("--diff", "is_diff", is_flag=True, help="Compare the second contract with the first.")
@no_observed_option
@json_option
def command(arguments: ServerArguments, others: tuple[str, ...], **options: Any) -> None:
    """Write a page that documents each server.

    The page is one file that loads nothing else. It shows each tool with its arguments, results,
    hints and example calls, and the prompts and resources. A search filters them.

    SERVER is a contract, a file with a tools/list result, or a server as in `mcpgen record`. NAME
    is the name of the file, by default the server's own. With --diff, the page compares two of
    them as `mcpgen diff` does.
    """
    if is_json() and options["output"] == _STDOUT:
        problem = "--json and the page can't both go to stdout"
        raise UsageError(problem, f"-o {_STDOUT}", "leave one of them out")
    if options["is_diff"]:
        pages = [_comparison(arguments, others)]
    else:
        no_observed = options["no_observed"]
        first = [arguments] if arguments.command else []
        names = [*filter(None, [arguments.server]), *others]
        servers = [*first, *(replace(arguments, server=name, command=()) for name in names)]
        pages = [_contract(server, no_observed=no_observed) for server in servers or [arguments]]
    files = _files(pages, options["output"])
    for page in pages:
        log_notices(
            page.notices,
            strict=arguments.strict,
            verbose=arguments.verbose,
            quiet=arguments.quiet,
        )
    if files is None:
        click.echo(pages[0].html.encode(), nl=False)
        return
    _write(files, pages)
    notices = [notice for page in pages for notice in page.notices]
    print_result({"files": list(map(str, files)), "notices": notices_document(notices)})


def _contract(arguments: ServerArguments, *, no_observed: bool) -> _Page:
    name, server = split_name(arguments.server) if arguments.server else ("", None)
    arguments = replace(arguments, server=server)
    recorded = contract_of(arguments, log, "mcpgen docs")
    contract, lapsed = recorded.contract, list[Notice]()
    selected = observed_place(None, no_observed)
    observed = None if selected is False else observed_file.find(arguments, selected)
    if observed is not None:
        contract, lapsed = with_observed(contract, observed.content, observed.where)
    package = name or naming.package(server_name(contract))
    page = contract_page(contract, package)
    counts = ((len(section.entries), section.title.lower()) for section in page.sections)
    texts = (
        f"{number} {title.removesuffix('s') if number == 1 else title}" for number, title in counts
    )
    summary = ", ".join(texts) or "no definitions"
    notices = tuple(dict.fromkeys((*recorded.notices, *lapsed, *page.notices)))
    return _Page(package, CREDENTIALS.hide(render_page(page)), summary, notices)


def _comparison(arguments: ServerArguments, others: Sequence[str]) -> _Page:
    if len(others) > 1:
        raise UsageError("--diff compares two", others[1], "try: mcpgen docs --diff OLD NEW")
    policy = DiffPolicy(
        fail_on=frozenset[Severity](),
        ignores=read_ignores(()),
        today=date.today(),  # noqa: DTZ011 - the day where the entry's author is
    )
    compared = compare_sources(arguments, others[0] if others else None, policy)
    report = compared.report
    # Pages are shared, so they contain no paths of this machine.
    report = replace(report, old=_without_folder(report.old), new=_without_folder(report.new))
    page = comparison_page(report)
    counts = (f"{number} {name}" for name, number in page.counts)
    package = naming.package(report.server)
    summary = ", ".join(counts) or "no changes"
    return _Page(
        f"{package}-changes", CREDENTIALS.hide(render_page(page)), summary, compared.notices
    )


def _without_folder(name: str) -> str:
    return Path(name).name if Path(name).exists() else name


def _files(pages: Sequence[_Page], output: str | None) -> list[Path] | None:
    """Return the file of each page, or None for stdout. No file is touched yet."""
    names = [page.name for page in pages]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        hint = "give one of them another name: NAME=SERVER"
        raise UsageError(f"two servers are called {twice}", hint=hint)
    if output == _STDOUT and len(pages) == 1:
        return None
    if output is None:
        files = [Path(f"{name}.html") for name in names]
    elif output.endswith(("/", os.sep)) or Path(output).is_dir():
        files = [Path(output) / f"{name}.html" for name in names]
    elif len(pages) == 1:
        files = [Path(output)]
    else:
        hint = f"name a folder: -o {output}/" if output != _STDOUT else "write files, or one server"
        raise UsageError("several pages need a folder", f"-o {output}", hint)
    for file in files:
        _refuse_other_file(file)
    return files


def _refuse_other_file(file: Path) -> None:
    """Raise ``UsageError`` for an existing file that mcpgen didn't write."""
    if not file.exists():
        return
    try:
        with file.open("rb") as stream:
            is_page = MARK.encode() in stream.read(_BEGINNING)
    except OSError as error:
        raise UsageError(f"cannot read the file: {error.strerror}", str(file)) from None
    if not is_page:
        hint = "choose another file with -o, or remove it first"
        raise UsageError("the file wasn't written by mcpgen docs, so it stays", str(file), hint)


def _write(files: Sequence[Path], pages: Sequence[_Page]) -> None:
    from mcpgen.files import write

    for file, page in zip(files, pages, strict=True):
        content = page.html.encode()
        is_same = file.exists() and file.read_bytes() == content
        if not is_same:
            write.replace(file, content)
        log(f"{file}: {page.summary}{', unchanged' if is_same else ''}")
