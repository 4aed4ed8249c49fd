"""The keys of `[tool.mcpgen]`: they are the command line's names, and every other one is refused.

``schema/config/config.schema.json`` says the same, for editors; a test holds the two together.
"""

from __future__ import annotations

import contextlib
import difflib
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime
from typing import Any, TypeAlias

from mcpgen.codegen import naming
from mcpgen.errors import McpgenError, UsageError
from mcpgen.project.model import Client, Entry, Ignore, Server, Settings

STYLES = ("dataclass", "basemodel", "typeddict")
_Kind: TypeAlias = Callable[[Any, str], Any]
_Table: TypeAlias = Mapping[str, Any]


def read(table: Any, file: str) -> Settings:
    """Read the table ``tool.mcpgen`` of a parsed file; a mistake is said with its place."""
    found = read_each(table, file)
    for error in found.broken.values():
        raise error
    return found


def read_each(table: Any, file: str) -> Settings:
    """Read the table; a mistake in the part of one server costs the others nothing."""
    try:
        found = _read(table, {"servers": _a_table, "ignore": _list_of(_ignore)}, "tool.mcpgen")
    except UsageError as error:
        raise _placed(error, file) from None
    servers: dict[str, Any] = found.get("servers", {})
    entries: dict[str, Entry] = {}
    broken: dict[str, McpgenError] = {}
    for name, inner in servers.items():
        try:
            entries[name] = _entry(name, inner)
        except UsageError as error:
            broken[name] = _placed(error, file)
    for name, clash in _sharing(entries.values()).items():
        broken[name] = _placed(clash, file)
        del entries[name]
    return Settings(servers=entries, broken=broken, ignore=tuple(found.get("ignore", ())))


def _placed(error: UsageError, file: str) -> UsageError:
    return UsageError(error.problem, f"{file}: {error.where}", error.hint)


def _entry(name: str, table: Any) -> Entry:
    at = f"tool.mcpgen.servers.{name}"
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", name):
        raise UsageError(f"{name!r} cannot name a server", at, "use letters, digits, - and _")
    found = _read(table, ENTRY, at)
    if "contract" not in found and "source" not in found:
        hint = 'say where the server is: source = "https://example.org/mcp"'
        raise UsageError("the server has neither a source nor a contract", at, hint)
    found.setdefault("contract", f"mcp/{name}.contract.json")
    for role in ("client", "server"):
        if role in found and not found[role].name:
            found[role] = replace(found[role], name=naming.package(name, role))
    return Entry(name=name, **found)


def _client(value: Any, at: str) -> Client:
    return Client(**_read(value, {**_PLACE, "style": _one_of(STYLES)}, at))


def _server(value: Any, at: str) -> Server:
    return Server(**_read(value, {**_PLACE, "docker": _a_flag}, at))


def _ignore(value: Any, at: str) -> Ignore:
    found = _read(value, {"fingerprint": _a_fingerprint, "reason": _a_text, "until": _a_date}, at)
    for key in ("fingerprint", "reason"):
        if key not in found:
            raise UsageError(f"{key!r} is missing", at, "say which change, and why it is wanted")
    return Ignore(**found)


def _read(table: Any, kinds: Mapping[str, _Kind], at: str) -> dict[str, Any]:
    """Check each member of a table by its kind; a key that is not known is refused."""
    found = _a_table(table, at)
    for key in found:
        if key not in kinds:
            close = difflib.get_close_matches(key.replace("_", "-").lower(), kinds, 1)
            known = f"did you mean {close[0]!r}? " if close else ""
            hint = f"{known}known here: {', '.join(kinds)}"
            raise UsageError(f"unknown key {key!r}", at, hint)
    return {key: kinds[key](value, f"{at}.{key}") for key, value in found.items()}


# The kinds of values


def _a_table(value: Any, at: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError("a table is needed", at)
    return value  # type: ignore[unused-ignore] # pyright: ignore[reportUnknownVariableType]


def _a_text(value: Any, at: str) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise UsageError("a text is needed", at)
    return value


def _a_flag(value: Any, at: str) -> bool:
    if not isinstance(value, bool):
        raise UsageError("true or false is needed", at)
    return value


def _a_time(value: Any, at: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 86400:
        raise UsageError("a number of seconds up to 86400 is needed", at)
    return float(value)


def _a_date(value: Any, at: str) -> date:
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            return date.fromisoformat(value)
    if not isinstance(value, date) or isinstance(value, datetime):
        raise UsageError("a date is needed", at, "such as: until = 2027-01-31")
    return value


def _a_fingerprint(value: Any, at: str) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[0-9a-f]{12}", value):
        raise UsageError(
            "twelve hexadecimal digits are needed", at, "mcpgen check --live says them"
        )
    return value


def _list_of(kind: _Kind) -> _Kind:
    def items(value: Any, at: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise UsageError("a list is needed", at)
        found: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        return tuple(kind(item, f"{at}[{n}]") for n, item in enumerate(found))

    return items


def _names(value: Any, at: str) -> dict[str, str]:
    return {key: _a_text(text, f"{at}.{key}") for key, text in _a_table(value, at).items()}


def _a_source(value: Any, at: str) -> str | tuple[str, ...]:
    if isinstance(value, str):
        return _a_text(value, at)
    words: tuple[str, ...] = _list_of(_a_text)(value, at)
    if not words:
        raise UsageError("the command has no words", at, 'such as: ["npx", "-y", "some-server"]')
    return words


def _one_of(words: Iterable[str]) -> _Kind:
    known = tuple(words)

    def choice(value: Any, at: str) -> str:
        if value not in known:
            close = difflib.get_close_matches(str(value), known, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"choose one of: {', '.join(known)}"
            raise UsageError(f"{value!r} is not known here", at, hint)
        return str(value)

    return choice


_PLACE: dict[str, _Kind] = {"output": _a_text, "name": _a_text}
ENTRY: dict[str, _Kind] = {
    "source": _a_source,
    "contract": _a_text,
    "client": _client,
    "server": _server,
    "include": _list_of(_a_text),
    "exclude": _list_of(_a_text),
    "rename": _names,
    "outside": _a_flag,
    "env": _list_of(_a_text),
    "header": _list_of(_a_text),
    "cwd": _a_text,
    "timeout": _a_time,
    "transport": _one_of(("stdio", "http", "sse")),
    "era": _one_of(("auto", "legacy", "modern")),
}


def _sharing(entries: Iterable[Entry]) -> dict[str, UsageError]:
    """Return the servers that would write into one place: two packages, or two contracts.

    None of them is written: which one was meant cannot be told from the order of the tables.
    """
    found: dict[str, UsageError] = {}
    taken: dict[str, tuple[str, str]] = {}
    for entry in entries:
        for path, at in _places(entry):
            place = posixpath.normpath(path)
            for other, (name, owner) in taken.items():
                if _overlap(place, other):
                    found.setdefault(entry.name, _taken(path, at, owner))
                    found.setdefault(name, _taken(other, owner, at))
            taken.setdefault(place, (entry.name, at))
    return found


def _places(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield what a table has written, each with the key that says so."""
    for kind, table in (("client", entry.client), ("server", entry.server)):
        if table is not None:
            yield posixpath.join(table.output, table.name), f"{entry.at}.{kind}"
    if entry.source:
        yield entry.contract, f"{entry.at}.contract"


def _overlap(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")


def _taken(path: str, at: str, owner: str) -> UsageError:
    hint = f"{owner} is written there too; give one of them another output or name"
    return UsageError(f"{path!r} is taken", at, hint)
