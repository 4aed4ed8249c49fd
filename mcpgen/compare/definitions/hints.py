"""The hints of a tool on its effects, compared by the values in force."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mcpgen.compare.change import ABSENT, Change, is_same
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json

DEFAULTS = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}
# The rule for a change to true, and for one to false.
_RULES = {
    "readOnlyHint": ("A03", "A01"),
    "destructiveHint": ("A02", "A03"),
    "idempotentHint": ("A03", "A02b"),
    "openWorldHint": ("A02", "A03"),
}
_OF_WRITERS = ("destructiveHint", "idempotentHint")


def compare(
    subject: str, at: str, old: Mapping[str, Json], new: Mapping[str, Json]
) -> Iterator[Change]:
    """Compare the annotations of a tool, apart from its title."""
    before, after = in_force(old), in_force(new)
    for key in sorted((old.keys() | new.keys()) - {"title"}):
        was, now = old.get(key, ABSENT), new.get(key, ABSENT)
        if is_same(was, now):
            continue
        pointer = f"{at}/annotations/{escape(key)}"
        rule = _rule(key, before, after)
        if key in DEFAULTS and not all(v is ABSENT or isinstance(v, bool) for v in (was, now)):
            rule = "A05" if rule == "A04" else rule
        yield Change(
            rule,
            subject,
            f"annotations.{key}",
            "" if was is ABSENT else pointer,
            "" if now is ABSENT else pointer,
            was,
            now,
        )


def _rule(key: str, before: Mapping[str, bool], after: Mapping[str, bool]) -> str:
    if key not in DEFAULTS:
        return "A05"
    reader = before["readOnlyHint"] and after["readOnlyHint"]
    if before[key] == after[key] or (key in _OF_WRITERS and reader):
        return "A04"
    return _RULES[key][0 if after[key] else 1]


def in_force(annotations: Mapping[str, Json]) -> dict[str, bool]:
    """Return the hints in force: what is not said, or is no boolean, is the default."""
    return {
        key: value if isinstance(value := annotations.get(key), bool) else default
        for key, default in DEFAULTS.items()
    }
