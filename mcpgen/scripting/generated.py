"""Serves scripts with the connection of a generated client."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcpgen.contract.document import read
from mcpgen.files.write import CONTRACT, OBSERVED
from mcpgen.jsontext import Json, loads
from mcpgen.project.observed import with_observed
from mcpgen.scripting.broker import CallError, ScriptServer, StoppedError
from mcpgen.scripting.surface import EXCEPTIONS

_LOST = frozenset({"ConnectionFailed", "ConnectionLost", "AuthorizationRequired", "ContractDrift"})


def served_by(client: Any, name: str = "") -> ScriptServer:
    """Return the server of a connected client. The client's checks and hooks apply, too.

    In scripts its module has this name, or the name of the package.
    """
    package = type(client).__module__.partition(".")[0]
    folder = Path(str(sys.modules[package].__file__)).parent
    contract = read(loads((folder / CONTRACT).read_bytes()))
    with contextlib.suppress(FileNotFoundError):
        contract, _ = with_observed(contract, (folder / OBSERVED).read_bytes(), OBSERVED)

    async def send(tool: str, arguments: Mapping[str, Json]) -> Mapping[str, Json]:
        try:
            answer = await client.response(client.call, tool, arguments)
        except Exception as error:
            # Errors of a package are identified by name, as each package has its own classes.
            kind = type(error).__name__
            if kind in _LOST:
                raise StoppedError(f"the connection is lost: {error}") from None
            if any(item.__name__ == "ClientError" for item in type(error).__mro__):
                raise CallError(kind if kind in EXCEPTIONS else "ToolError", str(error)) from None
            raise
        document: dict[str, Json] = answer.raw.model_dump(
            mode="json", by_alias=True, exclude_unset=True
        )
        return document

    connection: Any = getattr(client, "_connection")  # noqa: B009 - of a package of its own
    return ScriptServer.from_contract(contract, send, name or package, trust=connection.trust)
