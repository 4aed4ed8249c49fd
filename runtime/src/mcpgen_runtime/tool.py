"""Types of tool calls."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any, Literal, Protocol, TypeAlias

Source: TypeAlias = Literal["structured", "json", "json blocks", "json in result", "text"]
"""The location of data in results: in structured content, or as JSON in text."""

Meta: TypeAlias = Mapping[str, Any]
"""Properties of the request's ``_meta``, by their prefixed names (MCP, basic, "_meta")."""


class OnProgress(Protocol):
    """Callback for the progress of a call. May be ``async``."""

    def __call__(
        self, progress: float, total: float | None, message: str | None
    ) -> Awaitable[None] | None:
        """Receive a progress notification. ``total`` is None if the server doesn't know it."""
        ...
