"""Icons, ``_meta`` and members of a definition that mcpgen does not know."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from mcpgen.compare.change import ABSENT, Change, is_same
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, is_object

# Their meaning is agreed on by hosts and servers; whatever else is in _meta is the server's own.
_READ_BY_HOSTS = ("ui", "io.modelcontextprotocol", "openai", "anthropic", "dev.mcp", "com.")


def compare(
    subject: str,
    pointers: tuple[str, str],
    old: Mapping[str, Json],
    new: Mapping[str, Json],
    known: Collection[str],
) -> Iterator[Change]:
    """Compare what stands beside the known members of a definition."""
    for key in sorted(old.keys() | new.keys()):
        was, now = old.get(key, ABSENT), new.get(key, ABSENT)
        if is_same(was, now):
            continue
        at = [f"{pointer}/{escape(key)}" for pointer in pointers]
        if key in ("icons", "websiteUrl"):
            yield Change("D06", subject, key, at[0], at[1], was, now)
        elif key == "_meta":
            yield from _meta(subject, (at[0], at[1]), was, now)
        elif key not in known:
            yield Change("D09", subject, key, at[0], at[1], was, now)


def _meta(subject: str, at: tuple[str, str], old: Json, new: Json) -> Iterator[Change]:
    before, after = (value if is_object(value) else {} for value in (old, new))
    for key in sorted(before.keys() | after.keys()):
        was, now = before.get(key, ABSENT), after.get(key, ABSENT)
        if not is_same(was, now):
            rule = "D07" if key.startswith(_READ_BY_HOSTS) or "/" in key else "D07b"
            places = [f"{pointer}/{escape(key)}" for pointer in at]
            yield Change(rule, subject, f"_meta.{key}", places[0], places[1], was, now)
