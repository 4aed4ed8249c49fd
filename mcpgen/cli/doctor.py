"""`mcpgen doctor`: checks installation and project, one line per check."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

import click
from mcpgen_runtime.display import TerminalText, lines, on_one_line

from mcpgen import __version__, installing
from mcpgen.cli.shared.console import log, print_result, with_style
from mcpgen.cli.shared.options import Command, json_option, project_options
from mcpgen.errors import Exit, McpgenError, UsageError
from mcpgen.files import cache, journal, write
from mcpgen.files.swap import containers_of
from mcpgen.project.configuration.model import Entry
from mcpgen.project.dependencies import missing_runtime
from mcpgen.project.discovery import Project, find_project
from mcpgen.project.packages.build_all import BuiltServer, build_all
from mcpgen.project.packages.manifest import leftovers

_COLORS = {"ok": "green", "odd": "yellow", "bad": "red"}


@dataclass(frozen=True, slots=True)
class _Check:
    """A check with its result. ``bad`` sets exit code 1."""

    what: str
    state: Literal["ok", "odd", "bad"]
    detail: str
    hint: str = ""


@click.command(cls=Command, name="doctor", short_help="Find problems in a project.")
@project_options
@click.option(
    "--live", is_flag=True, help=("Also connect to each server, and show the response time.")
)
@json_option
def command(*, names: tuple[str, ...], config: str | None, live: bool) -> int:
    """Check the installation, the project, its contracts and files.

    Servers are only contacted with --live. Nothing is written.
    """
    checks = [*_installation(), *_project(config, names, live=live)]
    is_bad = any(check.state == "bad" for check in checks)
    text = lines(_line(check) for check in checks)
    print_result({"ok": not is_bad, "seen": [asdict(check) for check in checks]}, text)
    return Exit.FINDING if is_bad else Exit.DONE


def _line(check: _Check) -> TerminalText:
    state = with_style(on_one_line(check.state.ljust(4)), fg=_COLORS[check.state])
    first = TerminalText(f"{state} {on_one_line(f'{check.what}: {check.detail}')}")
    return lines([first, on_one_line(f"{'':5}hint: {check.hint}")]) if check.hint else first


def _installation() -> Iterator[_Check]:
    yield _Check("mcpgen", "ok", f"{__version__} on Python {platform.python_version()}")
    yield from map(_requirement, ("mcp", "pydantic", "black", "click"))
    yield _cache()


def _requirement(name: str) -> _Check:
    """Compare an installed library with the versions that mcpgen declares."""
    from packaging.requirements import Requirement

    declared = map(Requirement, metadata.requires("mcpgen") or ())
    specifier = next(
        (requirement.specifier for requirement in declared if requirement.name == name), None
    )
    specifier_text = f"{name}{specifier or ''}"
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return _Check(name, "bad", "not installed", f'pip install "{specifier_text}"')
    if specifier is not None and not specifier.contains(version, prereleases=True):
        return _Check(
            name,
            "bad",
            f"{version}, but mcpgen needs {specifier_text}",
            f'pip install "{specifier_text}"',
        )
    return _Check(name, "ok", version)


def _cache() -> _Check:
    try:
        path = cache.folder()
    except FileNotFoundError as error:
        return _Check("cache", "odd", f"not used: {error}", "set MCPGEN_CACHE_DIR")
    try:
        sizes = [entry.stat().st_size for entry in os.scandir(path / "made")]
    except FileNotFoundError:
        return _Check("cache", "ok", f"{path} (empty)")
    except OSError as error:
        return _Check("cache", "odd", f"{path}: {error.strerror}", "set MCPGEN_CACHE_DIR")
    if reason := cache.distrust():
        return _Check("cache", "odd", f"not used: {reason}", "set MCPGEN_CACHE_DIR")
    size = sum(sizes) / 1e6
    return _Check(
        "cache", "ok", f"{path} ({_count(len(sizes), 'package')}, {size:.1f} MB; safe to delete)"
    )


def _project(config: str | None, names: tuple[str, ...], *, live: bool) -> Iterator[_Check]:
    try:
        project = find_project(config)
        chosen = project.names(names)
    except UsageError as error:
        yield _error_check("project", error)
        return
    yield _Check("project", "ok", f"{project.file}: {_count(len(chosen), 'server')}")
    for name, problem in project.broken(chosen).items():
        yield _error_check(name, problem)
    if missing := missing_runtime(project, chosen):
        yield _Check("runtime", "odd", missing, installing.runtime_hint())
    for entry in project.entries(chosen):
        yield from _entry(project, entry)
        if live and entry.source:
            yield _server(project, entry)
    for leftover in leftovers(project, names):
        detail = "no table generates it any longer" + (
            f"; {leftover.kept_reason}" if leftover.kept_reason else ""
        )
        yield _Check(f"{leftover.server} {leftover.folder}", "bad", detail, leftover.hint)
    used = {project.folder / entry.contract for entry in project.settings.servers.values()}
    for path in sorted((project.folder / "mcp").glob("*.contract.json")) if not names else ():
        if path not in used and not project.settings.broken:
            yield _Check(
                project.display_path(path), "odd", "no table uses this contract", "delete it"
            )


def _entry(project: Project, entry: Entry) -> Iterator[_Check]:
    builds = build_all(project, [entry.name])
    for error in builds.failed.values():
        yield _error_check(entry.name, error)
    for built in builds.completed:
        yield from _check_built(project, built)


def _check_built(project: Project, built: BuiltServer) -> Iterator[_Check]:
    entry, build = built.entry, built.build
    notices = _count(len(build.notices), "notice")
    detail = f"{entry.contract}, {notices}" if build.notices else entry.contract
    if build.canonical is None:
        yield _Check(entry.name, "ok", detail)
    else:
        yield _Check(entry.name, "bad", f"{detail}, edited by hand", f"mcpgen lock {entry.name}")
    for tree in build.trees:
        path = project.folder / tree.folder
        yield from _files(f"{entry.name} {project.display_path(path)}", path, tree.files)
        if paths := containers_of(path):
            does = (
                "completes the interrupted write"
                if journal.is_unfinished(path)
                else "clears it away"
            )
            detail = f"a killed run left {project.display_path(paths[0])}"
            yield _Check(entry.name, "odd", detail, f"mcpgen generate {does}")


def _files(what: str, folder: Path, files: Mapping[str, str]) -> Iterator[_Check]:
    try:
        difference = write.difference(files, folder)
    except McpgenError as error:
        yield _error_check(what, error)
        return
    count = len(difference.changed) + len(difference.stale)
    if count:
        verb = "is" if count == 1 else "are"
        detail = f"{_count(count, 'file')} {verb} out of date"
        yield _Check(what, "bad", detail, "mcpgen generate")
    else:
        yield _Check(what, "ok", "up to date")


def _server(project: Project, entry: Entry) -> _Check:
    from mcpgen.servers.recording.arguments import ServerArguments
    from mcpgen.servers.recording.project_servers import ask

    start = time.monotonic()
    try:
        recorded = ask(project, entry, ServerArguments(quiet=True), log)
    except McpgenError as error:
        return _error_check(f"{entry.name} live", error)
    took = time.monotonic() - start
    count = _count(len(recorded.contract.tools), "tool")
    revision = recorded.contract.revision
    return _Check(f"{entry.name} live", "ok", f"{count} in {took:.1f} s (revision {revision})")


def _count(count: int, noun: str) -> str:
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count} {noun if count == 1 else many}"


def _error_check(what: str, error: McpgenError) -> _Check:
    where = f" ({error.where})" if error.where else ""
    return _Check(what, "bad", f"{error.problem}{where}", error.hint)
