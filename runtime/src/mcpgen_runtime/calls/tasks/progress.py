"""Progress of a task, which continues after the response to its call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from ...tool import OnProgress
from ..progress import Progress

if TYPE_CHECKING:
    from mcp.client import ClientExtension, IncomingMessage

    from .status import TaskStatus

_numbers = count(1)


@dataclass(frozen=True)
class Updates:
    """Declares the tasks extension and forwards progress to ``listeners``."""

    listeners: dict[str | int, OnProgress] = field(default_factory=dict["str | int", OnProgress])

    @property
    def extensions(self) -> Sequence[ClientExtension]:
        """The extensions of the SDK's client."""
        from .requests import Tasks

        return (Tasks(),)

    async def hear(self, message: IncomingMessage) -> None:
        """Forward a progress notification of a task to its caller."""
        from mcp.types import ProgressNotification

        if not isinstance(message, ProgressNotification):
            return
        params = message.params
        if (notify := self.listeners.get(params.progress_token)) is None:
            return
        if waiting := notify(params.progress, params.total, params.message):
            await waiting


@dataclass
class TaskProgress:
    """The progress callback of a task, its token, and the last values.

    A server can report progress as numbers, or only in the message of the status. In that
    case the last numbers are repeated.
    """

    progress: Progress
    token: str = field(default_factory=lambda: f"task-{next(_numbers)}")
    _amount: float = 0.0
    _total: float | None = None
    _message: str | None = ""

    async def notify(self, progress: float, total: float | None, message: str | None) -> None:
        """Pass on a notification."""
        self._amount, self._total, self._message = progress, total, message
        await self.progress.notify(progress, total, message)

    async def see(self, status: TaskStatus) -> None:
        """Pass on the message of a status if it is new."""
        if status.message and status.message != self._message:
            await self.notify(self._amount, self._total, status.message)
