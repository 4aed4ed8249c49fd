"""A tool as the runtime knows it: its name, and its arguments' and result's types."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Literal,
    Protocol,
    TypeAlias,
    TypeVar,
)

from . import PACKAGE

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")

Source: TypeAlias = Literal[
    "structured", "json", "json blocks", "json in result", "text"
]
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


@dataclass(frozen=True)
class Tool(Generic[T]):
    """A tool's name on the wire, and the types of its arguments and result.

    Where a type is exact it says all that the schema says, and the slower check of the
    schema is left out. ``unwrap`` takes the result out of the member ``result``; a
    ``plain`` one stays the JSON that it is. A tool without ``arguments`` has no usable
    input schema: it is sent plain JSON, unchecked. ``forbidden`` says why no client may
    call it over HTTP (MCP 2026-07-28, server/tools, "x-mcp-header"). A result that is
    ``observed`` is of a type that answers were seen to have, and where they had it; an
    output schema that says nothing of it is what the tool ``promises``.
    """

    name: str
    arguments: TypeAdapter[Any] | None = None
    result: TypeAdapter[T] | None = None
    exact_arguments: bool = False
    exact_result: bool = False
    unwrap: bool = False
    plain: bool = False
    observed: Source | None = None
    promises: bool = False
    forbidden: str = ""


def find_tool(name: str) -> Tool[Any]:
    """Return the tool of that name; ``LookupError`` if the contract has none."""
    models = f"{PACKAGE}.models"
    tools: dict[str, str] = import_module(models).TOOLS
    if name not in tools:
        raise LookupError(f"the contract has no tool {name!r}")
    module, _, _ = tools[name].partition(" ")
    tool: Tool[Any] = import_module(f"{models}.{module}").TOOL
    return tool
