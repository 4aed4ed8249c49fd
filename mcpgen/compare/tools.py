"""Tools: which are gone, new or renamed, and what changed in those that stayed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from mcpgen import api, naming
from mcpgen.api import Schema, Tool
from mcpgen.compare import hints, legacy, metadata, reading, schemas, source, texts
from mcpgen.compare.change import ABSENT, Change, is_same
from mcpgen.compare.hidden import hidden
from mcpgen.compare.lookalikes import is_mixed, skeleton
from mcpgen.compare.schemas import Side
from mcpgen.contract import Contract
from mcpgen.jsontext import Json, is_object
from mcpgen.places import escape

_KNOWN = frozenset(
    "name title description inputSchema outputSchema annotations execution icons _meta".split()
)
Raw = Mapping[str, Json]
Neighbours = Collection[tuple[str, str]]
"""The tools of other servers, each with the server's name before its own."""


@dataclass(frozen=True, slots=True)
class Both:
    """One tool in both contracts; after a renaming the names differ."""

    subject: str
    pointers: tuple[str, str]
    old: Raw
    new: Raw


def compare(
    old: Contract, new: Contract, *, channels: bool = False, neighbours: Neighbours = ()
) -> Iterator[Change]:
    """Compare the tools of two contracts; ``neighbours`` are the other servers' tools."""
    moved = _moved(old, new)
    for name in sorted(old.tools.keys() - new.tools.keys() - moved.keys()):
        yield Change("T01", f"tool {name}", "", _at(name), "", _brief(old.tools[name]))
    known = [name for name in new.tools if name in old.tools]
    for name in sorted(new.tools.keys() - old.tools.keys()):
        raw = new.tools[name]
        found = list(_suspicious(name, raw, known, neighbours))
        if name not in moved.values():
            change = Change("T02", f"tool {name}", "", "", _at(name), ABSENT, dict(raw))
            found = list(reading.marked([change, *found], f"tool {name}", (None, raw), ("", "")))
        yield from found
    for gone, come in sorted(moved.items()):
        yield Change("T03", f"tool {come}", "", _at(gone), _at(come), gone, come)
    yield from source.methods(old, new)
    yield from source.classes(old, new)
    pairs = [*((name, name) for name in old.tools if name in new.tools), *moved.items()]
    yield from _pairs(old, new, sorted(pairs), channels=channels)


def _at(name: str) -> str:
    return f"/tools/{escape(name)}"


def _brief(raw: Raw) -> Json:
    description = raw.get("description")
    return description if isinstance(description, str) else None


def _pairs(
    old: Contract, new: Contract, pairs: list[tuple[str, str]], *, channels: bool
) -> Iterator[Change]:
    changed = [(a, b) for a, b in pairs if not is_same(old.tools[a], new.tools[b])]
    before = _read(old, [name for name, _ in changed])
    after = _read(new, [name for _, name in changed])
    methods = naming.methods(new.tools, new.names)
    for gone, come in changed:
        pointers = _at(gone), _at(come)
        both = Both(f"tool {come}", pointers, old.tools[gone], new.tools[come])
        found = [
            *_texts(both),
            *_hints(both),
            *_execution(both),
            *metadata.compare(both.subject, pointers, both.old, both.new, _KNOWN),
            *texts.unseen(both.subject, both.old, both.new, pointers[1]),
        ]
        if come not in new.plain:
            found += _schemas(both, before[gone], after[come], channels=channels)
        found += source.tool(before[gone], after[come], methods[come], found)
        yield from reading.marked(found, both.subject, (both.old, both.new), pointers)


def _read(contract: Contract, names: list[str]) -> dict[str, Tool]:
    wanted = {name: contract.tools[name] for name in names}
    return {tool.name: tool for tool in api.read(replace(contract, tools=wanted)).tools}


def _suspicious(
    name: str, raw: Raw, known: Collection[str], neighbours: Neighbours
) -> Iterator[Change]:
    subject, at = f"tool {name}", _at(name)
    for like in (k for k in known if k != name and skeleton(k) == skeleton(name)):
        yield Change("T02b", subject, "", "", at, ABSENT, name, f"it looks like {like}")
    for server, like in neighbours:
        if skeleton(like) == skeleton(name):
            said = "is called like" if like == name else "looks like"
            detail = f"it {said} {like} of {server}"
            yield Change("T02b", subject, "", "", at, ABSENT, name, detail, server)
    if is_mixed(name) and not hidden(name):
        detail = "its letters are of more than one script"
        yield Change("D03", subject, "", "", at, ABSENT, name, detail)
    yield from texts.unseen(subject, None, raw, at)


def _texts(both: Both) -> Iterator[Change]:
    names = [name for raw in (both.old, both.new) if isinstance(name := raw.get("name"), str)]
    values = both.old.get("description", ABSENT), both.new.get("description", ABSENT)
    at = both.pointers[1]
    yield from texts.text("D01", both.subject, "description", values, f"{at}/description")
    titles = both.old.get("title", ABSENT), both.new.get("title", ABSENT)
    yield from texts.title(both.subject, "title", titles, f"{at}/title", names)
    hinted = [_object(raw, "annotations").get("title", ABSENT) for raw in (both.old, both.new)]
    place = f"{at}/annotations/title"
    titles = hinted[0], hinted[1]
    yield from texts.title(both.subject, "annotations.title", titles, place, names)


def _object(raw: Raw, key: str) -> dict[str, Json]:
    value = raw.get(key)
    return value if is_object(value) else {}


def _hints(both: Both) -> Iterator[Change]:
    before, after = (_object(raw, "annotations") for raw in (both.old, both.new))
    return hints.compare(both.subject, both.pointers[1], before, after)


def _execution(both: Both) -> Iterator[Change]:
    before, after = (_object(raw, "execution") for raw in (both.old, both.new))
    for key in sorted(before.keys() | after.keys()):
        was, now = before.get(key, ABSENT), after.get(key, ABSENT)
        if is_same(was, now):
            continue
        rule = _task_rule(was, now) if key == "taskSupport" else "D09"
        at = [f"{pointer}/execution/{escape(key)}" for pointer in both.pointers]
        yield Change(rule, both.subject, f"execution.{key}", at[0], at[1], was, now)


def _task_rule(old: Json, new: Json) -> str:
    if (old, new) in ((ABSENT, "forbidden"), ("forbidden", ABSENT)):
        return "T05d"
    if new is ABSENT:
        return "T05c"
    if new == "optional":
        return "T05b"
    return "T05"


def _schemas(both: Both, old: Tool, new: Tool, *, channels: bool) -> Iterator[Change]:
    for name in ("input", "output"):
        key = f"{name}Schema"
        side = Side(name, both.subject, both.pointers[0] + f"/{key}", both.pointers[1] + f"/{key}")
        before, after = (old.input, new.input) if name == "input" else (old.output, new.output)
        raws = both.old.get(key), both.new.get(key)
        if before is not None and after is not None:
            yield from schemas.compare(side, before, after, channels=channels)
        elif raws != (None, None) and not is_same(*raws):
            yield _unusable(side, (before, after), raws)
            yield from _reread(side, (before, after), raws)
    if old.wrapped != new.wrapped:
        at = [f"{pointer}/outputSchema" for pointer in both.pointers]
        if old.output is not None and new.output is not None:
            values = old.wrapped, new.wrapped
            yield Change("O15", both.subject, "output", at[0], at[1], *values)


def _unusable(
    side: Side, read: tuple[Schema | None, Schema | None], raws: tuple[Json, Json]
) -> Change:
    """Say what a schema means that is only there, or only usable, on one side."""
    at = side.old_pointer, side.new_pointer
    if side.name == "output" and None in raws:
        if raws[1] is None:
            return Change("O01", side.subject, side.name, at[0], "", raws[0])
        return Change("O02", side.subject, side.name, "", at[1], ABSENT, raws[1])
    if read == (None, None):
        detail = "neither schema can be used as it stands"
        return Change("U01", side.subject, side.name, *at, *raws, detail)
    rule = "T07" if read[1] is None else "T07b"
    return Change(rule, side.subject, side.name, *at, *raws)


def _reread(
    side: Side, read: tuple[Schema | None, Schema | None], raws: tuple[Json, Json]
) -> Iterator[Change]:
    """Compare what can be read only as an older dialect, which it does not name."""
    if None in raws:
        return
    old, new = (one or legacy.older(raw) for one, raw in zip(read, raws, strict=True))
    if old is None or new is None:
        return
    for change in schemas.compare(side, old, new):
        if change.rule not in _OF_READING:
            yield change


_OF_READING = frozenset({"I24", "O24", "U02"})
"""Rules on the dialect that was chosen here, and on the text, which is said by another rule."""


def _moved(old: Contract, new: Contract) -> dict[str, str]:
    """Pair tools that are gone with new ones of the same schemas, where there is one choice."""
    gone = {name: _shape(old.tools[name]) for name in old.tools if name not in new.tools}
    come = {name: _shape(new.tools[name]) for name in new.tools if name not in old.tools}
    pairs: dict[str, str] = {}
    for name, shape in gone.items():
        alike = [other for other, its in come.items() if its == shape]
        rivals = [other for other, its in gone.items() if its == shape]
        if shape and len(alike) == 1 and len(rivals) == 1:
            pairs[name] = alike[0]
    return pairs


def _shape(raw: Raw) -> str:
    """Return what two tools have in common if one is the other renamed; empty if too little."""
    given = _object(raw, "inputSchema")
    telling = is_object(given.get("properties")) and given["properties"]
    said = raw.get("description")
    if not telling and not said:
        return ""
    return repr((raw.get("inputSchema"), raw.get("outputSchema"), "" if telling else said))
