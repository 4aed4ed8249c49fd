"""Finds discriminators: properties with a different fixed value in each branch of a union."""

from __future__ import annotations

from mcpgen.compare.schemas.views.kinds import Kind
from mcpgen.compare.schemas.views.properties import PropertyViews
from mcpgen.compare.schemas.views.values import enumeration
from mcpgen.compare.schemas.views.view import View


def discriminators(view: View) -> set[tuple[str, str]]:
    """Return the properties that can have only one value, as pairs of name and value."""
    members = PropertyViews(view)
    constants: set[tuple[str, str]] = set()
    for name in members.names:
        allowed = enumeration(members.named(name))
        if allowed is not None and len(allowed) == 1:
            constants.add((name, next(iter(allowed))))
    return constants


def label(view: View, kind: Kind) -> str:
    """Return a name for a branch: its discriminator's value, its title, or its type."""
    values = [value.strip('"') for _, value in sorted(discriminators(view))]
    titles = [
        part.raw["title"] for part in view.own_parts if isinstance(part.raw.get("title"), str)
    ]
    return next(iter([*values, *titles]), kind)


def are_disjoint(other_view: View, other: View) -> bool:
    """Return True if no value is valid for both, as far as enumerated values show."""
    if _share_no_value(other_view, other):
        return True
    first, second = PropertyViews(other_view), PropertyViews(other)
    for name in sorted(first.required_names | second.required_names):
        view, right = first.named(name), second.named(name)
        if view.impossible or right.impossible or _share_no_value(view, right):
            return True
    return False


def _share_no_value(view: View, other: View) -> bool:
    first, second = enumeration(view), enumeration(other)
    return first is not None and second is not None and first.keys().isdisjoint(second)
