"""Splits a URL into its parts, and replaces secret parts by variables."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from mcpgen.servers.endpoint.sensitivity import VARIABLE, is_plain_word, is_short, is_words
from mcpgen.servers.endpoint.variables import Placeholders


@dataclass(slots=True)
class Url:
    """Processes a URL part by part. Possible secrets are replaced by variables."""

    placeholders: Placeholders = field(default_factory=Placeholders)

    def redact(self, written: str) -> str:
        """Return the URL without secrets."""
        bare = VARIABLE.sub(lambda m: m[0].replace(m["default"] or "", ""), written)
        if VARIABLE.fullmatch(bare):
            return bare
        address = urlsplit(bare)
        path = "/".join(self._part(part, "part") for part in address.path.split("/"))
        query = f"?{self._query(address.query)}" if address.query else ""
        return f"{address.scheme}://{self._authority(address.netloc)}{path}{query}"

    def _authority(self, netloc: str) -> str:
        user, at, host = netloc.rpartition("@")
        name, colon, password = user.partition(":")
        credentials = [self._secret(name, "user") if name else "", colon]
        credentials.append(self._secret(password, "password") if password else "")
        labels = [host] if "[" in host else [self._label(part) for part in host.split(".")]
        return f"{''.join(credentials)}{at}{'.'.join(labels)}"

    def _label(self, label: str) -> str:
        bare, colon, port = label.partition(":")
        is_plain = VARIABLE.search(label) or is_short(bare, 8) or not bare
        return label if is_plain else f"{self._secret(bare, 'host')}{colon}{port}"

    def _part(self, part: str, name: str) -> str:
        if not part or is_short(VARIABLE.sub("x", part)):
            return part
        return self._secret(part, name)

    def _query(self, query: str) -> str:
        return "&".join(self._pair(pair) for pair in query.split("&"))

    def _pair(self, pair: str) -> str:
        name, equals, value = pair.partition("=")
        if not is_words(name):
            return self._secret(pair, "query")
        if not value or VARIABLE.fullmatch(value) or is_plain_word(value, name):
            return pair
        return f"{name}{equals}{self._secret(value, name)}"

    def _secret(self, text: str, name: str) -> str:
        if VARIABLE.fullmatch(text):
            return text
        return self.placeholders.value(text, f"url-{name}", is_public=False)


def confidential(url: str) -> list[str]:
    """List the parts of a URL that must not be repeated anywhere."""
    address = urlsplit(url)
    userinfo = address.netloc.rpartition("@")[0]
    segments = [part for part in address.path.split("/") if part]
    parts = [*userinfo.split(":"), *(part for part in segments if not is_short(part))]
    pairs = parse_qsl(address.query)
    parts += [value for name, value in pairs if not is_plain_word(value, name)]
    return [part for raw in parts for part in {raw, unquote(raw)} if part]
