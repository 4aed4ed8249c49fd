"""Compares tools: removed, new, renamed and changed ones."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TypeAlias

from mcpgen.compare.definitions import changed_tool, descriptions, new_text
from mcpgen.compare.definitions.versions import Raw, Versions
from mcpgen.compare.generated import names
from mcpgen.compare.generated.names import Package
from mcpgen.contract.document import Contract
from mcpgen.findings.change import ABSENT, Change, is_same
from mcpgen.findings.texts.invisible import invisible
from mcpgen.findings.texts.lookalikes import is_mixed, skeleton
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import is_object

Neighbours = Collection[tuple[str, str]]
"""The tools of other servers, as pairs of server and tool."""


def compare(
    old: Contract, new: Contract, *, channels: bool = False, neighbours: Neighbours = ()
) -> Iterator[Change]:
    """Compare the tools of two contracts. ``neighbours`` are tools of other servers."""
    moved = _renames(old, new)
    same = frozenset(_unchanged(old, new))
    before = Package(old)
    packages = before, Package(new, before, same if old.untyped == new.untyped else ())
    looks, new_names = _looks(old, new, neighbours), frozenset(moved.values())
    for name in sorted(old.tools.keys() - new.tools.keys() - moved.keys()):
        yield _removal(name, old.tools[name])
    for name in sorted(new.tools.keys() - old.tools.keys()):
        misleading = [*_misleading(name, new.tools[name], looks)]
        yield from misleading if name in new_names else _addition(name, new.tools[name], misleading)
    for was, now in sorted(moved.items()):
        yield Change("T03", f"tool {now}", "", _pointer(was), _pointer(now), was, now)
    yield from names.methods(*packages)
    yield from names.classes(*packages)
    common = [(name, name) for name in old.tools if name in new.tools and name not in same]
    yield from _pairs(packages, sorted([*common, *moved.items()]), channels=channels)


def _unchanged(old: Contract, new: Contract) -> Iterator[str]:
    """Yield the names of tools that are equal in both contracts."""
    for name, raw in old.tools.items():
        if name in new.tools and is_same(raw, new.tools[name]):
            yield name


def _pointer(name: str) -> str:
    return f"/tools/{escape(name)}"


def _renames(old: Contract, new: Contract) -> dict[str, str]:
    """Pair removed tools with new ones of the same schemas, if the match is unambiguous."""
    removed = _by_identity(old, old.tools.keys() - new.tools.keys())
    added = _by_identity(new, new.tools.keys() - old.tools.keys())
    return {
        rivals[0]: added[identity][0]
        for identity, rivals in removed.items()
        if len(rivals) == 1 and len(added.get(identity, ())) == 1
    }


def _by_identity(contract: Contract, names: Collection[str]) -> dict[str, list[str]]:
    result: dict[str, list[str]] = {}
    for name in names:
        if identity := _identity(contract.tools[name]):
            result.setdefault(identity, []).append(name)
    return result


def _identity(raw: Raw) -> str:
    """Return a key that is equal for a renamed tool, or "" if there is too little to compare."""
    schema = raw.get("inputSchema")
    properties = schema.get("properties") if is_object(schema) else None
    has_properties = is_object(properties) and bool(properties)
    description = raw.get("description")
    if not has_properties and not description:
        return ""
    return repr((schema, raw.get("outputSchema"), "" if has_properties else description))


def _removal(name: str, raw: Raw) -> Change:
    description = raw.get("description")
    brief = description if isinstance(description, str) else None
    return Change("T01", f"tool {name}", "", _pointer(name), "", brief)


def _addition(name: str, raw: Raw, misleading: list[Change]) -> Iterator[Change]:
    subject = f"tool {name}"
    added = Change("T02", subject, "", "", _pointer(name), ABSENT, dict(raw))
    return new_text.mark_unread([added, *misleading], subject, (None, raw), ("", ""))


_Looks: TypeAlias = "dict[str, list[tuple[str | None, str]]]"
"""The existing tools, as pairs of server (or None) and name, by the key of similar names."""


def _looks(old: Contract, new: Contract, neighbours: Neighbours) -> _Looks:
    looks: _Looks = {}
    if new.tools.keys() <= old.tools.keys():
        return looks
    added = [(None, name) for name in new.tools if name in old.tools]
    for server, name in [*added, *neighbours]:
        looks.setdefault(skeleton(name), []).append((server, name))
    return looks


def _misleading(name: str, raw: Raw, looks: _Looks) -> Iterator[Change]:
    """Yield imitations of other tools by a new tool, and misleading characters in it."""
    for server, other in looks.get(skeleton(name), ()):
        if server is None:
            yield _new(name, "T02b", f"it looks like {other}")
        else:
            verb = "has the same name as" if other == name else "looks like"
            change = _new(name, "T02b", f"it {verb} {other} of {server}")
            yield replace(change, keyword=server)
    if is_mixed(name) and not invisible(name):
        yield _new(name, "D03", "letters of several scripts")
    yield from descriptions.misleading_strings(f"tool {name}", None, raw, _pointer(name))


def _new(name: str, rule: str, detail: str) -> Change:
    return Change(rule, f"tool {name}", "", "", _pointer(name), ABSENT, name, detail)


def _pairs(
    packages: tuple[Package, Package], pairs: list[tuple[str, str]], *, channels: bool
) -> Iterator[Change]:
    before, after = packages
    old, new = before.contract, after.contract
    for was, now in pairs:
        pointers = _pointer(was), _pointer(now)
        tool = Versions(f"tool {now}", pointers, old.tools[was], new.tools[now])
        changes = [*changed_tool.compare(tool)]
        if now not in new.untyped:
            both = before.tools[was], after.tools[now]
            changes += changed_tool.compare_schemas(tool, *both, channels=channels)
        changes += names.tool(packages, (was, now), changes)
        yield from new_text.marked_in(tool, changes)
