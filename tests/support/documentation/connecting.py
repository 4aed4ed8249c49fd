"""Names used by the Python examples in docs/connecting.md."""

import json
import os
import sys
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import httpx2
from bookshelf import BookshelfClient, connect_all, connect_all_sync
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.auth import TokenStorage
from mcp.server import Server
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

WeatherClient = BookshelfClient

token = "secret"
password = "secret"
_default = json.dumps([sys.executable, "-I", "-m", "mcpgen.demo"])
_program, *_arguments = json.loads(os.environ.get("BOOKSHELF_COMMAND", _default))
command = StdioServerParameters(command=_program, args=_arguments)


server: Server[Any] = Server("bookshelf")
transport: AbstractAsyncContextManager[Any] = stdio_client(command)
sdk_client = Client(server)


class Vault:
    """A secret store."""

    async def read(self) -> str:
        """Return the token."""
        return token


class Storage(TokenStorage):
    """Forgets the tokens of a login."""

    async def get_tokens(self) -> OAuthToken | None:
        return None

    async def set_tokens(self, tokens: OAuthToken) -> None: ...

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None: ...


vault = Vault()
storage = Storage()
