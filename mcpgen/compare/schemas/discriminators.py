"""What tells the branches of a union from each other: members that have one value in each."""

from __future__ import annotations

from mcpgen.compare.schemas.kinds import Kind
from mcpgen.compare.schemas.members import Members
from mcpgen.compare.schemas.values import enumeration
from mcpgen.compare.schemas.view import View


def discriminators(view: View) -> set[tuple[str, str]]:
    """Return the members that can only have one value, as (name, value)."""
    members = Members(view)
    constants: set[tuple[str, str]] = set()
    for name in members.names:
        allowed = enumeration(members.of(name))
        if allowed is not None and len(allowed) == 1:
            constants.add((name, next(iter(allowed))))
    return constants


def label(view: View, kind: Kind) -> str:
    """Return what a person would call a branch: the value that tells it, its title, its kind."""
    values = [value.strip('"') for _, value in sorted(discriminators(view))]
    titles = [part.raw["title"] for part in view.own if isinstance(part.raw.get("title"), str)]
    return next(iter([*values, *titles]), kind)


def are_disjoint(one: View, other: View) -> bool:
    """Say whether no value can be valid by both, as far as listed values can tell."""
    if _share_no_value(one, other):
        return True
    first, second = Members(one), Members(other)
    for name in sorted(first.required | second.required):
        left, right = first.of(name), second.of(name)
        if left.impossible or right.impossible or _share_no_value(left, right):
            return True
    return False


def _share_no_value(one: View, other: View) -> bool:
    first, second = enumeration(one), enumeration(other)
    return first is not None and second is not None and first.keys().isdisjoint(second)
