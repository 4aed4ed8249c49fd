"""Gathers results of tools, recorded or live, and merges them into the observed file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcpgen.contract.document import Contract
from mcpgen.contract.observation.document import Observed, load
from mcpgen.contract.observation.observe import (
    Call,
    Definition,
    Observation,
    definitions_of,
    observe,
)
from mcpgen.contract.observation.places import expired_entries
from mcpgen.errors import UnreachableError, UsageError
from mcpgen.project.discovery import project_here
from mcpgen.project.observed_file import of_contract, of_entry
from mcpgen.servers.recording.inputs.recorded_calls import recorded_calls
from mcpgen.servers.recording.project_servers import project_entry
from mcpgen.servers.recording.request import contract_of_file
from mcpgen.servers.shell.observing_calls import Calling, in_result
from mcpgen.servers.shell.observing_plan import Plan
from mcpgen.servers.shell.servers import Server


@dataclass(frozen=True, slots=True)
class Gathered:
    """The calls, the tools' hashes, and the path of the observed file."""

    calls: Sequence[Call]
    definitions: Mapping[str, Definition]
    folder: Path | None
    notices: Sequence[str] = ()


# Recorded calls


def from_recording(file: str, contract: str | None) -> Gathered:
    """Return the calls of a recording, without contacting a server.

    Without a contract, the project's contract with these tools is used.
    """
    calls = [
        Call(line.name, line.result, line.definition, in_result(line.redacted))
        for line in recorded_calls(file)
        if line.kind == "tool"
    ]
    if not calls:
        hint = f'record some with: connect(record="{file}")'
        raise UsageError("there is no call of a tool among the recorded calls", file, hint)
    path = _contract_with({call.tool for call in calls}) if contract is None else Path(contract)
    return Gathered(calls, definitions_of(contract_of_file(str(path))), of_contract(path))


def _contract_with(tools: set[str]) -> Path:
    """Return the one contract of the project that has all of these tools."""
    project = project_here()
    entries = project.settings.servers.values() if project else ()
    paths = {project.folder / entry.contract for entry in entries} if project else set[Path]()
    files = [
        path
        for path in sorted(paths)
        if path.is_file() and tools <= contract_of_file(str(path)).tools.keys()
    ]
    if len(files) != 1:
        problem = "several contracts have" if files else "no contract of a project has"
        hint = "name it: mcpgen observe CALLS --contract FILE"
        raise UsageError(f"{problem} the tools of these calls", "--contract", hint)
    return files[0]


# A server


@dataclass(frozen=True, slots=True)
class Offered:
    """A server's definitions: from its contract if one is named, otherwise from the server.

    ``file`` is the contract file, ``target`` the observed file, or None.
    """

    server: Server
    contract: Contract
    is_recorded: bool
    file: Path | None
    target: Path | None


def find_definitions(server: Server) -> Offered:
    """Return a server's definitions. It is contacted unless a contract is named."""
    contract = server.contract()
    name = server.arguments.server
    if contract is not None:
        file = None if name in (None, "-") else Path(str(name))
        return Offered(server, contract, True, file, of_contract(file) if file else None)
    listed = server.record().contract
    named = None if name is None else project_entry(name)
    if named is None:
        return Offered(server, listed, False, None, None)
    project, entry = named
    return Offered(server, listed, False, project.folder / entry.contract, of_entry(*named))


def call_tools(offer: Offered, plan: Plan) -> Gathered:
    """Call the tools of a plan. If the server is lost, earlier results are kept."""
    definitions = definitions_of(offer.contract)
    notices = [] if offer.file is None else _differing(offer.file, definitions)
    if not plan.calls:
        return Gathered((), definitions, offer.target, notices)
    calling = Calling(plan, definitions)
    try:
        offer.server.fulfil(calling.wish(), offer.contract if offer.is_recorded else None)
    except UnreachableError as error:
        if not calling.calls:
            raise
        progress = f"{len(calling.calls)} of {len(plan.calls)} calls were made"
        notices.append(f"{progress}: {error.problem}")
    notices += [
        f"{name}: not called, as its definition differs from the contract"
        for name in sorted(calling.changed)
    ]
    return Gathered(calling.calls, definitions, offer.target, notices)


def _differing(file: Path, definitions: Mapping[str, Definition]) -> list[str]:
    """Report tools of a contract that differ from the server's."""
    if not file.is_file():
        return []
    before = definitions_of(contract_of_file(str(file)))
    return [
        (
            f"{name}: its definition differs from {file.name}; update it, otherwise its "
            "results are discarded"
        )
        for name, definition in definitions.items()
        if name not in before or before[name].hash != definition.hash
    ]


# Results


@dataclass(frozen=True, slots=True)
class MergedObservations:
    """The new and the previous observation, with notices."""

    observation: Observation
    before: Observed
    location: Path | None
    notices: Sequence[str]

    @property
    def text(self) -> str:
        """Content of the observed file."""
        return self.observation.observed.text()

    @property
    def is_change(self) -> bool:
        """Return True if the observed file changes. An empty one is never created."""
        if self.location is None or not (self.observation.observed.tools or self.before.tools):
            return False
        return not self.location.is_file() or self.location.read_bytes() != self.text.encode()


def merge(gathered: Gathered, path: Path | None) -> MergedObservations:
    """Merge calls with an observed file, without writing it."""
    before = Observed() if path is None else load(path)
    observation = observe(gathered.calls, gathered.definitions, before)
    hashes = {name: definition.hash for name, definition in gathered.definitions.items()}
    return MergedObservations(
        observation, before, path, [*expired_entries(before, hashes), *gathered.notices]
    )
