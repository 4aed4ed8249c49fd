"""What a server made of a contract declares: as recorded, save what no such server can do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mcpgen.contract.document import Contract
from mcpgen.contract.lists import LISTINGS
from mcpgen.errors import Notice
from mcpgen.jsonpointer import pointer
from mcpgen.jsontext import Json, is_object

_TASKS = "io.modelcontextprotocol/tasks"
_CAPABILITIES = frozenset(listing.capability for listing in LISTINGS)
_FLAGS = ("listChanged", "subscribe")


def declared(contract: Contract) -> dict[str, Json]:
    """Return the capabilities to declare: those recorded, and those of what is listed.

    A server that runs tasks declares them itself, in the way of each era.
    """
    absent = _left_out(contract.capabilities, "")
    recorded = {
        name: {k: v for k, v in value.items() if (name, k) not in absent}
        for name, value in contract.capabilities.items()
        if is_object(value) and (name,) not in absent
    }
    lists = contract.lists()
    for listing in LISTINGS:
        if lists[listing.member]:
            recorded.setdefault(listing.capability, {})
    return recorded or {"tools": {}}


def left_out(contract: Contract, without_tasks: str) -> Iterator[Notice]:
    """Say which recorded capabilities are not declared, and why.

    ``without_tasks`` says why no tool runs as a task; it is empty where one does.
    """
    for path, reason in _left_out(contract.capabilities, without_tasks).items():
        if reason:
            yield Notice(f"/capabilities{pointer(path)}", f"{reason}; not declared", "capability")


def runs_tasks(contract: Contract) -> bool:
    """Say whether a tool of a server made of the contract runs as a task."""
    executions = [tool.get("execution") for tool in contract.tools.values()]
    return any(
        is_object(each) and each.get("taskSupport") in ("optional", "required")
        for each in executions
    )


def _left_out(recorded: Mapping[str, Json], without_tasks: str) -> dict[tuple[str, ...], str]:
    """Return why a capability, or a member of one, is not declared, by where it is."""
    reasons: dict[tuple[str, ...], str] = {}
    for name, value in recorded.items():
        if not is_object(value):
            continue  # said, and left out, where the contract is read
        if name == "tasks":
            reasons[name,] = without_tasks
        elif problem := _problem(name, value):
            reasons[name,] = f"not as the protocol says: {problem}"
        elif name == "extensions" and _TASKS in value:
            reasons[name, _TASKS] = without_tasks
    return reasons


def _problem(name: str, value: Mapping[str, Json]) -> str:
    """Say how a capability breaks the protocol: clients would refuse the whole greeting."""
    for key, flag in value.items():
        if name in _CAPABILITIES and key in _FLAGS and not isinstance(flag, bool | None):
            return f"{key!r} is neither true nor false"
        if name in ("experimental", "extensions") and not is_object(flag):
            return f"{key!r} is no object"
    return ""


def server_info(recorded: Mapping[str, Json]) -> dict[str, Json]:
    """Return what the server says of itself, with the two members that clients need."""
    needed = {"name": "server", "version": ""}
    missing = {k: v for k, v in needed.items() if not isinstance(recorded.get(k), str)}
    return {**recorded, **missing}
