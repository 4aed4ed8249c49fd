"""Names used by the Python examples in docs/client.md."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import httpx2
from bookshelf import BookshelfClient
from mcp import Client, StdioServerParameters
from mcp.client.auth import TokenStorage
from mcp.server import MCPServer
from mcp.types import ResourceLink

token: str
password: str
storage: TokenStorage
server: MCPServer
transport: AbstractAsyncContextManager[Any]
sdk_client: Client
bookshelf: BookshelfClient
link: ResourceLink


class Vault(Protocol):
    """A secret store."""

    async def read(self) -> str:
        """Return the token."""
        ...


vault: Vault


def make() -> AbstractAsyncContextManager[Any]:
    """Return a new transport."""
    raise NotImplementedError


def show(progress: float, total: float | None, message: str | None) -> None:
    """Draw a bar."""


async def dialog(question: str) -> bool:
    """Ask the user."""
    return bool(question)
