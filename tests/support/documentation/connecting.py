"""Names used by the Python examples in docs/connecting.md."""

import json
import os
import sys
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Protocol

import httpx2
from bookshelf import BookshelfClient, connect_all, connect_all_sync
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.auth import TokenStorage
from mcp.server import MCPServer

WeatherClient = BookshelfClient

token = "secret"
password: str
storage: TokenStorage
server: MCPServer
transport: AbstractAsyncContextManager[Any]
sdk_client: Client
command = StdioServerParameters(command=sys.executable, args=["-I", "-m", "mcpgen.demo"])


class Vault(Protocol):
    """A secret store."""

    async def read(self) -> str:
        """Return the token."""
        ...


vault: Vault
