"""A share of a project's servers, for parallel runs."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from mcpgen.errors import UsageError

_FORM = re.compile(r"(\d{1,9})/(\d{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Shard:
    """The ``number``-th of ``count`` shares. A server's share is independent of other servers."""

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def has(self, name: str) -> bool:
        """Return True if the server with this name is in this share."""
        digest = hashlib.sha256(name.encode()).digest()
        return int.from_bytes(digest[:8], "big") % self.count == self.number - 1


def parse(text: str, where: str = "--shard") -> Shard:
    """Read ``K/N``: the first of three is ``1/3``."""
    match = _FORM.fullmatch(text)
    if match is None:
        hint = "the first of three shards is 1/3, the last 3/3"
        raise UsageError(f"{text!r} isn't a shard K/N", where, hint)
    shard = Shard(int(match[1]), int(match[2]))
    if not 1 <= shard.number <= shard.count:
        hint = f"shards are counted from 1/{shard.count} to {shard.count}/{shard.count}"
        raise UsageError(f"there is no shard {text}", where, hint if shard.count else "")
    return shard
