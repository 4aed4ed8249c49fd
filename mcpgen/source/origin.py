"""How to reach a server again, without secrets and host paths: only what is surely neither is kept.

Whatever cannot be judged becomes a placeholder such as ``${MCP_ARG_1}``, which a generated client
reads from the environment when it connects.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from mcpgen.jsontext import Json
from mcpgen.source import launchers
from mcpgen.source.shown import Secrets

URL = "${MCP_URL}"

_PLAIN = frozenset({"stdio", "serve", "server", "start", "run", "mcp", "--"})
_FLAG = re.compile(r"-[A-Za-z]|--[a-z]{1,16}(?:-[a-z]{1,16}){0,4}")
_VARIABLE = re.compile(r"\$\{[A-Za-z_]\w*(?P<default>:-[^}]*)?\}")
_AROUND = re.compile(
    r"(?:--?[a-z]+(?:-[a-z]+)*=)?(?:[A-Z][A-Za-z-]*: ?)?(?:(?:Bearer|Basic|Token) )?[:,.@]*"
)


@dataclass(frozen=True, slots=True)
class Origin:
    """What may be written down about a server, and the values that were kept back."""

    document: dict[str, Json]
    secrets: Secrets


def command(written: Sequence[str], actual: Sequence[str], env: Iterable[str]) -> Origin:
    """Describe a command; ``written`` still holds the ``${VAR}`` that ``actual`` has values for."""
    program = _template(written[0]) or launchers.program(actual[0])
    known = launchers.known([program, *written[1:]])
    arguments: list[str] = []
    hidden: dict[str, str] = {}
    for index, (text, value) in enumerate(zip(written[1:], actual[1:], strict=True), start=1):
        if index in known or text in _PLAIN or _FLAG.fullmatch(text):
            arguments.append(text)
            continue
        kept = _template(text) if text != value else None
        arguments.append(kept or hidden.setdefault(value, f"${{MCP_ARG_{len(hidden) + 1}}}"))
    document: dict[str, Json] = {"transport": "stdio", "command": program, "args": arguments}
    if names := sorted(set(env)):
        document["env"] = names
    return Origin(document, Secrets(hidden))


def _template(text: str) -> str | None:
    """Return an argument that is variables and no more than a flag or a header's name beside."""
    if not _AROUND.fullmatch(_VARIABLE.sub("", text)):
        return None
    return _VARIABLE.sub(_without_default, text)


def _without_default(match: re.Match[str]) -> str:
    default = match["default"] or ""
    plain = re.fullmatch(r"(?::-(?:[a-z]{1,16}|\d{1,5})?)?", default)
    return match[0] if plain else match[0].replace(default, "")


def http(kind: str, written: str, actual: str, headers: Iterable[str]) -> Origin:
    """Describe a URL, without userinfo and query; a path that may hold a token hides it all."""
    document: dict[str, Json] = {"transport": kind, "url": _url(written)}
    if names := sorted(set(headers)):
        document["headers"] = names
    return Origin(document, Secrets(dict.fromkeys(_confidential(actual), URL)))


def _url(written: str) -> str:
    bare = _VARIABLE.sub(lambda m: m[0].replace(m["default"] or "", ""), written)
    if _VARIABLE.fullmatch(bare):
        return bare
    address = urlsplit(bare)
    if any(not _is_wordy(part) and not _VARIABLE.fullmatch(part) for part in _segments(bare)):
        return URL
    return f"{address.scheme}://{address.netloc.rpartition('@')[2]}{address.path}"


def _segments(url: str) -> list[str]:
    return [part for part in urlsplit(url).path.split("/") if part]


# Words as people write them in a path: `mcp`, `v1`, `my-server`, `listTools`, `2025-11-25`.
_WORDY = re.compile(
    r"@?(?:WORD|\d{1,4})(?:[-_.](?:WORD|\d{1,4})){0,7}".replace(
        "WORD", r"(?:[A-Z]{2,5}|[A-Za-z][a-z]{0,15}(?:[A-Z][a-z]{2,15}){0,3})\d{0,2}"
    )
)


def _is_wordy(part: str) -> bool:
    return bool(_WORDY.fullmatch(part))


def _confidential(url: str) -> list[str]:
    """List the parts of a URL that must not be repeated anywhere."""
    from urllib.parse import parse_qsl, unquote

    address = urlsplit(url)
    userinfo = address.netloc.rpartition("@")[0]
    parts = [*userinfo.split(":"), *(p for p in _segments(url) if not _is_wordy(p))]
    parts += [address.query, *(value for _, value in parse_qsl(address.query))]
    return [part for raw in parts for part in {raw, unquote(raw)} if part]


def in_process(target: str, name: str) -> Origin:
    """Describe an object in a file or module; a file elsewhere keeps its name alone."""
    path = Path(target)
    if target.endswith(".py"):
        here = Path.cwd().resolve()
        full = path.resolve()
        target = full.relative_to(here).as_posix() if full.is_relative_to(here) else path.name
    return Origin({"transport": "in-process", "target": f"{target}:{name}"}, Secrets())
