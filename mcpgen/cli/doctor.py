"""`mcpgen doctor`: is everything in place? One line for each thing that was looked at."""

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

from mcpgen import __version__
from mcpgen.cli.jobs import Job, jobs, project_options
from mcpgen.cli.talk import json_option, result, styled
from mcpgen.errors import Exit, McpgenError, UsageError
from mcpgen.files import cache, journal, write
from mcpgen.files.swap import beside
from mcpgen.project import Entry, Project, find, left

_COLORS = {"ok": "green", "odd": "yellow", "bad": "red"}


@dataclass(frozen=True, slots=True)
class _Seen:
    """One thing that was looked at; ``bad`` ends with exit code 1."""

    what: str
    state: Literal["ok", "odd", "bad"]
    detail: str
    hint: str = ""


@click.command(name="doctor", short_help="Look for what is wrong with a project.")
@project_options
@click.option("--live", is_flag=True, help="Also ask each server, and say how long it took.")
@json_option
def command(*, names: tuple[str, ...], config: str | None, live: bool) -> int:
    """Look at the installation, the project, its contracts and its files.

    No server is asked without --live, and nothing is written.
    """
    seen = [*_installation(), *_project(config, names, live=live)]
    is_bad = any(each.state == "bad" for each in seen)
    text = "\n".join(_line(each) for each in seen)
    result({"ok": not is_bad, "seen": [asdict(each) for each in seen]}, text)
    return Exit.FINDING if is_bad else Exit.DONE


def _line(seen: _Seen) -> str:
    state = styled(f"{seen.state:4}", fg=_COLORS[seen.state])
    hint = f"\n{'':5}hint: {seen.hint}" if seen.hint else ""
    return f"{state} {seen.what}: {seen.detail}{hint}"


def _installation() -> Iterator[_Seen]:
    yield _Seen("mcpgen", "ok", f"{__version__} on Python {platform.python_version()}")
    for name in ("mcp", "pydantic", "black", "click"):
        try:
            yield _Seen(name, "ok", metadata.version(name))
        except metadata.PackageNotFoundError:
            yield _Seen(name, "bad", "not installed", f"pip install {name}")
    yield _cache()


def _cache() -> _Seen:
    place = cache.folder()
    try:
        sizes = [entry.stat().st_size for entry in os.scandir(place / "made")]
    except FileNotFoundError:
        return _Seen("cache", "ok", f"{place} (empty)")
    except OSError as error:
        return _Seen("cache", "odd", f"{place}: {error.strerror}", "set MCPGEN_CACHE_DIR")
    if reason := cache.distrust():
        return _Seen("cache", "odd", f"not used: {reason}", "set MCPGEN_CACHE_DIR")
    size = sum(sizes) / 1e6
    return _Seen(
        "cache", "ok", f"{place} ({_count(len(sizes), 'package')}, {size:.1f} MB; safe to delete)"
    )


def _project(config: str | None, names: tuple[str, ...], *, live: bool) -> Iterator[_Seen]:
    try:
        project = find(config)
        asked = project.names(names)
    except UsageError as error:
        yield _of("project", error)
        return
    yield _Seen("project", "ok", f"{project.file}: {_count(len(asked), 'server')}")
    for name, problem in project.broken(asked).items():
        yield _of(name, problem)
    for entry in project.entries(asked):
        yield from _entry(project, entry)
        if live and entry.source:
            yield _server(project, entry)
    for each in left(project, names):
        said = "no table makes it any more" + (f"; {each.kept}" if each.kept else "")
        yield _Seen(f"{each.server} {each.folder}", "bad", said, each.hint)
    used = {project.folder / entry.contract for entry in project.settings.servers.values()}
    for place in sorted((project.folder / "mcp").glob("*.contract.json")) if not names else ():
        if place not in used and not project.settings.broken:
            yield _Seen(project.shown(place), "odd", "no table uses this contract", "delete it")


def _entry(project: Project, entry: Entry) -> Iterator[_Seen]:
    found = jobs(project, [entry.name], quiet=True)
    for error in found.failed.values():
        yield _of(entry.name, error)
    for job in found.done:
        yield from _made(project, job)


def _made(project: Project, job: Job) -> Iterator[_Seen]:
    entry = job.entry
    notices = _count(len(job.made.notices), "notice")
    said = f"{entry.contract}, {notices}" if job.made.notices else entry.contract
    if job.made.proper is None:
        yield _Seen(entry.name, "ok", said)
    else:
        yield _Seen(entry.name, "bad", f"{said}, edited by hand", f"mcpgen lock {entry.name}")
    for tree in job.made.trees:
        place = project.folder / tree.folder
        yield from _files(f"{entry.name} {project.shown(place)}", place, tree.files)
        if left := beside(place):
            does = "completes what it began" if journal.unfinished(place) else "clears it away"
            said = f"a killed run left {project.shown(left[0])}"
            yield _Seen(entry.name, "odd", said, f"mcpgen generate {does}")


def _files(what: str, place: Path, files: Mapping[str, str]) -> Iterator[_Seen]:
    try:
        found = write.difference(files, place)
    except McpgenError as error:
        yield _of(what, error)
        return
    count = len(found.changed) + len(found.stale)
    if count:
        verb = "is" if count == 1 else "are"
        said = f"{_count(count, 'file')} {verb} out of date"
        yield _Seen(what, "bad", said, "mcpgen generate")
    else:
        yield _Seen(what, "ok", "up to date")


def _server(project: Project, entry: Entry) -> _Seen:
    from mcpgen.cli.live import ask
    from mcpgen.cli.options import Asked

    start = time.monotonic()
    try:
        recorded = ask(project, entry, Asked(quiet=True))
    except McpgenError as error:
        return _of(f"{entry.name} live", error)
    took = time.monotonic() - start
    count = _count(len(recorded.contract.tools), "tool")
    revision = recorded.contract.revision
    return _Seen(f"{entry.name} live", "ok", f"{count} in {took:.1f} s (revision {revision})")


def _count(count: int, noun: str) -> str:
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count} {noun if count == 1 else many}"


def _of(what: str, error: McpgenError) -> _Seen:
    where = f" ({error.where})" if error.where else ""
    return _Seen(what, "bad", f"{error.problem}{where}", error.hint)
