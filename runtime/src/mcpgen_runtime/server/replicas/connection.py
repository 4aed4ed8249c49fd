"""The connection to Redis: keys that expire, messages and rate limits."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import time
from collections.abc import Awaitable, Callable, Hashable, Mapping
from importlib import import_module
from secrets import token_hex
from typing import Any, TypeVar, cast

import anyio

from ..rates import Rate, RateKey
from .errors import StoreUnavailable
from .redis_store import RedisStore

T = TypeVar("T")

# Imported by name, because most servers do without these libraries.
_redis: Any = import_module("redis.asyncio")
_backoff: Any = import_module("redis.backoff")
_retry: Any = import_module("redis.asyncio.retry")
_limits: Any = import_module("limits")
_storage: Any = import_module("limits.aio.storage")
_strategies: Any = import_module("limits.aio.strategies")
_exceptions: Any = import_module("redis.exceptions")
_FAILURES: tuple[type[Exception], ...] = (_redis.RedisError, OSError, TimeoutError)
_TIMEOUTS: tuple[type[Exception], ...] = (_exceptions.TimeoutError, TimeoutError)

_SECONDS = 1.0
_TICK = 0.05
_STALL = 0.25
_CONNECTIONS = 100
_LOG = logging.getLogger(__name__)


class Stalls:
    """Notices when the event loop has stood still, such as while modules are imported.

    Then a response may have arrived in time without having been received.
    """

    def __init__(self) -> None:
        self._tick = time.monotonic()
        self._stalled = -1.0

    def since(self, moment: float) -> bool:
        """Return True if the event loop has stood still since a moment."""
        is_late = time.monotonic() - self._tick > _STALL
        return is_late or self._stalled >= moment

    async def watch(self) -> None:
        """Note each pause that was much longer than requested, until it is cancelled."""
        while True:
            now = time.monotonic()
            if now - self._tick > _STALL:
                self._stalled = now
            self._tick = now
            await anyio.sleep(_TICK)


class Connection:
    """Commands that end within a second, on keys of one server.

    Args:
        settings: The URL and the keys.
        server: The server's name. Its keys start with ``mcpgen:NAME:``.
    """

    def __init__(self, settings: RedisStore, server: str) -> None:
        self.settings = settings
        self.is_up = True
        self._prefix = f"mcpgen:{server}:"
        self._stalls = Stalls()
        self._slots = anyio.CapacityLimiter(_CONNECTIONS)
        options: Any = {
            "decode_responses": True,
            "socket_connect_timeout": _SECONDS,
            "retry": _retry.Retry(_backoff.NoBackoff(), 0),
        }
        pool = _redis.BlockingConnectionPool.from_url(
            settings.url,
            max_connections=_CONNECTIONS,
            timeout=_SECONDS,
            socket_timeout=_SECONDS,
            **options,
        )
        self._client: Any = _redis.Redis(connection_pool=pool)
        self._listening: Any = _redis.Redis.from_url(settings.url, **options)
        storage = _storage.RedisStorage(
            settings.url,
            implementation="redispy",
            key_prefix=f"{self._prefix}rate",
            connection_pool=pool,
        )
        self._limiter: Any = _strategies.MovingWindowRateLimiter(storage)

    def key(self, *parts: str) -> str:
        """Return the full name of a key."""
        return self._prefix + ":".join(parts)

    async def run(self, command: Callable[[Any], Awaitable[T]], *, is_repeatable: bool = True) -> T:
        """Run commands on the client of Redis.

        They are repeated if this process was too busy to receive the response.

        Raises:
            StoreUnavailable: There is no response within a second.
        """
        start = time.monotonic()
        try:
            value = await self._try(command)
        except _TIMEOUTS as error:
            if not self._stalls.since(start):
                raise self._store_error(error) from error
            if not is_repeatable:
                raise StoreUnavailable("the server is too busy") from error
            try:
                value = await self._try(command)
            except _FAILURES as failure:
                raise self._store_error(failure) from failure
        except _FAILURES as error:
            raise self._store_error(error) from error
        if not self.is_up:
            _LOG.warning("Redis answers again")
        self.is_up = True
        return value

    async def _try(self, command: Callable[[Any], Awaitable[T]]) -> T:
        """Run commands, whose second begins once one of the connections is free.

        Otherwise many concurrent calls would look like a store that doesn't respond.
        """
        is_waiting = self._slots.available_tokens <= 0
        async with self._slots:
            if is_waiting and not self.is_up:
                raise StoreUnavailable("Redis doesn't respond")
            with anyio.fail_after(_SECONDS):
                return await command(self._client)

    def _store_error(self, error: Exception) -> StoreUnavailable:
        if self.is_up:
            _LOG.warning("Redis doesn't respond: %s", type(error).__name__)
        self.is_up = False
        return StoreUnavailable("Redis doesn't respond")

    async def watch(self) -> None:
        """Note when this process is too busy, until it is cancelled."""
        await self._stalls.watch()

    async def use(self, key: str, seconds: float) -> bool:
        """Return True if no replica has used a key within this time."""
        name, lifetime, attempt = self.key("used", key), max(1, int(seconds)), token_hex(8)
        arguments = (_USE, 1, name, attempt, lifetime)
        return bool(await self.run(lambda redis: redis.eval(*arguments)))

    async def wait(self, key: RateKey, rate: Rate) -> float:
        """Count a call and return 0, or return the seconds until one is allowed.

        If Redis doesn't respond, the call is allowed with ``limits_when_down="open"``.
        """
        kind, name, caller = key
        item = _limits.RateLimitItemPerSecond(int(rate.calls), int(rate.per))
        parts = (kind, digest(name), self.caller_key(caller))
        try:
            if await self.run(lambda _: self._limiter.hit(item, *parts)):
                return 0.0
            stats = await self.run(lambda _: self._limiter.get_window_stats(item, *parts))
        except StoreUnavailable:
            if self.settings.limits_when_down == "open":
                return 0.0
            raise
        return max(float(stats.reset_time) - time.time(), 0.001)

    def caller_key(self, caller: Hashable) -> str:
        """Return the keyed hash of a caller, which reveals no name or address."""
        return keyed_hash(self.settings.state_keys[0], caller)

    async def publish(self, channel: str, message: Mapping[str, Any]) -> int:
        """Send a message, and return how many replicas receive it."""
        text = json.dumps(message)
        name = self.key(channel)
        receivers = await self.run(lambda redis: redis.publish(name, text), is_repeatable=False)
        return cast("int", receivers)

    async def listen(
        self,
        channels: tuple[str, ...],
        on_message: Callable[[dict[str, Any]], Awaitable[None]],
        on_gap: Callable[[], None],
    ) -> None:
        """Receive the messages of channels, forever.

        After a lost connection ``on_gap`` is called, because messages may be missing.
        """
        is_first = True
        while True:
            pubsub: Any = self._listening.pubsub(ignore_subscribe_messages=True)
            try:
                await pubsub.subscribe(*(self.key(channel) for channel in channels))
                if not is_first:
                    on_gap()
                is_first = False
                async for item in pubsub.listen():
                    await on_message(json.loads(item["data"]))
            except _FAILURES as error:
                _LOG.warning("messages of other replicas are missing: %s", type(error).__name__)
            finally:
                with anyio.CancelScope(shield=True), anyio.move_on_after(_SECONDS):
                    await pubsub.aclose()
            await anyio.sleep(_PAUSE)

    async def close(self) -> None:
        """Close all connections."""
        with anyio.CancelScope(shield=True), anyio.move_on_after(_SECONDS):
            await self._client.aclose(close_connection_pool=True)
            await self._client.connection_pool.disconnect()
            await self._listening.aclose(close_connection_pool=True)


_PAUSE = 0.2
_USE = """
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'EX', ARGV[2]) then return 1 end
if redis.call('get', KEYS[1]) == ARGV[1] then return 1 end
return 0
"""
"""Returns 1 again if the same attempt is repeated."""


def digest(text: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def keyed_hash(key: str, value: Hashable) -> str:
    """Return the HMAC-SHA256 of a value, in hexadecimal."""
    return hmac.new(key.encode(), f"mcpgen caller {value!r}".encode(), "sha256").hexdigest()
