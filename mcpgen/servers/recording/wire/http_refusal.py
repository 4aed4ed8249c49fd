"""Reads HTTP error responses: status, redirect target, the server's message."""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

import anyio
import httpx2
from mcpgen_runtime.auth.login_errors import login_command
from mcpgen_runtime.display import brief

from mcpgen.errors import AuthorizationError, McpgenError, UnreachableError
from mcpgen.jsontext import Json, is_object
from mcpgen.servers.endpoint import Http
from mcpgen.servers.endpoint.sensitivity import is_sensitive

_MOST = 65_536
_PATIENCE = 2.0
_SHOWN = 200
_PATH = "check the path (often /mcp); --transport sse is for the older transport"
_SERVER = "the fault is on the server's side: try again later, or look at its log"
_PARAMETER = re.compile(r'([a-z_]+)="([^"]{1,500})"')


@dataclass(frozen=True, slots=True)
class Refusal:
    """An HTTP error response. ``message`` is free of secrets and control characters."""

    status: int
    challenge: str = ""
    location: str = ""
    retry_after: str = ""
    message: str = ""
    had_credentials: bool = False

    def error(self, where: str) -> McpgenError:
        """Return the error for the user who gave the URL."""
        reason = f": {self.message}" if self.message else ""
        if self.status in (401, 403):
            return self._authorization_error(where, reason)
        if self.status < 400:
            to = f" to {self.location}" if self.location else ""
            hint = "use the address that it redirects to, if you trust it"
            return UnreachableError(f"the server redirects (HTTP {self.status}){to}", where, hint)
        problem = f"the server responded with HTTP {self.status}{reason}"
        return UnreachableError(problem, where, self._hint())

    def _authorization_error(self, where: str, reason: str) -> McpgenError:
        parameters = dict(_PARAMETER.findall(self.challenge))
        if not reason and "error_description" in parameters:
            reason = f": {parameters['error_description']}"
        scheme = self.challenge.split(" ")[0]
        scheme = scheme if scheme.isalpha() and scheme.isascii() else "Bearer"
        advice = f"pass credentials: --header 'Authorization: {scheme} ${{TOKEN}}'"
        if scheme == "Bearer":
            advice = f"run: {login_command(where)}, or {advice}"
        problem = "the server requires authorization"
        if self.had_credentials:
            problem = "the server rejects the given credentials"
            advice = "check that they are complete, valid for this server, and not expired"
            if self.status == 403:
                advice = "check their permissions: they may be valid but insufficient"
            scope = parameters.get("scope", "")
            if parameters.get("error") == "insufficient_scope" and _SCOPE.fullmatch(scope):
                problem = "the login lacks a permission"
                advice = f"run: {login_command(where, scope=scope)}"
        hint = "; ".join([advice, *_metadata(parameters.get("resource_metadata", ""))])
        return AuthorizationError(f"{problem} (HTTP {self.status}){reason}", where, hint)

    def _hint(self) -> str:
        later = f"try again in {self.retry_after} seconds" if self.retry_after else ""
        if "https" in self.message.lower():
            return "the port may be for https: write the address as https://"
        if self.status == 407:
            return "a proxy requires authorization: see HTTPS_PROXY and NO_PROXY"
        if self.status == 429:
            return later or "too many requests: try again later"
        return (later or _SERVER) if self.status >= 500 else _PATH


_SCOPE = re.compile(r"[!#-\[\]-~]{1,60}(?: [!#-\[\]-~]{1,60}){0,9}")  # RFC 6749, 3.3


def _metadata(url: str) -> list[str]:
    """Return a hint to the metadata of the protected resource (RFC 9728)."""
    if not re.fullmatch(r"https?://[!-~]{1,300}", url):
        return []
    return [f"how to get a token is described at {url}"]


async def read(response: httpx2.Response, target: Http) -> Refusal | None:
    """Return the refusal if a response is an error or a redirect, otherwise None."""
    if response.status_code < 300:
        return None
    hide = target.origin().secrets.hide
    headers = response.headers
    after = headers.get("retry-after", "")
    return Refusal(
        status=response.status_code,
        challenge=hide(headers.get("www-authenticate", "")),
        location=hide(_redirect_target(response, headers.get("location", ""))),
        retry_after=after if re.fullmatch(r"\d{1,6}", after) else "",
        message=brief(hide(await _body(response)), _SHOWN),
        had_credentials=_has_credentials(target),
    )


def _has_credentials(target: Http) -> bool:
    return any(map(is_sensitive, target.headers)) or "@" in urlsplit(target.url).netloc


def _redirect_target(response: httpx2.Response, location: str) -> str:
    """Return the target of a redirect without possible secrets."""
    try:
        url = response.url.join(location) if location else None
        return "" if url is None else str(url.copy_with(userinfo=b"", query=None, fragment=None))
    except (httpx2.InvalidURL, ValueError):
        return ""


async def _body(response: httpx2.Response) -> str:
    """Return the message of an error's body: a JSON message, or the text of a short page."""
    length = response.headers.get("content-length", "0")
    if response.status_code < 400 or not length.isdecimal() or int(length) > _MOST:
        return ""
    text = ""
    with contextlib.suppress(httpx2.HTTPError, httpx2.StreamError), anyio.move_on_after(_PATIENCE):
        await response.aread()
        text = response.text[:_MOST]
    kind = response.headers.get("content-type", "")
    return _page(text) if "html" in kind or text.lstrip()[:1] == "<" else _message(text)


def _message(text: str) -> str:
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return text
    for _ in range(3):
        keys = ("error_description", "message", "detail", "error", "title")
        key = next((k for k in keys if is_object(value) and value.get(k)), "")
        value = value[key] if key else value
    return value if isinstance(value, str) else text


def _page(text: str) -> str:
    return re.sub(r"<(style|script)\b.*?</\1\s*>|<[^>]*>", " ", text, flags=re.DOTALL)
