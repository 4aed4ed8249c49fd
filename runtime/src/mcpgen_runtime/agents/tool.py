"""A tool for a model, independent of frameworks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from ..abbreviate import plain, quote_text

if TYPE_CHECKING:
    from .result import AgentResult

R = TypeVar("R")
"""The return value of a call: an ``AgentResult`` or an awaitable of one."""

_LOGGER = logging.getLogger(__name__)

BETWEEN = "__"
"""Separates the names of a server and its tool."""


@dataclass(frozen=True, repr=False)
class AgentTool(Generic[R]):
    """A tool for a model, with a ``name`` that every provider accepts.

    Attributes:
        wire: The JSON name.
        server: The prefix if there are several servers.
        schema: The server's input schema, unchanged.
        output_schema: The server's output schema, unchanged.
        call: Takes JSON arguments, validates them, and returns an ``AgentResult``,
            also for an error that a model can handle.
    """

    wire: str
    name: str
    description: str
    schema: Mapping[str, Any]
    output_schema: Mapping[str, Any] | None
    call: Callable[[Mapping[str, Any]], R]
    definition: Mapping[str, Any]
    server: str = ""
    is_read_only: bool = False
    is_destructive: bool = False
    """Whether the tool isn't annotated as non-destructive."""
    needs_approval: bool = False
    """Whether calls of the tool need confirmation."""
    logger: logging.Logger = field(default=_LOGGER, compare=False)
    """Logs exceptions that an adapter hides from the model."""

    def __repr__(self) -> str:
        return f"<AgentTool: {plain(self.name)}: {quote_text(self.description)}>"

    @property
    def full_name(self) -> str:
        """The JSON name, with the prefix of its server if there are several."""
        return f"{self.server}{BETWEEN}{self.wire}" if self.server else self.wire


async def result_of(
    tool: AgentTool[Any], arguments: Mapping[str, Any], *, waits: bool
) -> AgentResult:
    """Call a tool. A tool of a synchronous client runs in a thread."""
    if not waits:
        result: AgentResult = await tool.call(arguments)
        return result
    from ..threads import in_thread

    return await in_thread(lambda: tool.call(arguments))


Only: TypeAlias = Collection[str] | Callable[[AgentTool[Any]], bool]
"""Names of tools, or a function that returns True for a tool to offer."""


@dataclass(frozen=True)
class Entry(Generic[R]):
    """A tool, and a function that returns whether the live server offers it."""

    tool: AgentTool[R]
    is_live: Callable[[], bool]


def always() -> bool:
    """Return True: the tool is always available."""
    return True
