"""Records the servers of a project according to their tables."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mcpgen.errors import McpgenError, UsageError
from mcpgen.jsontext import Json
from mcpgen.servers.endpoint import Http, Offline, Overrides, Stdio, Target, resolve
from mcpgen.servers.endpoint.launchers import DEMO
from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.servers.recording.build_contract import Recorded
from mcpgen.servers.recording.request import Say, contract_of_target

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from mcpgen.project.configuration.model import Entry
    from mcpgen.project.discovery import Project
    from mcpgen.servers.recording.follow_up import RequestPlan

_FILES = (".json", ".jsonc", ".py", ".toml", ".yaml", ".yml")
_MAX_AT_ONCE = 8


def contract_of(
    arguments: ServerArguments,
    say: Say,
    example: str = "mcpgen record",
    request_plan: RequestPlan | None = None,
) -> Recorded:
    """Record a server, or read a contract. ``example`` is a command for hints."""
    if not arguments.server and not arguments.command:
        raise UsageError("no server was given", hint=f"try: {example} demo")
    named = project_entry(arguments.server) if arguments.server and not arguments.command else None
    if named is not None:
        return ask(*named, arguments, say, request_plan)
    target = resolve(arguments.server, arguments.command, arguments.overrides())
    return contract_of_target(target, arguments, say, request_plan)


def http_target(server: str) -> Http:
    """Return the target of a server with a URL. Raises ``UsageError`` for other servers."""
    arguments = ServerArguments(server=server)
    named = project_entry(server)
    if named is None:
        target = resolve(server, (), arguments.overrides())
    else:
        project, entry = named
        with _in_folder(project.folder):
            target = _target(project, entry, _merge(entry, arguments))
    if isinstance(target, Http):
        return target
    hint = "a server started by a command has all permissions of its user"
    raise UsageError("only a server with an http(s) URL has a login", server, hint)


def target_of(arguments: ServerArguments) -> Target:
    """Return the target of a command line, according to its table if it has one."""
    named = project_entry(arguments.server) if arguments.server else None
    if named is None:
        return resolve(arguments.server, arguments.command, arguments.overrides())
    project, entry = named
    with _in_folder(project.folder):
        if not entry.source:
            return Offline(str(Path(entry.contract).resolve()))
        target = _target(project, entry, _merge(entry, arguments))
    if isinstance(target, Stdio) and target.cwd is None:
        return replace(target, cwd=str(project.folder))
    return target


def is_trusted(arguments: ServerArguments) -> bool:
    """Return True for the built-in source ``demo`` and for a table with ``trust = true``."""
    if arguments.command or not arguments.server:
        return False
    if arguments.server == DEMO:
        return True
    named = project_entry(arguments.server)
    return named is not None and named[1].is_trusted


def project_entry(name: str) -> tuple[Project, Entry] | None:
    """Return the server of [tool.mcpgen] with this name, or None."""
    if not re.fullmatch(r"[\w.-]+", name) or name == DEMO or Path(name).suffix in _FILES:
        return None
    from mcpgen.project.discovery import project_here

    project = project_here()
    if project is None:
        return None
    if error := project.settings.broken.get(name):
        raise error
    entry = project.settings.servers.get(name)
    return None if entry is None else (project, entry)


def ask(
    project: Project,
    entry: Entry,
    arguments: ServerArguments,
    say: Say,
    request_plan: RequestPlan | None = None,
) -> Recorded:
    """Record the server of a table from the project's folder, or read its contract.

    Options of the command line take precedence over the table.
    """
    merged = _merge(entry, arguments)
    with _in_folder(project.folder):
        target = _target(project, entry, merged) if entry.source else Offline(entry.contract)
        return contract_of_target(target, merged, say, request_plan)


@contextlib.contextmanager
def ask_all(
    project: Project, entries: Sequence[Entry], arguments: ServerArguments, say: Say
) -> Generator[dict[str, Callable[[], Recorded]]]:
    """Record several servers at once, with a function for each that waits for its contract.

    Only servers that are started by a command overlap. The others follow, one at a time, because
    a server of this process, and the SDK for a URL, change the streams of the whole process.
    Messages of a server are reported when its function is called.
    """
    from concurrent.futures import ThreadPoolExecutor, wait

    from mcpgen.servers.recording.wire import server_process

    with _in_folder(project.folder), ThreadPoolExecutor(_MAX_AT_ONCE) as pool:
        is_several = len(entries) > 1 and server_process.IS_USED
        if is_several and not arguments.quiet:
            say(f"asking {len(entries)} servers")  # the first messages may take a while
        try:
            started = {
                entry.name: _ask_in_thread(pool, project, entry, arguments, say)
                for entry in entries
                if is_several and _is_command(project, entry, arguments)
            }
            futures = [future for future, _ in started.values()]

            def ask_alone(entry: Entry) -> Recorded:
                wait(futures)
                return ask(project, entry, arguments, say)

            yield {
                entry.name: started[entry.name][1]
                if entry.name in started
                else partial(ask_alone, entry)
                for entry in entries
            }
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            server_process.end_all()  # otherwise leaving the block would wait for them
            raise


def _is_command(project: Project, entry: Entry, arguments: ServerArguments) -> bool:
    with contextlib.suppress(McpgenError):  # raised again when the server is asked
        return isinstance(_target(project, entry, _merge(entry, arguments)), Stdio)
    return False


def _ask_in_thread(
    pool: ThreadPoolExecutor, project: Project, entry: Entry, arguments: ServerArguments, say: Say
) -> tuple[Future[Recorded], Callable[[], Recorded]]:
    messages: list[str] = []
    future = pool.submit(ask, project, entry, arguments, messages.append)

    def answer() -> Recorded:
        try:
            return future.result()
        finally:
            for message in messages:
                say(message)

    return future, answer


def _merge(entry: Entry, arguments: ServerArguments) -> ServerArguments:
    default = ServerArguments()
    return replace(
        arguments,
        server=entry.source if isinstance(entry.source, str) else None,
        command=() if isinstance(entry.source, str) else entry.source,
        env=(*entry.env, *arguments.env),
        header=(*entry.header, *arguments.header),
        account=arguments.account or entry.account or None,
        cwd=arguments.cwd or entry.cwd or None,
        timeout=entry.timeout if arguments.timeout == default.timeout else arguments.timeout,
        transport=arguments.transport or entry.transport,
        era=entry.era if arguments.era == default.era else arguments.era,
        capability=arguments.capability or entry.capability,
    )


def _target(project: Project, entry: Entry, arguments: ServerArguments) -> Target:
    overrides = arguments.overrides()
    source = entry.source
    if isinstance(source, str) and "://" not in source:
        return _resolve_source(source, overrides, entry)
    # Parsed like an entry of a configuration file, to expand its variables.
    raw: dict[str, Json] = {"url": source}
    if not isinstance(source, str):
        raw = {"command": source[0], "args": list(source[1:])}
    from mcpgen.servers.endpoint.host_files import host_config
    from mcpgen.servers.endpoint.host_files.host_config import HostConfig

    config = HostConfig(project.file, "tool/mcpgen/servers", {entry.name: raw})
    return host_config.target_of(config, entry.name, overrides)


def _resolve_source(text: str, overrides: Overrides, entry: Entry) -> Target:
    try:
        return resolve(text, (), overrides)
    except UsageError as error:
        if not re.search(r"\s", text):
            raise
        hint = f"the words of a command are a list: source = {json.dumps(_words(text))}"
        raise UsageError(error.problem, f"{entry.table_name}.source", hint) from None


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


@contextlib.contextmanager
def _in_folder(folder: Path) -> Generator[None]:
    """Change to a folder, so that paths of a source are relative to it."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def selected_servers(project: Project, names: Sequence[str]) -> list[Entry]:
    """Return the servers to record: those with these names, or all. A shard may have none."""
    entries = project.entries(names)
    if project.shard and not any(entry.source or entry.name in names for entry in entries):
        return []
    return with_source(entries, names)


def with_source(entries: Sequence[Entry], names: Sequence[str]) -> list[Entry]:
    """Return the entries with a source. Raises ``UsageError`` for a named entry without one."""
    for entry in entries:
        if not entry.source and entry.name in names:
            hint = f"its contract is {entry.contract}; add a source to contact a server"
            raise UsageError(f"{entry.name!r} has no source", entry.table_name, hint)
    sources = [entry for entry in entries if entry.source]
    if not sources:
        raise UsageError("no server has a source", hint='add one: source = "https://..."')
    return sources
