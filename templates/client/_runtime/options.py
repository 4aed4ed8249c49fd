"""The options of a call: time limit, progress callback, ``_meta``."""

from __future__ import annotations

from dataclasses import dataclass

from .tool import Meta, OnProgress


@dataclass(frozen=True)
class CallOptions:
    """The options of a call; what is ``None`` is as the connection has it."""

    timeout: float | None = None
    on_progress: OnProgress | None = None
    meta: Meta | None = None

    def over(self, other: CallOptions) -> CallOptions:
        """Return these options, and the other ones where these say nothing."""
        return CallOptions(
            other.timeout if self.timeout is None else self.timeout,
            other.on_progress if self.on_progress is None else self.on_progress,
            other.meta if self.meta is None else self.meta,
        )


AS_CONNECTED = CallOptions()
"""The options of a client that was not asked for others."""
