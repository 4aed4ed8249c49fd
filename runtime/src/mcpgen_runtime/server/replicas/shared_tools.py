"""The disabled tools of a server, which all its replicas share."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any

from .errors import StoreUnavailable
from .hub import Hub


class SharedTools:
    """Stores the disabled tools, and takes over the changes of other replicas.

    Args:
        hub: The other replicas.
        replace: Takes the names of all disabled tools.
    """

    def __init__(self, hub: Hub, replace: Callable[[Collection[str]], None]) -> None:
        self._hub = hub
        self._replace = replace
        self._key = hub.connection.key("disabled", "tools")
        hub.on("tools", self._take)
        hub.on_beat(self.load)

    async def change(self, names: Collection[str], is_enabled: bool) -> None:
        """Store that tools are enabled or disabled, and notify the other replicas.

        Raises:
            StoreUnavailable: Nothing has changed, or only some replicas know yet.
        """

        async def command(redis: Any) -> None:
            await (redis.srem if is_enabled else redis.sadd)(self._key, *names)
            await redis.expire(self._key, _LONGEST)

        await self._hub.connection.run(command)
        await self._hub.tell_all("tools")

    async def load(self) -> None:
        """Take over the stored names, and keep them for another day."""

        async def command(redis: Any) -> set[str]:
            await redis.expire(self._key, _LONGEST)
            names: set[str] = await redis.smembers(self._key)
            return names

        self._replace(await self._hub.connection.run(command))

    async def _take(self, _: dict[str, Any]) -> None:
        with suppress(StoreUnavailable):  # the next beat loads them
            await self.load()


_LONGEST = 86_400
