"""Compares the hints of a tool by their effective values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mcpgen.compare.definitions.versions import Versions
from mcpgen.findings.change import ABSENT, Change
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


def compare(annotations: Versions) -> Iterator[Change]:
    """Compare the annotations of a tool, apart from its title."""
    old, new = in_force(annotations.old), in_force(annotations.new)
    for key in annotations.changed_keys():
        if key == "title":
            continue
        rule = _rule(key, old, new)
        if rule == "A04" and not all(_is_hint(value) for value in annotations.values(key)):
            rule = "A05"
        yield annotations.change_in_place(rule, key)


def _rule(key: str, old: Mapping[str, bool], new: Mapping[str, bool]) -> str:
    if key not in DEFAULTS:
        return "A05"
    is_reader = old["readOnlyHint"] and new["readOnlyHint"]
    if old[key] == new[key] or (key in _OF_WRITERS and is_reader):
        return "A04"
    return _RULES[key][0 if new[key] else 1]


def _is_hint(value: object) -> bool:
    return value is ABSENT or isinstance(value, bool)


def in_force(annotations: Mapping[str, Json]) -> dict[str, bool]:
    """Return the effective hints. Missing and non-boolean hints have their defaults."""
    return {
        key: value if isinstance(value := annotations.get(key), bool) else default
        for key, default in DEFAULTS.items()
    }
