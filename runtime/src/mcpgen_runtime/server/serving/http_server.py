"""uvicorn with a time limit for headers, and with draining."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from .traffic import Traffic

if TYPE_CHECKING:
    from types import FrameType


class HttpServer(uvicorn.Server):
    """Drains on the first signal, and cancels pending calls on the second.

    A third signal kills the process, in case the author's cleanup hangs.
    """

    def __init__(
        self, config: uvicorn.Config, traffic: Traffic, close_streams: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self.is_interrupted = False
        self._traffic = traffic
        traffic.connections = self.server_state.connections
        self._close_streams = close_streams
        self._signals = 0
        self._deadline = 0.0

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Note a signal. The event loop acts on it, because a handler may interrupt any code."""
        del frame
        self._signals += 1
        self.is_interrupted |= sig == signal.SIGINT
        if self._signals > 1:
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)

    async def on_tick(self, counter: int) -> bool:
        """Return True once the server may stop. Called ten times a second."""
        if self._signals and not self._traffic.is_draining:
            self._deadline = time.monotonic() + self._traffic.limits.drain
            self._close_streams()
            self._traffic.drain()
        elif self._traffic.is_draining:
            if self._signals > 1 or time.monotonic() >= self._deadline:
                self.should_exit = True
                self._traffic.cancel_calls()
            self.should_exit |= not self._traffic.calls
        return await super().on_tick(counter)


def limited_protocol(header_seconds: float) -> type[asyncio.Protocol]:
    """Return a protocol of uvicorn that closes connections whose headers take too long."""

    class LimitedProtocol(H11Protocol):
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._start_timer()

        def data_received(self, data: bytes) -> None:
            cycle: Any = self.cycle
            if self._timer is None and (cycle is None or cycle.response_complete):
                self._start_timer()
            super().data_received(data)

        def handle_events(self) -> None:
            cycle = self.cycle
            super().handle_events()
            if self.cycle is not cycle:
                self._stop_timer()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_timer()
            super().connection_lost(exc)

        def _start_timer(self) -> None:
            self._timer = self.loop.call_later(header_seconds, self._expire)

        def _stop_timer(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

        def _expire(self) -> None:
            self._timer = None
            self.transport.write(_TIMEOUT)
            self.transport.close()

    return LimitedProtocol


_TIMEOUT = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
