"""The credentials of this process, and the texts in which they must not appear.

One owner for recordings, logs, errors and reports. It is given each header and URL that
is sent, and each variable that a server is started with.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

if TYPE_CHECKING:
    import httpx2

REDACTED = "[redacted]"
MIN_LENGTH = 8
"""Shorter values are not looked for: they stand in ordinary text by chance."""

_MAX_VALUES = 1_000
_PLAIN = re.compile(r"[A-Za-z]{1,11}|\d{1,8}|true|false", re.IGNORECASE)
_PUBLIC_HEADERS = frozenset(
    "accept accept-charset accept-encoding accept-language cache-control connection"
    " content-length content-type host last-event-id mcp-method mcp-name"
    " mcp-protocol-version mcp-session-id origin pragma referer traceparent tracestate"
    " transfer-encoding user-agent".split()
)


class Credentials:
    """Secret values, and each form in which a server may send them back."""

    def __init__(self) -> None:
        self._forms: dict[str, tuple[str, ...]] = {}
        self._pattern: re.Pattern[str] | None = None

    def add(self, value: str) -> None:
        """Take a value: a token, a password, a whole header."""
        for part in {value, value.strip(), value.strip().rpartition(" ")[2]}:
            if len(part) < MIN_LENGTH or _PLAIN.fullmatch(part) or part in self._forms:
                continue
            if len(self._forms) >= _MAX_VALUES:  # those of a long run, the oldest first
                del self._forms[next(iter(self._forms))]
            self._forms[part] = _forms(part)
            self._pattern = None

    def add_all(self, values: Iterable[str]) -> None:
        """Take several values."""
        for value in values:
            self.add(value)

    def add_environment(self, variables: Mapping[str, str]) -> None:
        """Take the values of variables that a server is given, except for paths."""
        self.add_all(each for each in variables.values() if not _is_path(each))

    def add_url(self, url: str) -> None:
        """Take the user, the password and the query values of a URL."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return
        user = parts.netloc.rpartition("@")[0]
        values = [*user.split(":"), *(value for _, value in parse_qsl(parts.query))]
        self.add_all(each for value in values for each in (value, unquote(value)))

    def add_request(self, request: httpx2.Request) -> None:
        """Take what a request is authorized with, whoever put it there."""
        for name, value in request.headers.items():
            if name.lower() in _PUBLIC_HEADERS:
                continue
            self.add(value)
            if value[:6].lower() == "basic ":
                self.add_all(_decoded(value[6:]))
            if name.lower() == "cookie":
                self.add_all(each.partition("=")[2] for each in value.split("; "))
        self.add_url(str(request.url))

    def hide(self, text: str) -> str:
        """Return a text without any of them."""
        if not self._forms:
            return text
        if self._pattern is None:
            forms = {form for forms in self._forms.values() for form in forms}
            longest_first = sorted(forms, key=len, reverse=True)
            self._pattern = re.compile("|".join(map(re.escape, longest_first)))
        return self._pattern.sub(REDACTED, text)

    def strip(self, value: object) -> Any:
        """Return JSON without any of them, in strings and in names of members."""
        if not self._forms:
            return value
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, Mapping):
            members = cast("Mapping[str, object]", value)
            return {self.hide(name): self.strip(each) for name, each in members.items()}
        if isinstance(value, list):
            return [self.strip(each) for each in cast("list[object]", value)]
        return value


def _is_path(value: str) -> bool:
    try:
        return Path(value).exists()
    except (OSError, ValueError):  # such as of a name that is too long
        return False


def _forms(value: str) -> tuple[str, ...]:
    raw = value.encode("utf-8", "surrogatepass")
    in_base64 = {base64.b64encode(raw), base64.urlsafe_b64encode(raw)}
    return tuple(
        {
            value,
            quote(value, safe="", errors="replace"),
            quote(value, errors="replace"),
            quote_plus(value, errors="replace"),
            json.dumps(value)[1:-1],
            json.dumps(value, ensure_ascii=False)[1:-1],
            *(each.decode().rstrip("=") for each in in_base64),
        }
    )


def _decoded(text: str) -> list[str]:
    """Return the user and the password of Basic authorization."""
    try:
        user, _, password = base64.b64decode(text).decode().partition(":")
    except ValueError:
        return []
    return [password, f"{user}:{password}"]


CREDENTIALS = Credentials()
"""Those of this process."""
