"""Keeps the names of an earlier recording, and avoids false changes."""

from __future__ import annotations

import contextlib
from pathlib import Path

from mcpgen import jsontext
from mcpgen.codegen.plan import pin
from mcpgen.contract import document as contract
from mcpgen.contract.document import Contract
from mcpgen.errors import ContractError, UnreachableError, UsageError
from mcpgen.servers.recording.build_contract import Recorded


def previous(folder: Path) -> Contract | None:
    """Read the contract that will be overwritten. Raises ``UsageError`` for any other file."""
    if not folder.exists():
        return None
    if folder.is_dir():
        raise UsageError("a folder, not a file", str(folder), f"try: -o {folder / 'contract.json'}")
    with contextlib.suppress(ContractError, OSError):
        document = jsontext.loads(folder.read_bytes()) if folder.is_file() else None
        if isinstance(document, dict) and "format" in document:
            return contract.read(document, str(folder))
    raise UsageError(
        "the file isn't a contract and would be overwritten",
        str(folder),
        "choose another file with -o, or delete this one",
    )


def keep_names(previous: Contract | None, recorded: Recorded, where: str) -> Contract:
    """Return the new contract with the names of the previous one."""
    if previous is None:
        return recorded.contract
    refuse_unmatched(previous, recorded, where)
    return pin(previous, recorded.contract)


def pinned_to_package(recorded: Recorded, folder: Path) -> Contract:
    """Keep the names of the existing package, if its server was recorded again."""
    written = of_package(folder) if recorded.is_live else None
    return recorded.contract if written is None else pin(written, recorded.contract)


def of_package(folder: Path) -> Contract | None:
    """Return the contract of a generated package, or None."""
    try:
        return contract.read(jsontext.loads((folder / "contract.json").read_bytes()))
    except (OSError, ContractError):
        return None


def refuse_unmatched(other: Contract, recorded: Recorded, where: str) -> None:
    """Raise ``UnreachableError`` if the server failed to return a list that another contract
    has.

    Otherwise the list would seem to be empty, which would be reported as a change.
    """
    for notice in recorded.notices:
        if notice.kind == "failed list" and _has_list(other, notice.pointer):
            raise UnreachableError(
                notice.reason, where, ("list the tools again: they may be the same")
            )


def _has_list(contract: Contract, pointer: str) -> bool:
    lists = {
        "/prompts": contract.prompts,
        "/resources": contract.resources,
        "/resourceTemplates": contract.resource_templates,
    }
    return bool(lists.get(pointer))
