"""Compares the tools of the live server with the contract, using the server's own JSON."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..contract import ToolInfo
from ..errors import Change, ContractDrift, ContractUnknown
from ..tracing import record_drift
from ..validation.redacted_json import matches_recorded
from .drift import Drift, Verify
from .wire.faults import HttpRejection

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import Tool as SdkTool

    from ..package import Package
    from .routing.observer import TransportObserver
    from .session import Session

MOST_PAGES = 1000
_LOOK_SECONDS = 5.0
_MAX_PAUSE = 60.0
_ALL = "*"


async def compare_tools(session: Session, verify: Verify, logged: set[Change]) -> None:
    """List all pages of the tools, which the SDK also needs to set header arguments.

    Changes in ``logged`` aren't logged again.
    """
    if not session.package.tools:
        return
    drift = await _compare_tools(session, verify)
    if verify == "error" and drift.unknown is not None:
        raise ContractUnknown([drift.unknown])
    if verify == "error" and drift.changes:
        record_drift(drift.changes)
        raise ContractDrift(drift.changes)
    _keep(session, drift, verify, logged)


async def compare_again(
    session: Session, verify: Verify, limit: float, logged: set[Change]
) -> Sequence[Change]:
    """Compare the tools again after a change, and return the differences."""
    import anyio

    if session.package.tools and verify != "off" and not session.lost:
        try:
            with anyio.fail_after(limit):
                drift = await _compare_tools(session, verify, is_again=True)
        except Exception as error:
            if not session.lost:
                message = "the tools have changed, and cannot be compared: %r"
                session.package.logger().warning(message, error)
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
        session.package.logger().warning(message, drift.unknown)
    new = [change for change in drift.changes if change not in logged]
    logged |= set(new)
    _log_lacking(session.package, drift, logged)
    if new:
        record_drift(new)
    if new and verify == "warn":
        session.package.logger().warning("%s", ContractDrift(new))


def lacking_of(package: Package, sdk: Client) -> dict[str, list[str]]:
    """Return the recorded tools that this client lacks the capabilities for."""
    declared = {
        "elicitation": sdk.elicitation_callback,
        "roots": sdk.list_roots_callback,
        "sampling": sdk.sampling_callback,
    }
    recorded: dict[str, list[str]] = package.contract.get("toolCapabilities", {})
    lacking = {
        tool: [name for name in needed if declared.get(name) is None]
        for tool, needed in recorded.items()
    }
    return {tool: names for tool, names in lacking.items() if names}


def _log_lacking(package: Package, drift: Drift, logged: set[Change]) -> None:
    """Log once which tools are missing because of the client's capabilities."""
    for tool, names in drift.lacking.items():
        change = Change(tool, f"it is listed only to clients with {' and '.join(names)}")
        if change not in logged:
            logged.add(change)
            package.logger().info("%s", change)


async def _compare_tools(session: Session, verify: Verify, *, is_again: bool = False) -> Drift:
    # A server may announce a change while the tools are listed for the first time.
    async with session.listing:
        return await _compare_listed(session, verify, is_again=is_again)


async def _compare_listed(session: Session, verify: Verify, *, is_again: bool) -> Drift:
    from mcp import MCPError
    from mcp.types import CONNECTION_CLOSED
    from pydantic import ValidationError

    from .routing.observer import MOST_TOOLS

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
        too_many = f"it lists more than {MOST_TOOLS:,} tools; the rest are ignored"
        drift.changes.append(Change(_ALL, too_many))
    unread = observer.unread if observer else {}
    lacking = lacking_of(session.package, session.sdk)
    for info in session.package.tools.values():
        if info.name in lacking and info.name not in (live.keys() | unread.keys()):
            drift.lacking[info.name] = lacking[info.name]
        else:
            _compare(info, live, unread, drift, verify)
    return drift


def _is_refusal(data: object) -> bool:
    return isinstance(data, HttpRejection) and data.status in (401, 403)


async def _list_tools(
    sdk: Client, observer: TransportObserver | None, *, is_again: bool
) -> dict[str, dict[str, Any]]:
    if observer:
        observer.open()
    cursor: str | None = None
    tools: dict[str, dict[str, Any]] = {}
    try:
        for _ in range(MOST_PAGES):
            page = await sdk.list_tools(cursor=cursor, cache_mode="refresh" if is_again else "use")
            if observer is None:  # which has the server's own JSON
                tools |= dict(map(_dump_tool, page.tools))
            cursor = page.next_cursor
            is_full = observer is not None and observer.is_full
            if cursor is None or is_full:  # an empty cursor is a cursor
                break
    finally:
        if observer:
            observer.is_open = False
    return observer.tools if observer else tools


def _dump_tool(tool: SdkTool) -> tuple[str, dict[str, Any]]:
    """Return a tool's name and definition, or an empty one if it isn't valid JSON."""
    try:
        document = tool.model_dump(by_alias=True, mode="json", exclude_none=True)
    except ValueError:  # such as a lone surrogate
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
        from ..validation.compatible import judge

        verdict = judge(info.definition, live[info.name])
        differences = list(verdict.differences)
        if verdict.is_opened:
            drift.opened[info.name] = live[info.name].get("inputSchema")
    else:
        now = live[info.name]
        differences = [
            f"{member} differs"
            for member in ("inputSchema", "outputSchema", "annotations")
            if not matches_recorded(info.definition.get(member), now.get(member))
        ]
    drift.changes += [Change(info.name, what) for what in differences]
