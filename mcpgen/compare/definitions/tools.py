"""Tools: which are gone, new or renamed, and what changed in those that stayed."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from mcpgen.codegen import naming
from mcpgen.compare.change import ABSENT, Change, is_same
from mcpgen.compare.definitions import changed_tool, descriptions, unread
from mcpgen.compare.definitions.versions import Raw, Versions
from mcpgen.compare.generated import names
from mcpgen.compare.texts.invisible import invisible
from mcpgen.compare.texts.lookalikes import is_mixed, skeleton
from mcpgen.contract import definitions
from mcpgen.contract.definitions import Tool
from mcpgen.contract.document import Contract
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import is_object

Neighbours = Collection[tuple[str, str]]
"""The tools of other servers, each with the server's name before its own."""


def compare(
    old: Contract, new: Contract, *, channels: bool = False, neighbours: Neighbours = ()
) -> Iterator[Change]:
    """Compare the tools of two contracts; ``neighbours`` are the other servers' tools."""
    moved = _moved(old, new)
    for name in sorted(old.tools.keys() - new.tools.keys() - moved.keys()):
        yield _removed(name, old.tools[name])
    for name in sorted(new.tools.keys() - old.tools.keys()):
        misleading = [*_misleading(name, new.tools[name], old, new, neighbours)]
        is_moved = name in moved.values()
        yield from misleading if is_moved else _added(name, new.tools[name], misleading)
    for was, now in sorted(moved.items()):
        yield Change("T03", f"tool {now}", "", _pointer(was), _pointer(now), was, now)
    yield from names.methods(old, new)
    yield from names.classes(old, new)
    kept = [(name, name) for name in old.tools if name in new.tools]
    yield from _pairs(old, new, sorted([*kept, *moved.items()]), channels=channels)


def _pointer(name: str) -> str:
    return f"/tools/{escape(name)}"


def _moved(old: Contract, new: Contract) -> dict[str, str]:
    """Pair tools that are gone with new ones of the same schemas, where there is one choice."""
    removed = {name: _identity(old.tools[name]) for name in old.tools if name not in new.tools}
    added = {name: _identity(new.tools[name]) for name in new.tools if name not in old.tools}
    pairs: dict[str, str] = {}
    for name, identity in removed.items():
        alike = [other for other, its in added.items() if its == identity]
        rivals = [other for other, its in removed.items() if its == identity]
        if identity and len(alike) == 1 and len(rivals) == 1:
            pairs[name] = alike[0]
    return pairs


def _identity(raw: Raw) -> str:
    """Return what two tools have in common if one is the other renamed; empty if too little."""
    schema = raw.get("inputSchema")
    properties = schema.get("properties") if is_object(schema) else None
    has_properties = is_object(properties) and bool(properties)
    description = raw.get("description")
    if not has_properties and not description:
        return ""
    return repr((schema, raw.get("outputSchema"), "" if has_properties else description))


def _removed(name: str, raw: Raw) -> Change:
    description = raw.get("description")
    brief = description if isinstance(description, str) else None
    return Change("T01", f"tool {name}", "", _pointer(name), "", brief)


def _added(name: str, raw: Raw, misleading: list[Change]) -> Iterator[Change]:
    subject = f"tool {name}"
    added = Change("T02", subject, "", "", _pointer(name), ABSENT, dict(raw))
    return unread.marked([added, *misleading], subject, (None, raw), ("", ""))


def _misleading(
    name: str, raw: Raw, old: Contract, new: Contract, neighbours: Neighbours
) -> Iterator[Change]:
    """Yield in what a new tool may be taken for another, or misleads a reader."""
    letters = skeleton(name)
    known = [other for other in new.tools if other in old.tools and other != name]
    for other in known:
        if skeleton(other) == letters:
            yield _new(name, "T02b", f"it looks like {other}")
    for server, other in neighbours:
        if skeleton(other) == letters:
            verb = "is called like" if other == name else "looks like"
            change = _new(name, "T02b", f"it {verb} {other} of {server}")
            yield replace(change, keyword=server)
    if is_mixed(name) and not invisible(name):
        yield _new(name, "D03", "its letters are of more than one script")
    yield from descriptions.misleading_strings(f"tool {name}", None, raw, _pointer(name))


def _new(name: str, rule: str, detail: str) -> Change:
    return Change(rule, f"tool {name}", "", "", _pointer(name), ABSENT, name, detail)


def _pairs(
    old: Contract, new: Contract, pairs: list[tuple[str, str]], *, channels: bool
) -> Iterator[Change]:
    changed = [(a, b) for a, b in pairs if not is_same(old.tools[a], new.tools[b])]
    before = _read(old, [was for was, _ in changed])
    after = _read(new, [now for _, now in changed])
    methods = naming.methods(new.tools, new.names)
    for was, now in changed:
        pointers = _pointer(was), _pointer(now)
        tool = Versions(f"tool {now}", pointers, old.tools[was], new.tools[now])
        changes = [*changed_tool.compare(tool)]
        if now not in new.untyped:
            both = before[was], after[now]
            changes += changed_tool.compare_schemas(tool, *both, channels=channels)
        changes += names.tool(before[was], after[now], methods[now], changes)
        yield from unread.marked_in(tool, changes)


def _read(contract: Contract, wanted: list[str]) -> dict[str, Tool]:
    tools = {name: contract.tools[name] for name in wanted}
    return {tool.name: tool for tool in definitions.read(replace(contract, tools=tools)).tools}
