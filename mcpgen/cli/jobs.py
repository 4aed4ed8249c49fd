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
import traceback
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from mcpgen.cli.talk import aside, is_json, parts, problem
from mcpgen.errors import ContractError, Exit, McpgenError, UsageError
from mcpgen.files import cache
from mcpgen.project import Entry, Made, Project, find, folders
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


@dataclass(frozen=True, slots=True)
class Jobs:
    """What the tables make, and what is wrong with those that make nothing."""

    done: Sequence[Job]
    failed: dict[str, McpgenError]


def jobs(
    project: Project, names: Sequence[str] = (), *, use_cache: bool = True, quiet: bool = False
) -> Jobs:
    """Make everything that the tables say, in memory; one that fails costs the others nothing."""
    failed = project.broken(names)
    entries = project.entries(names)
    texts = {entry.name: text for entry, text in _contracts(project, entries, failed)}
    use_cache = use_cache and _is_cache_usable(quiet=quiet)
    ready = [entry for entry in entries if entry.name in texts]
    keys = {e.name: cache.key(texts[e.name], _said(e)) for e in ready} if use_cache else {}
    found = {name: kept for name, key in keys.items() if (kept := _kept(key))}
    lacking = [(entry, texts[entry.name]) for entry in ready if entry.name not in found]
    for name, made in _all(lacking, quiet=quiet):
        if isinstance(made, McpgenError):
            failed[name] = made
            continue
        found[name] = made
        if use_cache:
            cache.save(keys[name], to_document(made))
    done = [Job(each, texts[each.name], found[each.name]) for each in ready if each.name in found]
    return Jobs(done, failed)


def tell_failed(failed: Mapping[str, McpgenError]) -> None:
    """Say on stderr what is wrong with each server that failed; JSON has it in its document."""
    for name, error in failed.items():
        if not is_json():
            click.echo(f"{name}: {problem(error, as_json=False)}", err=True)


def failures(failed: Mapping[str, McpgenError]) -> dict[str, Any]:
    """Return what failed for a JSON document, which has no such member if nothing did."""
    return {"failed": {name: parts(error) for name, error in failed.items()}} if failed else {}


def exit_code(failed: Mapping[str, McpgenError]) -> int:
    """Return the code that a command ends with: the highest of those that failed."""
    return int(max((error.exit for error in failed.values()), default=Exit.DONE))


def _is_cache_usable(*, quiet: bool) -> bool:
    if reason := cache.distrust():
        aside(f"the cache is not used: {reason}", quiet=quiet)
    return not reason


def _contracts(
    project: Project, entries: Sequence[Entry], failed: dict[str, McpgenError]
) -> Iterator[tuple[Entry, bytes]]:
    """Yield the contracts that can be read; of the others, note what is wrong."""
    for entry in entries:
        try:
            for folder, key in folders(entry).items():
                project.refuse_outside(entry, folder, f"{entry.at}.{key}")
            yield entry, _contract(project, entry)
        except McpgenError as error:
            failed[entry.name] = error


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


def _make(entry: Entry, text: bytes) -> tuple[str, Made | McpgenError]:
    """Make what one table says, or say why that cannot be done."""
    from mcpgen.contract import handwritten
    from mcpgen.project.made import make

    try:
        return entry.name, make(entry, text, handwritten.parse(text, entry.contract))
    except McpgenError as error:
        return entry.name, error
    except Exception as error:
        return entry.name, _mistake(error, entry)


def _mistake(error: Exception, entry: Entry) -> McpgenError:
    """Say what went wrong within mcpgen, and where."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = "".join(f", {Path(frame.filename).name}:{frame.lineno}" for frame in last)
    said = f"{type(error).__name__}: {error}".partition("\n")[0][:300]
    hint = "this is a mistake of mcpgen's own; please report it with the contract"
    return ContractError(f"{said}{where}", entry.contract, hint)


def _all(
    work: Sequence[tuple[Entry, bytes]], *, quiet: bool
) -> Iterator[tuple[str, Made | McpgenError]]:
    processes = min(os.cpu_count() or 1, len(work))
    if processes < 2:
        yield from (_make(*each) for each in work)
        return
    importlib.import_module("mcpgen.codegen.pipeline")  # once, before there are several of us
    # Where processes are not forked, a new Python would look in the current folder first.
    os.environ.setdefault("PYTHONSAFEPATH", "1")

    pool = ProcessPoolExecutor(processes, initializer=_begin, initargs=(os.getpid(),))
    try:
        futures = {pool.submit(_make, *each): each[0] for each in work}
        with _progress(len(work), quiet=quiet) as step:
            for future in as_completed(futures):
                try:
                    yield future.result()
                except BrokenProcessPool as error:  # a process was killed, as for want of memory
                    yield futures[future].name, _mistake(error, futures[future])
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
