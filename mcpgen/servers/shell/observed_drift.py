"""How what was observed of a server drifts: between two observed files, or with its definitions."""

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


def observed_of(word: str) -> Observed:
    """Return what was observed of a contract, a file or ``git:REV:PATH``; nothing if nothing was.

    Of a revision it is what lay beside the contract: the tables that are here may be later ones.
    """
    path = git.path_of(word)
    if path is None:
        place = of_contract(Path(word))
        return Observed() if place is None else load(place)
    other = word[: -len(path)] + observed_path(Path(path)).as_posix()
    try:
        content = git.content(other)
    except UsageError:
        return Observed()
    return read(loads(content, other), other)


def lapses(observed: Observed, now: Contract) -> tuple[str, ...]:
    """Say what of the observed lapses, as the server defines other tools now."""
    hashes = {name: definition_hash(raw) for name, raw in now.tools.items()}
    return tuple(places.expired_entries(observed, hashes))


def between(old: str, new: str, now: Contract) -> tuple[str, ...]:
    """Say how two contracts differ in what was observed; of a server only what lapses is known.

    ``old`` and ``new`` are empty where they are no files.
    """
    before = observed_of(old) if old else Observed()
    if not new:
        return lapses(before, now)
    after = observed_of(new)
    return (*places.drift(before, after), *lapses(after, now))


def in_file(observed: Path, now: Contract) -> tuple[str, ...]:
    """Say what of an observed file lapses; one that is none says that."""
    try:
        return lapses(load(observed), now)
    except ContractError as error:
        return (f"{error.problem} ({error.where})",)
