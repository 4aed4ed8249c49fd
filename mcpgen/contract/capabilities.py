"""The capabilities that a generated server declares."""

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


def capabilities_to_declare(contract: Contract) -> dict[str, Json]:
    """Return the recorded capabilities that a server supports, including its lists.

    A server that runs tasks declares that capability itself, as each protocol revision requires.
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
    """Report recorded but undeclared capabilities, with the reason.

    ``without_tasks`` is why no tool runs as a task, or "" if one does.
    """
    for path, reason in _left_out(contract.capabilities, without_tasks).items():
        if reason:
            yield Notice(f"/capabilities{pointer(path)}", f"{reason}; not declared", "capability")


def runs_tasks(contract: Contract) -> bool:
    """Return True if a tool of the contract can run as a task."""
    executions = [tool.get("execution") for tool in contract.tools.values()]
    return any(
        is_object(execution) and execution.get("taskSupport") in ("optional", "required")
        for execution in executions
    )


def _left_out(recorded: Mapping[str, Json], without_tasks: str) -> dict[tuple[str, ...], str]:
    """Map the path of each undeclared capability, or part of one, to the reason."""
    reasons: dict[tuple[str, ...], str] = {}
    for name, value in recorded.items():
        if not is_object(value):
            continue  # reported and left out when the contract is read
        if name == "tasks":
            reasons[name,] = without_tasks
        elif problem := _problem(name, value):
            reasons[name,] = f"not valid by the protocol: {problem}"
        elif name == "extensions" and _TASKS in value:
            reasons[name, _TASKS] = without_tasks
    return reasons


def _problem(name: str, value: Mapping[str, Json]) -> str:
    """Return why a capability is invalid, or "". Clients would reject the whole handshake."""
    for key, flag in value.items():
        if name in _CAPABILITIES and key in _FLAGS and not isinstance(flag, bool | None):
            return f"{key!r} is neither true nor false"
        if name in ("experimental", "extensions") and not is_object(flag):
            return f"{key!r} isn't an object"
    return ""


def server_info(recorded: Mapping[str, Json]) -> dict[str, Json]:
    """Return the recorded `serverInfo`, adding `name` and `version` if missing."""
    needed = {"name": "server", "version": ""}
    missing = {k: v for k, v in needed.items() if not isinstance(recorded.get(k), str)}
    return {**recorded, **missing}
