"""What was recorded before: the names that are kept, and what must not be taken for a change."""

from __future__ import annotations

import contextlib
from pathlib import Path

from mcpgen import jsontext
from mcpgen.codegen.plan import pin
from mcpgen.contract import document as contract
from mcpgen.contract.document import Contract
from mcpgen.errors import ContractError, UnreachableError, UsageError
from mcpgen.servers.recording.build_contract import Recorded


def previous(place: Path) -> Contract | None:
    """Read the contract that will be written over; any other file is left alone."""
    if not place.exists():
        return None
    if place.is_dir():
        raise UsageError("this is a folder", str(place), f"try: -o {place / 'contract.json'}")
    with contextlib.suppress(ContractError, OSError):
        document = jsontext.loads(place.read_bytes()) if place.is_file() else None
        if isinstance(document, dict) and "format" in document:
            return contract.read(document, str(place))
    raise UsageError(
        "the file is no contract and would be overwritten",
        str(place),
        "choose another file with -o, or delete this one",
    )


def pinned(previous: Contract | None, recorded: Recorded, where: str) -> Contract:
    """Return what a server offers now, with the names that the previous contract gave."""
    if previous is None:
        return recorded.contract
    refuse_unmatched(previous, recorded, where)
    return pin(previous, recorded.contract)


def pinned_to_package(recorded: Recorded, place: Path) -> Contract:
    """Keep the names of the package that is there, when its server was asked anew."""
    written = of_package(place) if recorded.is_live else None
    return recorded.contract if written is None else pin(written, recorded.contract)


def of_package(place: Path) -> Contract | None:
    """Return the contract of a generated package, or None if there is none."""
    try:
        return contract.read(jsontext.loads((place / "contract.json").read_bytes()))
    except (OSError, ContractError):
        return None


def refuse_unmatched(other: Contract, recorded: Recorded, where: str) -> None:
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
