"""Conditions: ``not``, ``if``, dependencies, names, and unions that could not be opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mcpgen.compare.change import ABSENT, Value
from mcpgen.compare.schemas.branches import unions
from mcpgen.compare.schemas.difference import Relation
from mcpgen.compare.schemas.view import ASSERTIONS, Members, View
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.types.resolution import At

if TYPE_CHECKING:
    from mcpgen.compare.schemas.walk import Walk


def compare(walk: Walk, old: View, new: View, path: str) -> None:
    """Compare the conditions that two views of one kind of values set."""
    _negations(walk, old, new, path)
    _names(walk, old, new, path)
    _choices(walk, old, new, path)
    _dependent_names(walk, old, new, path)
    _dependent_schemas(walk, old, new, path)
    _unions(walk, old, new, path)


def _emit(walk: Walk, relation: Relation, views: tuple[View, View], path: str, word: str) -> None:
    if relation:
        walk.emit("condition", relation, path, views, keyword=word, values=_said(views, word))


def _unproved(walk: Walk, views: tuple[View, View], path: str, word: str) -> None:
    walk.emit("unproved", Relation.OTHER, path, views, keyword=word, values=_said(views, word))


_TOGETHER = {
    "if": ("if", "then", "else"),
    "dependentRequired": ("dependentRequired", "dependencies"),
    "dependentSchemas": ("dependentSchemas", "dependencies"),
}


def _said(views: tuple[View, View], word: str) -> tuple[Value, Value]:
    """Return what both say with a keyword, and with those that mean nothing without it."""
    words = _TOGETHER.get(word, (word,))
    old, new = (view.keyword(*words) if any_said(view, words) else ABSENT for view in views)
    return old, new


def any_said(view: View, words: Sequence[str]) -> bool:
    """Say whether some part of a view has one of some keywords."""
    return any(word in part.raw for part in view.parts for word in words)


def _presence(had: bool, has: bool) -> Relation:
    if had == has:
        return Relation.SAME
    return Relation.TIGHTER if has else Relation.LOOSER


def _views(view: View, keyword: str) -> list[View]:
    return [view.joined([at]) for at in view.said(keyword)]


def _negations(walk: Walk, old: View, new: View, path: str) -> None:
    before, after = _views(old, "not"), _views(new, "not")
    if len(before) == 1 and len(after) == 1:
        relation = walk.relation(before[0], after[0], strict=True)
        flipped = (Relation.LOOSER if relation & Relation.TIGHTER else Relation.SAME) | (
            Relation.TIGHTER if relation & Relation.LOOSER else Relation.SAME
        )
        _emit(walk, flipped, (old, new), path, "not")
    else:
        _emit(walk, _listed(walk, before, after), (old, new), path, "not")


def _listed(walk: Walk, before: Sequence[View], after: Sequence[View]) -> Relation:
    """Compare conditions that all must hold, by which of them are the same."""
    gone = [v for v in before if not any(_same(walk, v, other) for other in after)]
    come = [v for v in after if not any(_same(walk, other, v) for other in before)]
    return (Relation.TIGHTER if come else Relation.SAME) | (
        Relation.LOOSER if gone else Relation.SAME
    )


def _same(walk: Walk, old: View, new: View) -> bool:
    return _relation(walk, old, new) is Relation.SAME


def _names(walk: Walk, old: View, new: View, path: str) -> None:
    before, after = list(old.said("propertyNames")), list(new.said("propertyNames"))
    if before or after:
        text: At = ({"type": "string"}, "")
        inner = walk.relation(old.joined([text, *before]), new.joined([text, *after]), strict=True)
        _emit(walk, inner, (old, new), path, "propertyNames")


def _choices(walk: Walk, old: View, new: View, path: str) -> None:
    before, after = (list(filter(_is_choice, view.parts)) for view in (old, new))
    if len(before) != 1 or len(after) != 1:
        if before or after:
            relation = _presence(bool(before), bool(after))
            if relation:
                _emit(walk, relation, (old, new), path, "if")
            elif [part.raw for part in before] != [part.raw for part in after]:
                _unproved(walk, (old, new), path, "if")
        return

    def views(word: str) -> tuple[View, View]:
        parts = ((old, before[0]), (new, after[0]))
        one, other = (
            view.joined([(part.raw.get(word, True), f"{part.pointer}/{word}")])
            for view, part in parts
        )
        return one, other

    if walk.relation(*views("if"), strict=True):
        _unproved(walk, (old, new), path, "if")
        return
    for word in ("then", "else"):
        inner = _relation(walk, *views(word))
        _emit(walk, inner, (old, new), path, word)


def _is_choice(part: Json) -> bool:
    return "if" in part.raw and ("then" in part.raw or "else" in part.raw)


def _dependencies(view: View, keyword: str) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for word in (keyword, "dependencies"):
        for value, pointer in view.said(word):
            for name, needed in value.items() if is_object(value) else ():
                if is_array(needed) == (keyword == "dependentRequired"):
                    found.setdefault(name, []).append((needed, f"{pointer}/{escape(name)}"))
    return found


def _dependent_names(walk: Walk, old: View, new: View, path: str) -> None:
    word = "dependentRequired"
    before, after = (_needs(view, word) for view in (old, new))
    tighter = any(not _is_needed(old, before, *pair) for pair in after)
    looser = any(not _is_needed(new, after, *pair) for pair in before)
    relation = (Relation.TIGHTER if tighter else Relation.SAME) | (
        Relation.LOOSER if looser else Relation.SAME
    )
    _emit(walk, relation, (old, new), path, word)


def _needs(view: View, word: str) -> set[tuple[str, str]]:
    """Return which members need which others."""
    listed = _dependencies(view, word).items()
    return {(name, other) for name, ats in listed for others, _ in ats for other in others}


def _is_needed(view: View, needs: set[tuple[str, str]], name: str, other: str) -> bool:
    """Say whether a member is there wherever another is: it is required, or needed in turn."""
    members = Members(view)
    if other in members.required or members.of(name).impossible:
        return True
    found, waiting = {name}, [name]
    while waiting:
        step = waiting.pop()
        come = {needed for one, needed in needs if one == step} - found
        found |= come
        waiting += come
    return other in found


def _dependent_schemas(walk: Walk, old: View, new: View, path: str) -> None:
    word = "dependentSchemas"
    before, after = _dependencies(old, word), _dependencies(new, word)
    for name in sorted(before.keys() | after.keys()):
        relation = _presence(name in before, name in after)
        if name in before and name in after:
            relation = _relation(walk, old.joined(before[name]), new.joined(after[name]))
        _emit(walk, relation, (old, new), path, word)


def _unions(walk: Walk, old: View, new: View, path: str) -> None:
    """Compare unions that say nothing of kinds, such as a choice of required members."""
    before, after = _demanding(old), _demanding(new)
    if len(before) != 1 or len(after) != 1:
        for word in ("anyOf", "oneOf"):
            mine, yours = ([ats for w, ats in found if w == word] for found in (before, after))
            if bool(mine) != bool(yours):
                _emit(walk, _presence(bool(mine), bool(yours)), (old, new), path, word)
            elif [[a[0] for a in ats] for ats in mine] != [[a[0] for a in ats] for ats in yours]:
                _unproved(walk, (old, new), path, word)
        return
    ours = [old.joined([at]) for at in before[0][1]]
    theirs = [new.joined([at]) for at in after[0][1]]
    if before[0][0] == after[0][0] == "anyOf":
        _any_of(walk, ours, theirs, (old, new), path)
    elif before[0][0] != after[0][0]:
        _unproved(walk, (old, new), path, after[0][0])
    elif not _are_same_set(walk, ours, theirs):
        _unproved(walk, (old, new), path, "oneOf")


def _demanding(view: View) -> list[tuple[str, list[At]]]:
    """Return the unions of a view, but for those of which a branch holds of every value."""
    required = Members(view).required
    return [
        (word, ats)
        for word, ats in unions(view)
        if word != "anyOf" or not any(_holds(view.joined([at]), required) for at in ats)
    ]


def _holds(option: View, required: frozenset[str]) -> bool:
    """Say whether a branch asks for nothing but members that are required anyway."""
    if option.impossible or option.lost:
        return False
    said = [part.raw for part in option.parts if not ASSERTIONS.isdisjoint(part.raw)]
    return all(
        {*raw} & ASSERTIONS == {"required"} and required.issuperset(raw["required"]) for raw in said
    )


def _any_of(
    walk: Walk, ours: list[View], theirs: list[View], views: tuple[View, View], path: str
) -> None:
    tighter, looser = Relation.TIGHTER, Relation.LOOSER
    gone = [v for v in ours if all(_relation(walk, v, o) & tighter for o in theirs)]
    come = [v for v in theirs if all(_relation(walk, o, v) & looser for o in ours)]
    for relation, left in ((Relation.TIGHTER, gone), (Relation.LOOSER, come)):
        if left:
            said = [view.spelled() for view in left]
            values = (said, ABSENT) if relation is Relation.TIGHTER else (ABSENT, said)
            walk.emit("alternative", relation, path, views, keyword="anyOf", values=values)


def _relation(walk: Walk, old: View, new: View) -> Relation:
    return walk.relation(old, new, strict=True)


def _are_same_set(walk: Walk, ours: list[View], theirs: list[View]) -> bool:
    left = list(theirs)
    for view in ours:
        other = next((v for v in left if _same(walk, view, v)), None)
        if other is None:
            return False
        left.remove(other)
    return not left
