"""Types of tool calls."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any, Literal, Protocol, TypeAlias

Source: TypeAlias = Literal["structured", "json", "json blocks", "json in result", "text"]
"""Where answers have their data: structured content, or the JSON of a text."""

Meta: TypeAlias = Mapping[str, Any]
"""Members of the request's ``_meta``, by their prefixed names (MCP, basic, "_meta")."""


class OnProgress(Protocol):
    """Is told how far a call has come; ``total`` is ``None`` where it is not known."""

    def __call__(
        self, progress: float, total: float | None, message: str | None
    ) -> Awaitable[None] | None:
        """Take note of one progress notification; may be ``async``."""
        ...
