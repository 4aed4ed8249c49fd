"""Sessions of the legacy protocol in the store."""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .connection import Connection, digest, keyed_hash

SECONDS = 1800
"""Seconds after which an idle session ends, as the SDK ends it."""


@dataclass(frozen=True)
class StoredSession:
    """The stored state of a session, with which a replica reopens it."""

    initialize: dict[str, Any]
    owner: str
    level: str | None


class SessionStore:
    """Stores sessions by the SHA-256 of their ID."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def save(self, session: str, initialize: Mapping[str, Any], owner: object) -> None:
        """Store the request that opened a session, and its owner."""
        name = self._name(session)
        keyed = keyed_hash(self._connection.settings.state_keys[0], repr(owner))
        fields = {"initialize": json.dumps(initialize), "owner": keyed}

        async def command(redis: Any) -> None:
            async with redis.pipeline() as pipe:
                await pipe.hset(name, mapping=fields).expire(name, SECONDS).execute()

        await self._connection.run(command)

    async def touch(self, session: str) -> bool:
        """Extend the life of a session. Returns False if the session has ended."""
        names = [self._name(session), *(self._name(session, part) for part in _PARTS)]

        async def command(redis: Any) -> list[Any]:
            async with redis.pipeline(transaction=False) as pipe:
                for name in names:
                    pipe.expire(name, SECONDS)
                results: list[Any] = await pipe.execute()
                return results

        return bool((await self._connection.run(command))[0])

    async def load(self, session: str) -> StoredSession | None:
        """Return a stored session, or None."""
        name = self._name(session)
        fields = await self._connection.run(lambda redis: redis.hgetall(name))
        if "initialize" not in fields:
            return None
        return StoredSession(json.loads(fields["initialize"]), fields["owner"], fields.get("level"))

    def is_owner(self, stored: StoredSession, owner: object) -> bool:
        """Return True if a session belongs to a caller."""
        keys = self._connection.settings.state_keys
        hashes = [keyed_hash(key, repr(owner)) for key in keys]
        return any(hmac.compare_digest(stored.owner, hashed) for hashed in hashes)

    async def set_level(self, session: str, level: str) -> None:
        """Store the minimum level of log messages."""
        name = self._name(session)

        async def command(redis: Any) -> None:
            async with redis.pipeline() as pipe:
                await pipe.hset(name, "level", level).expire(name, SECONDS).execute()

        await self._connection.run(command)

    async def uris(self, session: str) -> set[str]:
        """Return the URIs that a session subscribes to."""
        name = self._name(session, "uris")
        uris: set[str] = await self._connection.run(lambda redis: redis.smembers(name))
        return uris

    async def subscribe(self, session: str, uri: str, *, is_on: bool) -> None:
        """Add or remove a subscription."""
        name = self._name(session, "uris")

        async def command(redis: Any) -> None:
            async with redis.pipeline() as pipe:
                pipe.sadd(name, uri) if is_on else pipe.srem(name, uri)
                await pipe.expire(name, SECONDS).execute()

        await self._connection.run(command)

    async def stream_holder(self, session: str) -> str | None:
        """Return the replica that has the session's open stream."""
        name = self._name(session, "stream")
        holder: str | None = await self._connection.run(lambda redis: redis.get(name))
        return holder

    async def claim_stream(self, session: str, replica: str) -> str | None:
        """Set the replica that has the open stream, and return the one before."""
        name = self._name(session, "stream")
        before: str | None = await self._connection.run(
            lambda redis: redis.set(name, replica, ex=SECONDS, get=True)
        )
        return before

    async def release_stream(self, session: str, replica: str) -> None:
        """Remove the replica that had the open stream, unless another has one now."""
        name = self._name(session, "stream")
        await self._connection.run(lambda redis: redis.eval(_RELEASE, 1, name, replica))

    async def forget(self, session: str) -> None:
        """Remove a session that has ended."""
        names = [self._name(session), *(self._name(session, part) for part in _PARTS)]
        await self._connection.run(lambda redis: redis.delete(*names))

    def _name(self, session: str, part: str = "") -> str:
        return self._connection.key("session", digest(session), *([part] if part else []))


_PARTS = ("uris", "stream")
_RELEASE = """
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0
"""
