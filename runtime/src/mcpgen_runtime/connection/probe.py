"""Pings a server that didn't respond to a call."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from .session import SILENT, Session
from .wire.faults import Broken

if TYPE_CHECKING:
    from mcp import Client

    from .session import Start

_PATIENCE = 2.0
_STATELESS_SINCE = "2026-07-28"


async def probe(session: Session, start: Start) -> None:
    """Drop a session whose server doesn't respond. Concurrent callers share one ping."""
    import anyio

    if session.probing is None:
        session.probing = anyio.Event()
        start(partial(_probe, session))
    await session.probing.wait()


async def _probe(session: Session) -> None:
    import anyio
    from mcp import MCPError

    probing = session.probing
    try:
        with anyio.move_on_after(_PATIENCE) as scope:
            await _ping(session.sdk)
        if scope.cancelled_caught:
            session.end(SILENT)
    except MCPError as error:  # any response is enough
        if isinstance(error.data, Broken):
            session.end(str(error.data))
    except Exception as error:
        session.end(str(error))
    finally:
        session.probing = None
        if probing is not None:
            probing.set()


async def _ping(sdk: Client) -> None:
    version = sdk.protocol_version
    if version >= _STATELESS_SINCE:
        await sdk.session.send_discover(version)
    else:
        await sdk.session.send_ping()
