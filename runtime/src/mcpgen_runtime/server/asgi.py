"""Reads the scope of an ASGI request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from starlette.types import Scope

Lifespan: TypeAlias = Callable[[Any], AbstractAsyncContextManager[Any]]

ENDPOINT = "/mcp"
"""The path at which MCP is served, below that of an outer application."""


def route_path(scope: Scope) -> str:
    """Return the path below the root path, which a proxy or an outer application adds."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def raw_values(scope: Mapping[str, Any], name: bytes) -> list[str]:
    """Return all values of a header of a request or response, whose name is lower-case."""
    raw: Any = scope["headers"]
    return [value.decode("latin-1") for key, value in raw if key == name]


def header(scope: Mapping[str, Any], name: bytes) -> str:
    """Return the last value of a header, or ``""``."""
    return next(reversed(raw_values(scope, name)), "")
