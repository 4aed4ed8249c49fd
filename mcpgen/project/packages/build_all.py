"""Builds the packages of all tables, from the cache or in several processes."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

from mcpgen.errors import ContractError, McpgenError, UsageError
from mcpgen.files import cache
from mcpgen.jsontext import is_object
from mcpgen.project import observed_file
from mcpgen.project.configuration.model import Entry
from mcpgen.project.discovery import Project
from mcpgen.project.packages.build import Build, build, folders, from_document, to_document

Progress: TypeAlias = Callable[[int], AbstractContextManager[Callable[[], None]]]
"""Shows the progress of several builds. The yielded function is called after each."""

_Work: TypeAlias = Sequence[tuple[Entry, bytes, bytes | None]]
_Outcome: TypeAlias = tuple[str, Build | McpgenError]


@dataclass(frozen=True, slots=True)
class BuiltServer:
    """A table, the bytes of its contract, and its build."""

    entry: Entry
    text: bytes
    build: Build


@dataclass(frozen=True, slots=True)
class Builds:
    """The builds, the errors of tables that failed, and the reason why the cache isn't used."""

    completed: Sequence[BuiltServer]
    failed: Mapping[str, McpgenError]
    cache_problem: str = ""


@contextlib.contextmanager
def _no_progress(_length: int) -> Generator[Callable[[], None]]:
    yield lambda: None


def build_all(
    project: Project,
    names: Sequence[str] = (),
    *,
    use_cache: bool = True,
    jobs: int = 0,
    progress: Progress = _no_progress,
) -> Builds:
    """Build all tables in memory. A failing table doesn't affect the others.

    ``jobs`` limits the processes. The default is the number of processors.
    """
    failed = project.broken(names)
    entries = project.entries(names)
    texts: dict[str, bytes] = {}
    observed: dict[str, bytes | None] = {}
    for entry, text, recorded_digest in _contracts(project, entries, failed):
        texts[entry.name], observed[entry.name] = text, recorded_digest
    failed |= {
        name: error
        for name, error in clashing_variables(project).items()
        if texts.pop(name, None) is not None
    }
    cache_problem = cache.distrust() if use_cache else ""
    use_cache = use_cache and not cache_problem
    readable = [entry for entry in entries if entry.name in texts]
    keys = {e.name: _key(e, texts[e.name], observed[e.name]) for e in readable if use_cache}
    builds = {name: build for name, key in keys.items() if (build := _load_cached(key))}
    work = [(e, texts[e.name], observed[e.name]) for e in readable if e.name not in builds]
    for name, outcome in _outcomes(work, jobs or _processors(), progress):
        if isinstance(outcome, McpgenError):
            failed[name] = outcome
            continue
        builds[name] = outcome
        if use_cache:
            cache.save(keys[name], to_document(outcome))
    builts = [BuiltServer(e, texts[e.name], builds[e.name]) for e in readable if e.name in builds]
    return Builds(builts, failed, cache_problem)


_SHARED_NAME = re.compile(r"\$\{(MCP_\w+)")


def clashing_variables(project: Project) -> dict[str, McpgenError]:
    """Return errors for tables of different servers that read the same environment variable.

    Contracts of earlier versions used the same variable names, so one value would reach both
    servers.
    """
    users: dict[str, dict[str, str]] = {}
    for entry in project.settings.servers.values():
        origin = _origin(project.folder / entry.contract)
        for variable in set(_SHARED_NAME.findall(origin)):
            users.setdefault(variable, {})[entry.name] = origin
    failed: dict[str, McpgenError] = {}
    for variable, origins in sorted(users.items()):
        if len(set(origins.values())) < 2:
            continue
        for name in origins:
            other_names = ", ".join(sorted(origins.keys() - {name}))
            problem = f"the variable {variable} is also used by another server: {other_names}"
            where = f"tool.mcpgen.servers.{name}"
            failed[name] = UsageError(problem, where, "mcpgen lock --rename-variables renames it")
    return failed


def _origin(contract: Path) -> str:
    """Return the origin of a contract as text, or "" if it has no such variable."""
    try:
        text = contract.read_bytes()
        if b"${MCP_" not in text:
            return ""
        document: object = json.loads(text)
    except (OSError, ValueError, RecursionError):
        return ""  # the error is reported where the contract is built
    origin: object = document.get("origin") if is_object(document) else None
    return json.dumps(origin, sort_keys=True)


def _contracts(
    project: Project, entries: Sequence[Entry], failed: dict[str, McpgenError]
) -> Iterator[tuple[Entry, bytes, bytes | None]]:
    """Yield readable contracts with their observed files, and record errors of others."""
    for entry in entries:
        try:
            for folder, key in folders(entry).items():
                project.refuse_outside(entry, folder, f"{entry.table_name}.{key}")
            yield entry, _contract(project, entry), _read_observed(project, entry)
        except McpgenError as error:
            failed[entry.name] = error


def _contract(project: Project, entry: Entry) -> bytes:
    path = project.folder / entry.contract
    try:
        return path.read_bytes()
    except FileNotFoundError:
        hint = f"record it with: mcpgen lock {entry.name}" if entry.source else "write it first"
        raise UsageError("there is no contract yet", entry.contract, hint) from None
    except OSError as error:
        reason = f"the contract cannot be read: {error.strerror}"
        raise UsageError(reason, entry.contract) from None


def _read_observed(project: Project, entry: Entry) -> bytes | None:
    """Return the content of the observed file. A file that the table names must exist."""
    path = observed_file.of_entry(project, entry)
    if entry.client is None or path is None:
        return None
    is_named, hint = bool(entry.observed), f"see {entry.table_name}.observed"
    return observed_file.content(path, entry.observed_file, is_named=is_named, hint=hint)


def _key(entry: Entry, text: bytes, observed: bytes | None) -> str:
    """Return the cache key of everything that affects the output: files and table."""
    relevant = json.dumps(asdict(entry), sort_keys=True)
    return cache.key(text, relevant, *([] if observed is None else [observed]))


def _load_cached(key: str) -> Build | None:
    document = cache.load(key)
    return None if document is None else from_document(document)


def _build_one(entry: Entry, text: bytes, observed: bytes | None) -> _Outcome:
    """Build a table, or return its error."""
    from mcpgen.contract import handwritten

    try:
        return entry.name, build(entry, text, handwritten.parse(text, entry.contract), observed)
    except McpgenError as error:
        return entry.name, error
    except Exception as error:
        return entry.name, _own_mistake(error, entry)


def _own_mistake(error: Exception, entry: Entry) -> McpgenError:
    """Return the error for a defect of mcpgen, with its position."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = "".join(f", {Path(frame.filename).name}:{frame.lineno}" for frame in last)
    reason = f"{type(error).__name__}: {error}".partition("\n")[0][:300]
    hint = "please report this bug in mcpgen, with the contract"
    return ContractError(f"{reason}{where}", entry.contract, hint)


def _processors() -> int:
    """Return the number of processors available to this process."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _outcomes(work: _Work, jobs: int, progress: Progress) -> Iterator[_Outcome]:
    processes = min(jobs, len(work))
    if processes < 2:
        yield from (_build_one(*item) for item in work)
    else:
        yield from _by_processes(work, processes, progress)


def _by_processes(work: _Work, processes: int, progress: Progress) -> Iterator[_Outcome]:
    # Not needed if everything comes from the cache.
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool

    importlib.import_module("mcpgen.codegen.pipeline")  # once, before forking
    if any(entry.server for entry, _, _ in work):
        importlib.import_module("mcpgen.codegen.server_pipeline")
    # On systems without fork, a new Python would search the current folder first.
    os.environ.setdefault("PYTHONSAFEPATH", "1")

    pool = ProcessPoolExecutor(processes, initializer=_begin, initargs=(os.getpid(),))
    try:
        futures = {pool.submit(_build_one, *item): item[0] for item in work}
        with progress(len(work)) as step:
            for future in as_completed(futures):
                try:
                    yield future.result()
                # The operating system killed a process, for example when memory ran out.
                except BrokenProcessPool as error:
                    yield futures[future].name, _own_mistake(error, futures[future])
                step()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


def _begin(parent: int) -> None:
    """Ignore interrupts, which the parent handles, and exit after the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
