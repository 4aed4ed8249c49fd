"""Asks the servers of a project, and judges what changed since their contracts were written."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
from collections.abc import Collection, Generator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from mcpgen import contract, jsontext
from mcpgen.cli.options import Asked, given_of, recorded
from mcpgen.compare import Change, compare
from mcpgen.compare.finding import Policy, Report, judge
from mcpgen.compare.ignore import Ignore
from mcpgen.contract import Contract
from mcpgen.errors import ContractError, UnreachableError, UsageError
from mcpgen.jsontext import Json
from mcpgen.live.assemble import Recorded
from mcpgen.plan import pin
from mcpgen.project import Entry, Project
from mcpgen.source import Given, Offline, Target, config, resolve
from mcpgen.source.config import Config


def ask(project: Project, entry: Entry, said: Asked) -> Recorded:
    """Ask the server of a table, from the project's folder; without a source read its contract.

    What is said on the command line comes before what the table says.
    """
    default = Asked()
    asked = replace(
        said,
        server=entry.source if isinstance(entry.source, str) else None,
        command=() if isinstance(entry.source, str) else entry.source,
        env=(*entry.env, *said.env),
        header=(*entry.header, *said.header),
        cwd=said.cwd or entry.cwd or None,
        timeout=entry.timeout if said.timeout == default.timeout else said.timeout,
        transport=said.transport or entry.transport,
        era=entry.era if said.era == default.era else said.era,
    )
    with _within(project.folder):
        if not entry.source:
            return recorded(Offline(entry.contract), asked)
        return recorded(_target(project, entry, asked), asked)


def _target(project: Project, entry: Entry, asked: Asked) -> Target:
    given = given_of(asked)
    words = entry.source
    if isinstance(words, str) and "://" not in words:
        return _resolved(words, given, entry)
    # Read as an entry of a configuration file, for the variables that stand in it.
    raw: dict[str, Json] = {"url": words}
    if not isinstance(words, str):
        raw = {"command": words[0], "args": list(words[1:])}
    listed = Config(project.file, "tool/mcpgen/servers", {entry.name: raw})
    return config.entry(listed, entry.name, given)


def _resolved(text: str, given: Given, entry: Entry) -> Target:
    try:
        return resolve(text, (), given)
    except UsageError as error:
        if not re.search(r"\s", text):
            raise
        hint = f"the words of a command are a list: source = {json.dumps(_words(text))}"
        raise UsageError(error.problem, f"{entry.at}.source", hint) from None


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


@contextlib.contextmanager
def _within(folder: Path) -> Generator[None]:
    """Look from a folder: what a source names is found from there."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def sources(entries: Sequence[Entry], names: Sequence[str]) -> list[Entry]:
    """Return the entries that have a server to ask; one that was named must have one."""
    for entry in entries:
        if not entry.source and entry.name in names:
            hint = f"its contract is {entry.contract}; add a source to ask a server"
            raise UsageError(f"{entry.name!r} has no source", entry.at, hint)
    found = [entry for entry in entries if entry.source]
    if not found:
        raise UsageError("no server has a source", hint='add one: source = "https://..."')
    return found


def pinned(previous: Contract | None, recorded: Recorded, where: str) -> Contract:
    """Return what a server offers now, with the names that the previous contract gave."""
    if previous is None:
        return recorded.contract
    refuse_unanswered(previous, recorded, where)
    return pin(previous, recorded.contract)


def refuse_unanswered(other: Contract, recorded: Recorded, where: str) -> None:
    """Take a server for one that was not reached when it failed to answer for a list.

    Else a list that the other contract has would seem to be empty, and that for a change.
    """
    for notice in recorded.notices:
        if notice.kind == "failed list" and _listed(other, notice.pointer):
            raise UnreachableError(notice.reason, where, "ask again: what it lists may be the same")


def _listed(contract: Contract, pointer: str) -> bool:
    lists = {
        "/prompts": contract.prompts,
        "/resources": contract.resources,
        "/resourceTemplates": contract.resource_templates,
    }
    return bool(lists.get(pointer))


def changes(project: Project, entry: Entry, old: Contract, new: Contract) -> Report:
    """Compare a contract with what its server says now, less what the project ignores."""
    found = compare(old, new, neighbours=_neighbours(project, entry))
    return _judged(project, entry, found)


_SUSPICIOUS = frozenset({"T02b", "D03"})
"""Rules on what a person should look at in a server of which there is no contract yet."""


def suspicions(project: Project, entry: Entry, new: Contract) -> Report:
    """Find what is misleading in a server that is recorded for the first time."""
    found = compare(Contract({}), new, neighbours=_neighbours(project, entry))
    return _judged(project, entry, [change for change in found if change.rule in _SUSPICIOUS])


def _judged(project: Project, entry: Entry, found: Collection[Change]) -> Report:
    listed = project.settings.ignore
    mine = {change.fingerprint for change in found}
    policy = Policy(
        # Those of other servers match nothing here, and that is not odd.
        ignores=[Ignore(e.fingerprint, e.reason, e.until) for e in listed if e.fingerprint in mine],
        today=date.today(),  # noqa: DTZ011 - the day where the entry's author is
    )
    return judge(found, policy, old=entry.contract, new="the server", server=entry.name)


def _neighbours(project: Project, entry: Entry) -> list[tuple[str, str]]:
    """Return the other servers' tools, which a new tool must not look like."""
    found: list[tuple[str, str]] = []
    for other in project.settings.servers.values():
        place = project.folder / other.contract
        if other.contract != entry.contract and place.suffix == ".json":
            with contextlib.suppress(OSError, ContractError):
                tools = contract.read(jsontext.loads(place.read_bytes())).tools
                found += [(other.name, tool) for tool in tools]
    return found
