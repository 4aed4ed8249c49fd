"""`mcpgen watch`: regenerates when the table, a contract or a server's source changes."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import click

from mcpgen.cli.shared.console import is_json, log
from mcpgen.cli.shared.options import Command, json_option, project_options
from mcpgen.errors import McpgenError
from mcpgen.project import watched_files
from mcpgen.project.discovery import Project, find_project
from mcpgen.servers.endpoint import python


@click.command(cls=Command, name="watch", short_help="Generate again whenever something changes.")
@project_options
@click.option(
    "--interval",
    type=click.FloatRange(0.05, 60),
    default=0.5,
    show_default=True,
    metavar="SECONDS",
    help="Check for changes at this interval.",
)
@click.option("-q", "--quiet", is_flag=True, help="Show errors alone.")
@json_option
def command(*, names: tuple[str, ...], config: str | None, interval: float, quiet: bool) -> None:
    """Generate again whenever a contract or [tool.mcpgen] changes, until interrupted.

    If a server is an object in a Python file or module, it is recorded again when a Python file
    next to it changes, and its contract is updated without consent. With --json each run prints one
    document.
    """
    project = find_project(config)
    project.names(names)
    _generate(project, names, quiet=quiet)
    before = watched_files.stamps(project, names)
    log("watching; press Ctrl-C to stop", quiet=quiet)
    while True:
        time.sleep(interval)
        project = _read_again(project)
        now = watched_files.stamps(project, names)
        if changed := watched_files.changed_files(before, now):
            _log_changed(project, changed, quiet=quiet)
            for name in watched_files.to_ask(project, names, changed):
                _run(project, ["lock", name, "--accept"], quiet=quiet)
            _generate(project, names, quiet=quiet)
            # Files that mcpgen wrote meanwhile don't trigger another run; files edited meanwhile
            # do.
            before = {**now, **watched_files.contract_stamps(project, names)}


def _log_changed(project: Project, changed: Sequence[str], *, quiet: bool) -> None:
    text = ", ".join(project.display_path(Path(path)) for path in changed[:3])
    log(f"changed: {text}", quiet=quiet)


def _read_again(project: Project) -> Project:
    """Read the table again. While it is invalid, the previous one stays in effect."""
    try:
        return find_project(str(project.file))
    except McpgenError:
        return project


def _generate(project: Project, names: Sequence[str], *, quiet: bool) -> None:
    _run(project, ["generate", *names], quiet=quiet)


def _run(project: Project, args: Sequence[str], *, quiet: bool) -> None:
    """Run a command in a child process, so that servers are imported again each time."""
    options = ["--config", str(project.file), *(["--json"] if is_json() else [])]
    quietly = ["-q"] if quiet else []
    sys.stdout.flush()
    subprocess.run(python.running("mcpgen", *args, *options, *quietly), check=False)  # noqa: S603 - our own command
