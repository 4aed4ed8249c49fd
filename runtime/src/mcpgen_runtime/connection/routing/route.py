"""The server of a connection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...auth.options import HttpOptions
from ...package import Package
from ..wire.faults import HttpRejection
from .stderr import Stderr

if TYPE_CHECKING:
    from .observer import TransportObserver


@dataclass
class Route:
    """A server to connect to: the SDK's target, a label, and data about the process.

    Attributes:
        refusal: The last HTTP error status of an HTTP+SSE connection.
        stderr: The end of the process's stderr.
        can_repeat: Whether the target can be opened more than once.
        on_end: Called when the server has ended.
        on_close: Called just before the transport is closed.
    """

    label: str
    server: Any
    package: Package = field(repr=False)
    is_stream: bool = True
    is_client: bool = False
    is_url: bool = False
    is_sse: bool = False
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    http: HttpOptions = field(default_factory=HttpOptions, repr=False)
    refusal: HttpRejection | None = None
    stderr: Stderr | None = None
    observer: TransportObserver | None = None
    can_repeat: bool = True
    is_replay: bool = False
    """Whether calls are replayed from a recording without a server."""
    on_end: Callable[[str], None] = lambda _: None
    on_close: Callable[[], None] = lambda: None
    session_id: Callable[[], str | None] = lambda: None
    """Returns the session ID of Streamable HTTP, or None."""

    @property
    def is_authorized(self) -> bool:
        """Whether something authorizes the requests that is not a stored login."""
        return self.http.authorizes or "authorization" in map(str.lower, self.headers)

    @property
    def is_local(self) -> bool:
        """True unless messages are known to travel over HTTP."""
        return not self.is_stream or isinstance(self.stderr, Stderr)

    def last_output(self) -> str:
        """The last lines that the server has printed."""
        return str(self.stderr or "")
