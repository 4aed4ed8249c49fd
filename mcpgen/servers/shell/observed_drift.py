"""Describes the drift of observed results: between two files, or from the definitions."""

from __future__ import annotations

from pathlib import Path

from mcpgen_runtime.replay.definition import definition_hash

from mcpgen.contract.document import Contract
from mcpgen.contract.observation import places
from mcpgen.contract.observation.document import Observed, load, observed_path, read
from mcpgen.errors import ContractError, UsageError
from mcpgen.files import git
from mcpgen.jsontext import loads
from mcpgen.project.observed_file import of_contract


def observed_of(name: str) -> Observed:
    """Return the observed results of a contract file or ``git:REV:PATH``, or empty ones.

    For a revision it is the file next to the contract, because the project's tables may be newer.
    """
    path = git.path_of(name)
    if path is None:
        folder = of_contract(Path(name))
        return Observed() if folder is None else load(folder)
    other = name[: -len(path)] + observed_path(Path(path)).as_posix()
    try:
        content = git.content(other)
    except UsageError:
        return Observed()
    return read(loads(content, other), other)


def lapses(observed: Observed, now: Contract) -> tuple[str, ...]:
    """Describe observed results that have expired, because their tools changed."""
    hashes = {name: definition_hash(raw) for name, raw in now.tools.items()}
    return tuple(places.expired_entries(observed, hashes))


def drift_between(old: str, new: str, now: Contract) -> tuple[str, ...]:
    """Describe the differences of two contracts in observed results.

    For a server only expired results are known. ``old`` and ``new`` are "" if they aren't files.
    """
    before = observed_of(old) if old else Observed()
    if not new:
        return lapses(before, now)
    after = observed_of(new)
    return (*places.drift(before, after), *lapses(after, now))


def in_file(observed: Path, now: Contract) -> tuple[str, ...]:
    """Describe expired results of an observed file, or why it can't be read."""
    try:
        return lapses(load(observed), now)
    except ContractError as error:
        return (f"{error.problem} ({error.where})",)
