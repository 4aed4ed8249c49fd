"""Splits a view by JSON type, and opens unions if that is exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from mcpgen.compare.schemas.difference import ASSERTIONS
from mcpgen.compare.schemas.views.discriminators import are_disjoint
from mcpgen.compare.schemas.views.kinds import KINDS, Kind, kind_of
from mcpgen.compare.schemas.views.values import Enumeration, allows, enumeration, is_integer
from mcpgen.compare.schemas.views.view import View
from mcpgen.jsontext import Json, is_array
from mcpgen.schemas.types.resolution import At

MAX_BRANCHES = 200
MAX_COMPARED = 60
_TYPING = ("type", "enum", "const")
_CONSTRAINTS = ASSERTIONS - {*_TYPING}


@dataclass(frozen=True, slots=True)
class Branch:
    """The view of all or some values of a JSON type: one branch of a union."""

    kind: Kind
    view: View


@dataclass(frozen=True)
class Branches:
    """All branches of a view. ``overlap`` means that a value of two branches may be rejected."""

    listed: tuple[Branch, ...]
    overlap: bool = False

    @cached_property
    def kinds(self) -> frozenset[Kind]:
        """The allowed JSON types."""
        return frozenset(branch.kind for branch in self.listed)

    def views_of(self, kind: Kind) -> list[View]:
        """Return the views of a JSON type."""
        return [branch.view for branch in self.listed if branch.kind == kind]

    @cached_property
    def types(self) -> Json:
        """The allowed types as ``type`` would list them."""
        names: list[str] = [kind for kind in KINDS if kind in self.kinds]
        if len(names) >= len(KINDS) - 1 and "null" not in names[1:]:
            return "any"
        if "number" in names and all(is_integer(view) for view in self.views_of("number")):
            names[names.index("number")] = "integer"
        return names[0] if len(names) == 1 else names

    @cached_property
    def types_without_null(self) -> Json:
        """The allowed types apart from null, unless that is the only one."""
        unmatched = tuple(branch for branch in self.listed if branch.kind != "null")
        return Branches(unmatched).types if unmatched else "null"

    @cached_property
    def values(self) -> Enumeration | None:
        """All values except null, or None if they can't be enumerated."""
        values: Enumeration = {}
        for branch in self.listed:
            if any(not _CONSTRAINTS.isdisjoint(part.raw) for part in branch.view.parts):
                return None
            if branch.kind == "null":
                continue
            allowed = enumeration(branch.view)
            if allowed is None:
                return None
            values |= {key: v for key, v in allowed.items() if kind_of(v) == branch.kind}
        return values


def branches(view: View) -> Branches:
    """Split a view into branches. A union that can't be opened exactly stays in the views."""
    if view.impossible:
        return Branches(())
    keyword, options = open_union(view)
    if not keyword:
        return Branches(tuple(Branch(kind, view) for kind in KINDS if allows(view, kind)))
    listed: list[tuple[Branch, ...]] = []
    overlap = False
    for option in options:
        inner = branches(option)
        listed.append(inner.listed)
        overlap |= inner.overlap
        if sum(map(len, listed)) > MAX_BRANCHES:
            break
    if keyword == "oneOf":
        overlap |= not _are_apart(listed)
    return Branches(tuple(branch for item in listed for branch in item), overlap)


def open_union(view: View) -> tuple[str, list[View]]:
    """Return the keyword of the only union of a view, and the view of each branch.

    The keyword is "" if there is no union, or one whose branches have no types.
    """
    all_unions = unions(view)
    if len(all_unions) != 1 or len(view.parts) > MAX_BRANCHES:
        return "", []
    keyword, ats = all_unions[0]
    options = [view.all_of([at]) for at in ats]
    pointers = frozenset(view.pointers)
    if len(options) > MAX_BRANCHES or any(option.unresolved for option in options):
        return "", []
    if not all(_is_typed(option, pointers) for option in options):
        return "", []
    parts = tuple(
        part for part in (item.without_keywords(keyword) for item in view.parts) if part.raw
    )
    common = replace(view, parts=parts)
    return keyword, [common.with_branch(option) for option in options]


def unions(view: View) -> list[tuple[str, list[At]]]:
    """Return every ``anyOf`` and ``oneOf`` of a view with its branches."""
    return [
        (keyword, [(schema, f"{pointer}/{index}") for index, schema in enumerate(value)])
        for keyword in ("anyOf", "oneOf")
        for value, pointer in view.occurrences(keyword)
        if is_array(value)
    ]


def _is_typed(option: View, ancestors: frozenset[str]) -> bool:
    """Return True if a branch declares its types, and doesn't lead back to the union."""
    if not ancestors.isdisjoint(option.pointers):
        return False
    if option.impossible or option.has(*_TYPING):
        return True
    inner = unions(option)
    ancestors |= frozenset(option.pointers)
    return len(inner) == 1 and all(_is_typed(option.all_of([at]), ancestors) for at in inner[0][1])


def _are_apart(options: Sequence[Sequence[Branch]]) -> bool:
    """Return True if no value is valid for two options of a union."""
    if sum(map(len, options)) > MAX_COMPARED:
        return False
    pairs = [
        (branch, other)
        for index, option in enumerate(options)
        for branch in option
        for before in options[:index]
        for other in before
    ]
    return all(a.kind != b.kind or are_disjoint(a.view, b.view) for a, b in pairs)
