"""A view taken apart by the kinds of JSON values it allows, unions opened where that is exact."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from mcpgen.compare.schemas.view import ASSERTIONS, KINDS, Members, View
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.types.resolution import At

MAX_BRANCHES = 200
_CONSTRAINTS = ASSERTIONS - {"type", "enum", "const"}
Choices: TypeAlias = "dict[str, Json]"


@dataclass(frozen=True, slots=True)
class Branch:
    """What is said of the values of one kind, or of some of them: one branch of a union."""

    kind: str
    view: View


@dataclass(frozen=True, slots=True)
class Branches:
    """All branches of a view; ``overlap`` says that a value of two of them may be refused."""

    listed: tuple[Branch, ...]
    overlap: bool = False

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of values that are allowed."""
        return frozenset(branch.kind for branch in self.listed)

    def of(self, kind: str) -> list[View]:
        """Return the views of one kind."""
        return [branch.view for branch in self.listed if branch.kind == kind]

    def label(self) -> Json:
        """Return the allowed types as ``type`` would say them."""
        names = [kind for kind in KINDS if kind in self.kinds]
        if len(names) >= len(KINDS) - 1 and "null" not in names[1:]:
            return "any"
        if "number" in names and all(is_whole(view) for view in self.of("number")):
            names[names.index("number")] = "integer"
        return names[0] if len(names) == 1 else names

    def values(self) -> Choices | None:
        """Return all values apart from null, ``None`` where they cannot be listed."""
        found: Choices = {}
        for branch in self.listed:
            listed = choices(branch.view)
            keywords = {key for part in branch.view.parts for key in part.raw}
            if keywords & _CONSTRAINTS:
                return None
            if branch.kind == "null":
                continue
            if listed is None:
                return None
            found |= {key: v for key, v in listed.items() if kind_of(v) == branch.kind}
        return found


def branches(view: View) -> Branches:
    """Take a view apart; a union that cannot be opened exactly stays in the views as it is."""
    if view.impossible:
        return Branches(())
    group = _group(view)
    if group is None:
        return Branches(tuple(Branch(kind, view) for kind in KINDS if _allows(view, kind)))
    keyword, options = group
    found: list[tuple[Branch, ...]] = []
    overlap = False
    for option in options:
        inner = branches(_distributed(view, keyword, option))
        found.append(inner.listed)
        overlap |= inner.overlap
        if sum(map(len, found)) > MAX_BRANCHES:
            break
    if keyword == "oneOf":
        overlap |= not _are_apart(found)
    return Branches(tuple(branch for listed in found for branch in listed), overlap)


def opened(view: View) -> tuple[str, list[View]]:
    """Return the keyword of the one union of a view, and what each of its branches says."""
    keyword, options = _group(view) or ("", [])
    return keyword, [_distributed(view, keyword, option) for option in options]


def _distributed(view: View, keyword: str, option: View) -> View:
    base = tuple(part.without(keyword) for part in view.parts)
    return replace(view, parts=tuple(part for part in base if part.raw)).and_also(option)


def unions(view: View) -> list[tuple[str, list[At]]]:
    """Return every ``anyOf`` and ``oneOf`` of a view with its branches."""
    return [
        (keyword, [(schema, f"{pointer}/{index}") for index, schema in enumerate(value)])
        for keyword in ("anyOf", "oneOf")
        for value, pointer in view.said(keyword)
        if is_array(value)
    ]


def _group(view: View) -> tuple[str, list[View]] | None:
    """Return the one union of a view, if each of its branches says of which kinds it is."""
    found = unions(view)
    if len(found) != 1 or len(view.parts) > MAX_BRANCHES:
        return None
    keyword, ats = found[0]
    options = [view.joined([at]) for at in ats]
    around = frozenset(view.places)
    if len(options) > MAX_BRANCHES or any(option.lost for option in options):
        return None
    return (keyword, options) if all(_is_typed(option, around) for option in options) else None


def _is_typed(option: View, around: frozenset[str]) -> bool:
    """Say whether a branch says of which kinds it is, and does not lead back to the union."""
    if not around.isdisjoint(option.places):
        return False
    if option.impossible or any(key in part.raw for part in option.parts for key in _TYPING):
        return True
    inner = unions(option)
    around |= frozenset(option.places)
    return len(inner) == 1 and all(_is_typed(option.joined([at]), around) for at in inner[0][1])


_TYPING = ("type", "enum", "const")


def _allows(view: View, kind: str) -> bool:
    for value, _ in view.said("type"):
        named = value if is_array(value) else [value]
        if kind not in named and not (kind == "number" and "integer" in named):
            return False
    listed = choices(view)
    return listed is None or any(kind_of(value) == kind for value in listed.values())


def is_whole(view: View) -> bool:
    """Say whether the numbers of a view are whole."""
    for value, _ in view.said("type"):
        named = value if is_array(value) else [value]
        if "integer" in named and "number" not in named:
            return True
    listed = choices(view)
    numbers = [v for v in (listed or {}).values() if kind_of(v) == "number"]
    return bool(numbers) and all(value == value // 1 for value in numbers)


def choices(view: View) -> Choices | None:
    """Return the values that ``enum`` and ``const`` leave, ``None`` where neither is said."""
    found: Choices | None = None
    lists = [value for value, _ in view.said("enum") if is_array(value)]
    lists += [[value] for value, _ in view.said("const")]
    for values in lists:
        named = {key_of(value): value for value in values}
        found = named if found is None else {k: v for k, v in found.items() if k in named}
    return found


def key_of(value: Json) -> str:
    """Return a text that two JSON values have in common when JSON Schema calls them equal."""
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: Json) -> Json:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if is_array(value):
        return [_plain(item) for item in value]
    return {k: _plain(v) for k, v in value.items()} if is_object(value) else value


def kind_of(value: Json) -> str:
    """Return the kind of a JSON value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    names = {str: "string", int: "number", float: "number", list: "array", dict: "object"}
    return names[type(value)]


def _are_apart(found: Sequence[Sequence[Branch]]) -> bool:
    """Say whether no value is valid by two options of a union, each of them some branches."""
    if sum(map(len, found)) > 60:
        return False
    pairs = [
        (one, other)
        for n, option in enumerate(found)
        for one in option
        for before in found[:n]
        for other in before
    ]
    return all(a.kind != b.kind or are_disjoint(a.view, b.view) for a, b in pairs)


def are_disjoint(one: View, other: View) -> bool:
    """Say whether no value can be valid by both, as far as listed values can tell."""
    mine, yours = choices(one), choices(other)
    if mine is not None and yours is not None and mine.keys().isdisjoint(yours):
        return True
    ours, theirs = Members(one), Members(other)
    for name in sorted(ours.required | theirs.required):
        left, right = ours.of(name), theirs.of(name)
        if left.impossible or right.impossible:
            return True
        mine, yours = choices(left), choices(right)
        if mine is not None and yours is not None and mine.keys().isdisjoint(yours):
            return True
    return False


def tags(view: View) -> set[tuple[str, str]]:
    """Return the members that can only have one value, as (name, value): what tells branches."""
    members = Members(view)
    found: set[tuple[str, str]] = set()
    for name in members.names:
        listed = choices(members.of(name))
        if listed is not None and len(listed) == 1:
            found.add((name, next(iter(listed))))
    return found


def label(view: View, kind: str) -> str:
    """Return what a person would call a branch: the value of its tag, its title, its kind."""
    texts = [value.strip('"') for _, value in sorted(tags(view))]
    titles = [v for part in view.own for v in _texts(part.raw.get("title"))]
    return next(iter([*texts, *titles]), kind)


def _texts(value: Json) -> Iterable[str]:
    return [value] if isinstance(value, str) else []
