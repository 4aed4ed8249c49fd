"""Compares the tools of the live server with the contract, by the server's own JSON."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from . import PACKAGE
from .contract import ToolInfo, ToolInfos, read_contract
from .errors import Change, ContractDrift, ContractUnknown, MissingCapability
from .placeholders import is_same
from .wire.faults import Refused

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import Tool as SdkTool

    from .observer import TransportObserver
    from .session import Session

Verify: TypeAlias = Literal["warn", "error", "compatible", "off"]

MOST_PAGES = 1000
_LOOK_SECONDS = 5.0
_MAX_PAUSE = 60.0
_ALL = "*"


@dataclass
class Drift:
    """How the live tools differ from the contract, and which calls that forbids.

    ``opened`` are the live schemas of tools with arguments that the contract allows
    without naming them.
    """

    changes: list[Change] = field(default_factory=list[Change])
    opened: dict[str, Any] = field(default_factory=dict[str, Any])
    lacking: dict[str, list[str]] = field(default_factory=dict[str, "list[str]"])
    """The capabilities without which the server does not list a tool to this client."""
    missing: set[str] = field(default_factory=set[str])
    """The tools that the server does not list."""
    is_refusing: bool = False
    unknown: Change | None = None
    """Why the tools could not be listed, if they could not."""
    is_looking: bool = False
    looks_at: float = 0.0
    """When the tools are listed again, if they are unknown."""
    pause: float = 1.0
    """Seconds between two attempts to list them."""

    def offers(self, tool: str) -> bool:
        """Say whether a tool is there, and not refused whatever its arguments are."""
        if tool in self.lacking or tool in self.missing:
            return False
        return not (
            self.is_refusing and any(change.tool == tool for change in self.changes)
        )

    def require(self, tool: str, arguments: Mapping[str, object]) -> None:
        """Raise ``ContractDrift`` where a call may not mean what it did."""
        if tool in self.lacking:
            raise MissingCapability(tool, self.lacking[tool])
        if not self.is_refusing:
            return
        if self.unknown is not None:
            raise ContractUnknown([self.unknown])
        changes = [change for change in self.changes if change.tool == tool]
        if changes:
            raise ContractDrift(changes)
        if tool in self.opened:
            from .validation import allows

            if not allows(self.opened[tool], arguments):
                what = "an argument that the contract does not name is another one now"
                raise ContractDrift([Change(tool, what)])


async def compare_tools(session: Session, verify: Verify, logged: set[Change]) -> None:
    """Walk all pages of the tools; the SDK needs it to send arguments in headers.

    What was ``logged`` before is not logged again.
    """
    if not ToolInfos():
        return
    drift = await _compared(session, verify)
    if verify == "error" and drift.unknown is not None:
        raise ContractUnknown([drift.unknown])
    if verify == "error" and drift.changes:
        _tell(drift.changes)
        raise ContractDrift(drift.changes)
    _keep(session, drift, verify, logged)


async def compare_again(
    session: Session, verify: Verify, limit: float, logged: set[Change]
) -> Sequence[Change]:
    """Compare the tools once more, as they may have changed; return what differs."""
    import anyio

    if ToolInfos() and verify != "off" and not session.lost:
        try:
            with anyio.fail_after(limit):
                drift = await _compared(session, verify, is_again=True)
        except Exception as error:
            if not session.lost:
                message = "the tools have changed, and cannot be compared: %r"
                logging.getLogger(PACKAGE).warning(message, error)
        else:
            _keep(session, drift, verify, logged)
    return list(session.drift.changes) if session.drift else []


async def look_again(session: Session, verify: Verify, logged: set[Change]) -> None:
    """List the tools again if they could not be listed before, with growing pauses."""
    drift = session.drift
    if drift is None or drift.unknown is None or drift.is_looking:
        return
    if time.monotonic() < drift.looks_at:
        return
    drift.is_looking = True
    try:
        await compare_again(session, verify, _LOOK_SECONDS, logged)
    finally:
        drift.is_looking = False
    if session.drift is not None and session.drift.unknown is not None:
        session.drift.pause = min(2 * drift.pause, _MAX_PAUSE)
        session.drift.looks_at = time.monotonic() + drift.pause


def _keep(session: Session, drift: Drift, verify: Verify, logged: set[Change]) -> None:
    session.drift = drift
    if drift.unknown is not None and drift.unknown not in logged:
        logged.add(drift.unknown)
        message = "%s; they are compared with the contract before a later call"
        logging.getLogger(PACKAGE).warning(message, drift.unknown)
    new = [change for change in drift.changes if change not in logged]
    logged |= set(new)
    _log_lacking(drift, logged)
    if new:
        _tell(new)
    if new and verify == "warn":
        logging.getLogger(PACKAGE).warning("%s", ContractDrift(new))


def lacking_of(sdk: Client) -> dict[str, list[str]]:
    """Return the tools that were recorded with what a client does not declare."""
    declared = {
        "elicitation": sdk.elicitation_callback,
        "roots": sdk.list_roots_callback,
        "sampling": sdk.sampling_callback,
    }
    recorded: dict[str, list[str]] = read_contract().get("toolCapabilities", {})
    lacking = {
        tool: [name for name in needed if declared.get(name) is None]
        for tool, needed in recorded.items()
    }
    return {tool: names for tool, names in lacking.items() if names}


def _log_lacking(drift: Drift, logged: set[Change]) -> None:
    """Say once which tools are not there, as it is no change of the server."""
    for tool, names in drift.lacking.items():
        change = Change(
            tool, f"it is listed only to clients with {' and '.join(names)}"
        )
        if change not in logged:
            logged.add(change)
            logging.getLogger(PACKAGE).info("%s", change)


def _tell(changes: list[Change]) -> None:
    """Say it to OpenTelemetry, within what has connected."""
    from .connection import is_observed

    if is_observed():
        from .telemetry import tell_drift

        tell_drift(changes)


async def _compared(
    session: Session, verify: Verify, *, is_again: bool = False
) -> Drift:
    from mcp import MCPError
    from mcp.types import CONNECTION_CLOSED
    from pydantic import ValidationError

    from .observer import MOST_TOOLS

    drift = Drift(is_refusing=verify in ("error", "compatible"))
    observer = session.route.observer
    try:
        live = await _list_tools(session.sdk, observer, is_again=is_again)
    except ValidationError:
        reason = "the tools cannot be listed: that breaks the protocol"
        drift.unknown = Change(_ALL, reason)
        return drift
    except MCPError as error:
        if error.code == CONNECTION_CLOSED or _is_refusal(error.data):
            raise
        reason = f"the tools cannot be listed: {error.message}"
        drift.unknown = Change(_ALL, reason)
        return drift
    if observer and observer.is_full:
        too_many = (
            f"it lists more than {MOST_TOOLS:,} tools; the others are not looked at"
        )
        drift.changes.append(Change(_ALL, too_many))
    unread = observer.unread if observer else {}
    lacking = lacking_of(session.sdk)
    for info in ToolInfos().values():
        if info.name in lacking and info.name not in (live.keys() | unread.keys()):
            drift.lacking[info.name] = lacking[info.name]
        else:
            _compare(info, live, unread, drift, verify)
    return drift


def _is_refusal(data: object) -> bool:
    return isinstance(data, Refused) and data.status in (401, 403)


async def _list_tools(
    sdk: Client, observer: TransportObserver | None, *, is_again: bool
) -> dict[str, dict[str, Any]]:
    if observer:
        observer.open()
    cursor: str | None = None
    tools: dict[str, dict[str, Any]] = {}
    try:
        for _ in range(MOST_PAGES):
            page = await sdk.list_tools(
                cursor=cursor, cache_mode="refresh" if is_again else "use"
            )
            if observer is None:  # which has the server's own JSON
                tools |= dict(map(_dumped, page.tools))
            cursor = page.next_cursor
            is_full = observer is not None and observer.is_full
            if cursor is None or is_full:  # an empty cursor is a cursor
                break
    finally:
        if observer:
            observer.is_open = False
    return observer.tools if observer else tools


def _dumped(tool: SdkTool) -> tuple[str, dict[str, Any]]:
    """Return a tool's name and definition; one that no JSON can hold is empty."""
    try:
        document = tool.model_dump(by_alias=True, mode="json", exclude_none=True)
    except ValueError:  # such as half a surrogate pair
        document = {}
    return tool.name, document


def _compare(
    info: ToolInfo,
    live: Mapping[str, dict[str, Any]],
    unread: Mapping[str, str],
    drift: Drift,
    verify: Verify,
) -> None:
    if info.name in unread:
        differences = [f"it cannot be read: {unread[info.name]}"]
    elif info.name not in live:
        differences = ["the server does not list it"]
        drift.missing.add(info.name)
    elif verify == "compatible":
        from .compatible import judge

        verdict = judge(info.definition, live[info.name])
        differences = list(verdict.differences)
        if verdict.is_opened:
            drift.opened[info.name] = live[info.name].get("inputSchema")
    else:
        now = live[info.name]
        differences = [
            f"{member} differs"
            for member in ("inputSchema", "outputSchema", "annotations")
            if not is_same(info.definition.get(member), now.get(member))
        ]
    drift.changes += [Change(info.name, what) for what in differences]
