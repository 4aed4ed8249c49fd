"""Compares servers with their contracts, and applies the project's ignore entries."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from datetime import date

from mcpgen import jsontext
from mcpgen.compare import Change, compare
from mcpgen.compare.judge import judge
from mcpgen.contract import document as contract
from mcpgen.contract.document import Contract
from mcpgen.errors import ContractError
from mcpgen.findings.diff import DiffReport
from mcpgen.findings.ignores import Ignore
from mcpgen.findings.policy import DiffPolicy
from mcpgen.project.configuration.model import Entry
from mcpgen.project.discovery import Project

_SUSPICIOUS = frozenset({"T02b", "D03"})
"""Rules that require a review before the first contract of a server is stored."""


def changes(project: Project, entry: Entry, old: Contract, new: Contract) -> DiffReport:
    """Compare a contract with the server's current definitions."""
    return _judge(project, entry, compare(old, new, neighbours=_neighbours(project, entry)))


def suspicions(project: Project, entry: Entry, new: Contract) -> DiffReport:
    """Find misleading definitions in a server without a previous contract."""
    all_changes = compare(Contract({}), new, neighbours=_neighbours(project, entry))
    return _judge(project, entry, [change for change in all_changes if change.rule in _SUSPICIOUS])


def _judge(project: Project, entry: Entry, changes: Collection[Change]) -> DiffReport:
    fingerprints = {change.fingerprint for change in changes}
    policy = DiffPolicy(
        # Ignore entries for other servers match nothing here, and that is expected.
        ignores=[
            Ignore(ignore.fingerprint, ignore.reason, ignore.until)
            for ignore in project.settings.ignore
            if ignore.fingerprint in fingerprints
        ],
        today=date.today(),  # noqa: DTZ011 - the day where the entry's author is
    )
    return judge(changes, policy, old=entry.contract, new="the server", server=entry.name)


def _neighbours(project: Project, entry: Entry) -> list[tuple[str, str]]:
    """Return the other servers' tools, which a new tool must not resemble."""
    neighbours: list[tuple[str, str]] = []
    for other in project.settings.servers.values():
        path = project.folder / other.contract
        if other.contract != entry.contract and path.suffix == ".json":
            with contextlib.suppress(OSError, ContractError):
                tools = contract.read(jsontext.loads(path.read_bytes())).tools
                neighbours += [(other.name, tool) for tool in tools]
    return neighbours
