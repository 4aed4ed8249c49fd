"""What every generated client is: a connection, and its tools as data."""

from __future__ import annotations

import functools
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from typing_extensions import Self

from .calls import Line, asked
from .confirm import Confirm, Confirmation, ConfirmWhen
from .connect import Elicit, Manner, opened
from .drift import Verify
from .law import ToolInfo, ToolInfos
from .target import Target
from .tool import Meta, OnProgress, Tool
from .values import received

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import Implementation

T = TypeVar("T")


class McpClient:
    """Calls the tools of one server; made by :meth:`connect`."""

    tools: ClassVar[Mapping[str, ToolInfo]] = ToolInfos()
    """What the server said of its tools when it was recorded, by their wire names."""

    def __init__(self, line: Line) -> None:
        self._line = line

    @property
    def session(self) -> Client:
        """The SDK's own client, connected."""
        return self._line.link.sdk

    @classmethod
    @asynccontextmanager
    async def connect(
        cls,
        server: Target | None = None,
        *,
        verify: Verify = "warn",
        timeout: float | None = 60.0,
        connect_timeout: float = 30.0,
        confirm: Confirm | None = None,
        confirm_when: ConfirmWhen = "risky",
        elicit: Elicit | None = None,
        headers: Mapping[str, str] | None = None,
        client_info: Implementation | None = None,
    ) -> AsyncGenerator[Self]:
        """Connect to a server: by default to the one that was recorded.

        Args:
            server: A URL, ``StdioServerParameters``, a transport, an SDK ``Client`` or
                a server of this process. The recorded server needs its secrets in the
                environment.
            verify: What to do when the server's tools differ from the contract: log a
                warning, raise ``ContractDrift``, or do not look.
            timeout: How many seconds a call may take if it does not say otherwise;
                ``None`` for no limit.
            connect_timeout: How many seconds connecting may take.
            confirm: Asked before each call of a tool that is not known to be harmless,
                with what is known of the tool and the arguments as JSON; anything but
                ``True`` refuses it.
            confirm_when: ``"always"`` asks before each call of any tool, since what a
                server says of its tools may be untrue.
            elicit: Answers the server's questions to the user; without it they are
                declined.
            headers: HTTP headers, for a URL.
            client_info: What the server is told of who connects; by default the name of
                this package, and its version where it is installed.

        Raises:
            ConnectionFailed: The server cannot be reached, or does not answer in time.
            AuthorizationRequired: The server wants authorization.
            ContractDrift: The server's tools differ, and ``verify`` is ``"error"``.
        """
        manner = Manner(verify, connect_timeout, headers, elicit, client_info)
        asks = Confirmation.of(confirm, confirm_when)
        async with opened(server, manner) as link:
            yield cls(Line(link, timeout, asks))

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, object],
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        meta: Meta | None = None,
    ) -> Any:
        """Call a tool by its name on the wire, for names known only then.

        Args:
            tool: The name; one that the contract lacks is an ``UnknownTool``.
            arguments: The arguments by their names on the wire, also those that the
                schema allows but does not name.
            timeout: As for every method.
            on_progress: As for every method.
            meta: As for every method.
        """
        return await self._call(
            asked(tool),
            arguments,
            timeout=timeout,
            on_progress=on_progress,
            meta=meta,
        )

    async def _call(
        self,
        tool: Tool[T],
        arguments: Mapping[str, object],
        *,
        timeout: float | None,
        on_progress: OnProgress | None,
        meta: Meta | None,
    ) -> T:
        return await self._line.call(
            tool,
            arguments,
            functools.partial(received, tool),
            timeout=timeout,
            on_progress=on_progress,
            meta=meta,
        )
