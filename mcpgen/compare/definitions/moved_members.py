"""Members that only have another name: one is gone, and one with its schema is new."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from mcpgen.findings.change import ABSENT, Change
from mcpgen.jsontext import is_object

_REMOVED = frozenset({"I05", "I06", "O03"})
_ADDED = frozenset({"I01", "I02", "I02c", "O06", "O06b"})
_LIKE = 0.6
_MAX_COMPARED = 500


def with_moves(changes: Sequence[Change]) -> Iterator[Change]:
    """Say of a member that is gone, and of the only new one with its schema, that it moved."""
    removed, added = (_by_schema(changes, rules) for rules in (_REMOVED, _ADDED))
    details: dict[str, str] = {}
    for key, old in removed.items():
        new = added.get(key, [])
        if len(old) == 1 and len(new) == 1 and _are_alike(old[0], new[0]):
            details[old[0].path] = f"it looks renamed to {new[0].path}"
            details[new[0].path] = f"it looks renamed from {old[0].path}"
    for change in changes:
        is_moved = change.path in details and change.rule in _REMOVED | _ADDED
        yield change.with_detail(details[change.path]) if is_moved else change


def _by_schema(
    changes: Sequence[Change], rules: frozenset[str]
) -> dict[tuple[str, str], list[Change]]:
    """Return the members that came or went, by the object they are in and their schema."""
    by_schema: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        schema = change.new if change.old is ABSENT else change.old
        if change.rule in rules and is_object(schema):
            rest = {k: v for k, v in schema.items() if k not in ("title", "description")}
            key = change.path.rpartition(".")[0], repr(rest)
            by_schema.setdefault(key, []).append(change)
    return by_schema


def _are_alike(removed: Change, added: Change) -> bool:
    """Say whether two members of one schema are called alike or described alike.

    That both are booleans, say, is chance.
    """
    was, now = (change.path.rpartition(".")[2].lower() for change in (removed, added))
    if was in now or now in was or _likeness(was, now) > _LIKE:
        return True
    schemas = removed.old, added.new
    old, new = (schema.get("description") for schema in schemas if is_object(schema))
    if isinstance(old, str) and isinstance(new, str):
        return _likeness(old[:_MAX_COMPARED], new[:_MAX_COMPARED]) > _LIKE
    return False


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()
