"""The headers of an HTTP request that repeat parts of its message."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from mcp.shared.inbound import (
    encode_header_value,
    find_invalid_x_mcp_header,
    mcp_param_headers,
    x_mcp_header_map,
)

from mcpgen.jsontext import Json, is_object
from mcpgen.servers.recording.wire.handshake import MODERN_REVISIONS

_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


def request_headers(
    method: str, params: Mapping[str, Json], revision: str, schemas: Mapping[str, Json]
) -> dict[str, str] | None:
    """Return the headers of a request, or None for `initialize`.

    ``schemas`` are the input schemas of tools. They declare the repeated arguments.
    """
    if method == "initialize":
        return None
    headers = {"mcp-protocol-version": revision}
    if revision not in MODERN_REVISIONS:
        return headers
    headers["mcp-method"] = method
    name = params.get(_NAMED.get(method, ""))
    if isinstance(name, str):
        headers["mcp-name"] = encode_header_value(name)
    schema, arguments = schemas.get(str(name)), params.get("arguments")
    is_mirrored = method == "tools/call" and find_invalid_x_mcp_header(schema) is None
    if is_mirrored and is_object(arguments):
        with contextlib.suppress(UnicodeEncodeError):  # a lone surrogate can't be encoded
            headers |= mcp_param_headers(x_mcp_header_map(schema), arguments)
    return headers
