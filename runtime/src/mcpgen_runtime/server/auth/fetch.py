"""Requests to the authorization server: short, small, and without redirects."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

import anyio
import httpx2

from ... import tls
from .errors import Unavailable

_MAX_BYTES = 1_000_000
_SECONDS = 5.0


async def fetch(
    method: str,
    url: str,
    *,
    form: Mapping[str, str] | None = None,
    login: tuple[str, str] | None = None,
) -> dict[str, Any]:
    """Fetch a JSON object, of at most 1 MB and within 5 seconds.

    Raises:
        Unavailable: There is no such response. Redirects aren't followed, because they
            could lead to a host that the operator doesn't trust.
    """
    body = b""
    try:
        http = httpx2.AsyncClient(verify=tls.shared_settings(), timeout=_SECONDS)
        with anyio.fail_after(_SECONDS):
            async with (
                http,
                http.stream(method, url, data=form, headers=_JSON, auth=login) as response,
            ):
                if response.status_code != 200:
                    raise Unavailable(f"{url} responded with status {response.status_code}")
                async for chunk in response.aiter_bytes():
                    body += chunk
                    if len(body) > _MAX_BYTES:
                        raise Unavailable(f"{url} sent more than {_MAX_BYTES} bytes")
    except tls.CertificatesError as error:
        raise Unavailable(str(error)) from error
    except (httpx2.HTTPError, TimeoutError) as error:
        raise Unavailable(f"{url} doesn't respond: {type(error).__name__}") from error
    try:
        document: Any = json.loads(body)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise Unavailable(f"{url} sent no JSON object")
    return cast("dict[str, Any]", document)


_JSON = {"accept": "application/json"}
