"""What the tables of a project make of their contracts: from the cache, or by several processes."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import click

from mcpgen import cache
from mcpgen.errors import UsageError
from mcpgen.project import Entry, Made, Project, find
from mcpgen.project.made import from_document, to_document

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Job:
    """One table, the bytes of its contract, and what they become."""

    entry: Entry
    text: bytes
    made: Made


def project_options(command: _Function) -> _Function:
    """Declare what every command on a project takes: the names, and where the project is."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def _completed(_context: click.Context, _argument: click.Parameter, start: str) -> list[str]:
    """Return the names that a shell completes."""
    with contextlib.suppress(UsageError):
        return [name for name in find().settings.servers if name.startswith(start)]
    return []


_OPTIONS: Sequence[Callable[[Any], Any]] = (
    click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=_completed),
    click.option(
        "--config",
        metavar="FILE",
        help="The pyproject.toml to use.  [default: the nearest one with a table tool.mcpgen]",
    ),
)
cache_option: Callable[[Any], Any] = click.option(
    "--no-cache", is_flag=True, help="Generate everything anew, and keep nothing for later."
)


def jobs(
    project: Project, entries: Sequence[Entry], *, use_cache: bool = True, quiet: bool = False
) -> list[Job]:
    """Make everything that the tables say, in memory; the first problem ends it."""
    texts = {entry.name: _contract(project, entry) for entry in entries}
    keys = {e.name: cache.key(texts[e.name], _said(e)) for e in entries} if use_cache else {}
    found = {name: made for name, key in keys.items() if (made := _kept(key))}
    lacking = [entry for entry in entries if entry.name not in found]
    for name, made in _all([(entry, texts[entry.name]) for entry in lacking], quiet=quiet):
        found[name] = made
        if use_cache:
            cache.save(keys[name], to_document(made))
    return [Job(entry, texts[entry.name], found[entry.name]) for entry in entries]


def _contract(project: Project, entry: Entry) -> bytes:
    place = project.folder / entry.contract
    try:
        return place.read_bytes()
    except FileNotFoundError:
        hint = f"record it with: mcpgen lock {entry.name}" if entry.source else "write it first"
        raise UsageError("there is no contract yet", entry.contract, hint) from None
    except OSError as error:
        reason = f"the contract cannot be read: {error.strerror}"
        raise UsageError(reason, entry.contract) from None


def _said(entry: Entry) -> str:
    """Return the part of a table that decides about the bytes, for the key."""
    return json.dumps(asdict(entry), sort_keys=True)


def _kept(key: str) -> Made | None:
    document = cache.load(key)
    return None if document is None else from_document(document)


def _make(entry: Entry, text: bytes) -> tuple[str, Made]:
    from mcpgen.cli import byhand
    from mcpgen.project.made import make

    return entry.name, make(entry, text, byhand.parse(text, entry.contract))


def _all(work: Sequence[tuple[Entry, bytes]], *, quiet: bool) -> Iterator[tuple[str, Made]]:
    processes = min(os.cpu_count() or 1, len(work))
    if processes < 2:
        yield from (_make(*each) for each in work)
        return
    importlib.import_module("mcpgen.pipeline")  # once, before there are several of us
    # Where processes are not forked, a new Python would look in the current folder first.
    os.environ.setdefault("PYTHONSAFEPATH", "1")

    pool = ProcessPoolExecutor(processes, initializer=_begin, initargs=(os.getpid(),))
    try:
        futures = [pool.submit(_make, *each) for each in work]
        with _progress(len(work), quiet=quiet) as step:
            for future in as_completed(futures):
                yield future.result()
                step()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


def _begin(parent: int) -> None:
    """Leave interruptions to the parent, and end when it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextlib.contextmanager
def _progress(length: int, *, quiet: bool) -> Generator[Callable[[], None]]:
    if quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    with click.progressbar(length=length, label="generating", file=sys.stderr) as bar:
        yield lambda: bar.update(1)
