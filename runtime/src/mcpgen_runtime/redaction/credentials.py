"""The credentials of this process, which must not appear in any output.

Contracts, recordings, logs, errors and reports all use this module. It collects the headers
and URLs of requests, the environment variables and secret arguments of servers, and the
stored logins in use.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qsl, unquote, urlsplit

from .spellings import finder, replace

if TYPE_CHECKING:
    import logging

    import httpx2

REDACTED = "[redacted]"
MIN_LENGTH = 8
"""Shorter values aren't searched for, because they occur in ordinary text by chance."""

_MAX_VALUES = 1_000
_LONG_PART = 16
_PLAIN = re.compile(r"[A-Za-z]{1,11}|\d{1,8}|true|false", re.IGNORECASE)
_SECRET_FLAG = re.compile(
    r"token|key|secret|passw|pwd|auth|cred|cookie|bearer|signature|jwt|[-_]pat$",
    re.IGNORECASE,
)
_PUBLIC_HEADERS = frozenset(
    "accept accept-charset accept-encoding accept-language cache-control connection"
    " content-length content-type host last-event-id mcp-method mcp-name"
    " mcp-protocol-version mcp-session-id origin pragma referer traceparent tracestate"
    " transfer-encoding user-agent".split()
)


class Credentials:
    """Secret values, each with its replacement."""

    def __init__(self, named: Mapping[str, str] | None = None) -> None:
        self._instead: dict[str, str] = {}
        for value, instead in (named or {}).items():
            self._add(value, instead)

    def add(self, value: str) -> None:
        """Register a value: a token, a password, or a complete header."""
        for part in (value.strip().rpartition(" ")[2], value.strip(), value):
            self._add(part, REDACTED)

    def _add(self, value: str, instead: str) -> None:
        is_too_plain = len(value) < MIN_LENGTH or _PLAIN.fullmatch(value)
        if is_too_plain or value in self._instead:
            return
        if len(self._instead) >= _MAX_VALUES:  # in a long run, drop the oldest
            del self._instead[next(iter(self._instead))]
        self._instead[value] = instead

    def add_all(self, values: Iterable[str]) -> None:
        """Register several values."""
        for value in values:
            self.add(value)

    def add_given(self, values: Iterable[str]) -> None:
        """Register the values that a server is started with, except for existing paths."""
        self.add_all(value for value in values if not _is_path(value))

    def add_command(self, arguments: Sequence[str]) -> None:
        """Register the arguments of a command after secret flags, and its URLs."""
        for argument, following in zip(arguments, (*arguments[1:], ""), strict=False):
            name, _, value = argument.partition("=")
            if name.startswith("-") and _SECRET_FLAG.search(name):
                self.add(value or following)
            if "://" in argument:
                self.add_url(argument)
                self.add_url(value)

    def add_url(self, url: str) -> None:
        """Register the user, password, query values and random path parts of a URL."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return
        user = parts.netloc.rpartition("@")[0]
        values = [*user.split(":"), *(value for _, value in parse_qsl(parts.query))]
        values += filter(_is_random, parts.path.split("/"))
        self.add_all(item for value in values for item in (value, unquote(value)))

    def add_request(self, request: httpx2.Request) -> None:
        """Register the authorization of a request from any source."""
        self.add_headers(request.headers)
        self.add_url(str(request.url))

    def add_headers(self, headers: Mapping[str, str]) -> None:
        """Register the values of headers that may be secret."""
        for name, value in headers.items():
            if name.lower() in _PUBLIC_HEADERS:
                continue
            self.add(value)
            if value[:6].lower() == "basic ":
                self.add_all(_decoded_forms(value[6:]))
            if name.lower() == "cookie":
                self.add_all(part.partition("=")[2] for part in value.split("; "))

    def hide(self, text: str) -> str:
        """Redact all registered values in a string, in any encoding."""
        for value in self._values_in(text):
            text = replace(text, value, self._instead[value])
        return text

    def hide_in_log(self, record: logging.LogRecord) -> bool:
        """Redact a log record. Used as a filter of library loggers."""
        message = record.getMessage()
        redacted = self.hide(message)
        if redacted != message:
            record.msg, record.args = redacted, ()
        return True

    def strip(self, value: object) -> Any:
        """Redact all registered values in JSON, in strings and property names."""
        # Search everything once, because most results contain no secret.
        if self._instead and self._values_in(json.dumps(value, ensure_ascii=False, default=dict)):
            return self._strip_value(value)
        return value

    def _values_in(self, text: str) -> list[str]:
        """Return the registered values that occur in a text, longest first."""
        if not self._instead:
            return []
        return sorted(filter(finder(text), self._instead), key=len, reverse=True)

    def _strip_value(self, value: object) -> Any:
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, Mapping):
            members = cast("Mapping[str, object]", value)
            return {self.hide(name): self._strip_value(member) for name, member in members.items()}
        if isinstance(value, list | tuple):
            return [self._strip_value(item) for item in cast("list[object]", value)]
        return value


def _is_random(part: str) -> bool:
    """Return True if a part of a path looks random: long, with letters and digits."""
    is_long = len(part) >= _LONG_PART
    return is_long and bool(re.search(r"\d", part) and re.search("[A-Za-z]", part))


def _is_path(value: str) -> bool:
    try:
        return Path(value).exists()
    except (OSError, ValueError):  # for example, the name is too long
        return False


def _decoded_forms(text: str) -> list[str]:
    """Return the user and the password of Basic authorization."""
    try:
        user, _, password = base64.b64decode(text).decode().partition(":")
    except ValueError:
        return []
    return [password, f"{user}:{password}"]


CREDENTIALS = Credentials()
"""The credentials of this process."""
