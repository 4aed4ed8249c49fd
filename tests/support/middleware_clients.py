"""Clients with middleware."""

from __future__ import annotations

from typing import Any

from runtime.packages import package, part
from runtime.scripted import Scripted

SHOP = package()

MIDDLEWARE = part(SHOP, "middleware")


def counting(**answers: Any) -> Scripted:
    """Return a server whose tool `count` returns its number of calls."""
    server = Scripted(**answers)
    server.answers.setdefault("count", lambda *_: len(server.sent))
    return server
