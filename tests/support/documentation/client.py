"""What the Python in docs/client.md takes for granted."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from library import LibraryClient
from mcp import Client, StdioServerParameters
from mcp.server import MCPServer
from mcp.types import ResourceLink

token: str
server: MCPServer
transport: AbstractAsyncContextManager[Any]
sdk_client: Client
library: LibraryClient
link: ResourceLink


def show(progress: float, total: float | None, message: str | None) -> None:
    """Draw a bar."""


async def dialog(question: str) -> bool:
    """Ask the user."""
    return bool(question)
