"""Finds names of generated Python that would disappear, and types that would no longer fit."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from mcpgen.codegen import naming
from mcpgen.codegen.plan.client import is_free
from mcpgen.codegen.plan.sharing import Groups, Types
from mcpgen.codegen.plan.tool_types import SchemaLocation, Sides, ToolType, arguments, result
from mcpgen.compare.generated import type_checks
from mcpgen.contract import definitions
from mcpgen.contract.definitions import Schema, Tool
from mcpgen.contract.document import Contract
from mcpgen.findings.change import Change, is_same
from mcpgen.findings.rules.diff.catalogue import RULES
from mcpgen.findings.severity import Audience, Severity
from mcpgen.jsonpointer import escape


@dataclass(frozen=True)
class Package:
    """The tools of a contract as they appear in a package, computed on demand.

    Tools that are equal in the package ``before`` are taken from there.
    """

    contract: Contract
    before: Package | None = None
    same: Collection[str] = ()

    @cached_property
    def methods(self) -> dict[str, str]:
        """The methods by the names of their tools."""
        own, before = self.contract, self.before
        if before is not None and _has_names_of(own, before.contract):
            return before.methods
        return naming.methods(own.tools, own.names)

    @cached_property
    def tools(self) -> dict[str, Tool]:
        """The parsed tools."""
        if self.before is None:
            return definitions.tools(self.contract)
        unchanged_tools = {name: self.before.tools[name] for name in self.same}
        return unchanged_tools | definitions.tools(
            self.contract, self.contract.tools.keys() - unchanged_tools.keys()
        )

    @cached_property
    def sides(self) -> Sides:
        """The types of their schemas."""
        return {name: self._sides(tool) for name, tool in self.tools.items()}

    def _sides(self, tool: Tool) -> tuple[ToolType | None, ToolType | None]:
        method = self.methods[tool.name]
        was = self.before.tools.get(tool.name) if self.before else None
        if self.before is None or was is None or self.before.methods[tool.name] != method:
            return arguments(tool, method), result(tool, method)
        old_arguments, old_result = self.before.sides[tool.name]
        return (
            old_arguments if _is_same_schema(was.input, tool.input) else arguments(tool, method),
            old_result if _is_same_schema(was.output, tool.output) else result(tool, method),
        )

    def sides_as(self, name: str, method: str) -> tuple[ToolType | None, ToolType | None]:
        """Return the types of a tool's schemas as if its method had another name."""
        if self.methods[name] == method:
            return self.sides[name]
        tool = self.tools[name]
        return arguments(tool, method), result(tool, method)

    def types(self) -> Types:
        """Return the classes of the package."""
        return Groups.from_sides(self.sides).with_names(self.contract.classes)


def _has_names_of(contract: Contract, other: Contract) -> bool:
    return contract.tools.keys() == other.tools.keys() and contract.names == other.names


def methods(old: Package, new: Package) -> Iterator[Change]:
    """Compare the names of the methods of tools that are in both contracts."""
    if _has_names_of(old.contract, new.contract):
        return
    before, after = old.methods, new.methods
    for wire in sorted(before.keys() & after.keys()):
        if before[wire] != after[wire]:
            at = _tool(wire)
            yield Change("T04", f"tool {wire}", "", at, at, before[wire], after[wire])


def classes(old: Package, new: Package) -> Iterator[Change]:
    """Compare the shared classes: their names, and the classes that can be passed instead."""
    was, now_is = old.contract, new.contract
    if (was.tools, was.names, was.classes) == (now_is.tools, now_is.names, now_is.classes):
        return
    before, after = old.types(), new.types()
    for item in before.types:
        for location in {
            location.tool: location for location in item.locations if location in after.numbers
        }.values():
            now = after.type_at(location)
            for name in item.names if item.is_named else ():
                if name not in now.names:
                    yield _at_place(_RULES[location.key].renamed, location, name, now.name)
            if lost_partners := _lost_partners(before, after, location):
                names = " | ".join([*lost_partners, item.name])
                yield _at_place(_RULES[location.key].typed, location, names, now.name)


def _lost_partners(before: Types, after: Types, location: SchemaLocation) -> list[str]:
    """Return result classes that can no longer be passed at a position."""
    allowed = {location for partner in after.partners(location) for location in partner.locations}
    lost_partners: list[str] = []
    for partner in before.partners(location):
        still = [item for item in partner.locations if item in after.numbers]
        if still and allowed.isdisjoint(still):
            lost_partners.append(partner.name)
    return lost_partners


def _at_place(rule: str, location: SchemaLocation, old: str, new: str) -> Change:
    at = f"{_tool(location.tool)}/{location.key}"
    return Change(rule, f"tool {location.tool}", _RULES[location.key].direction, at, at, old, new)


def renamed_methods(
    rule: str, before: Mapping[str, str], after: Mapping[str, str], kind: str, at: str
) -> Iterator[Change]:
    """Compare the method names of prompts or resources that are in both contracts."""
    for wire in sorted(before.keys() & after.keys()):
        if before[wire] != after[wire]:
            where = f"{at}/{escape(wire)}"
            yield Change(rule, f"{kind} {wire}", "", where, where, before[wire], after[wire])


def _tool(wire: str) -> str:
    return f"/tools/{escape(wire)}"


def tool(
    packages: tuple[Package, Package], names: tuple[str, str], changes: Iterable[Change]
) -> Iterator[Change]:
    """Compare the classes of a tool, their fields and types.

    ``changes`` are the known changes of the tool's schemas. Changes of types that follow from them
    are not repeated.
    """
    method = packages[1].methods[names[1]]
    old, new = (package.tools[name] for package, name in zip(packages, names, strict=True))
    before, after = (
        package.sides_as(name, method) for package, name in zip(packages, names, strict=True)
    )
    (old_arguments, old_result), (now_taken, now_given) = before, after
    if old_arguments and now_taken and not _is_same_schema(old.input, new.input):
        if is_free(old, old_arguments) or is_free(new, now_taken):
            yield from _call_style((old, new), old_arguments, now_taken, changes)
        else:
            yield from _side(_INPUT, (old, new), (old_arguments, now_taken), changes)
    is_changed = old.wrapped == new.wrapped and not _is_same_schema(old.output, new.output)
    if old_result and now_given and is_changed:
        yield from _side(_OUTPUT, (old, new), (old_result, now_given), changes)


def _is_same_schema(old: Schema | None, new: Schema | None) -> bool:
    """Return True if two schemas are equal, and so produce the same classes."""
    return old is not None and new is not None and is_same(old.raw, new.raw)


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules for a schema of a tool: for its classes, their fields' names and their types."""

    direction: str
    renamed: str
    member: str
    typed: str


_INPUT = _Rules("input", "I25", "I28", "I30")
_OUTPUT = _Rules("output", "O25", "O28", "O30")
_RULES = {"inputSchema": _INPUT, "outputSchema": _OUTPUT}


def _call_style(
    tools: tuple[Tool, Tool], old: ToolType, new: ToolType, changes: Iterable[Change]
) -> Iterator[Change]:
    """Compare how a method is called. Without named arguments it takes a mapping."""
    was, now = (
        "arguments: Mapping[str, Any]" if is_free(item, tool_type) else "arguments by keyword"
        for item, tool_type in zip(tools, (old, new), strict=True)
    )
    is_known = any(_is_breaking(change, "input") and change.path == "input" for change in changes)
    if was != now and not is_known:
        at = f"{_tool(tools[1].name)}/inputSchema"
        rule = "I31" if _differ_by_empty_properties(*tools) else "I30"
        yield Change(rule, f"tool {tools[1].name}", "input", at, at, was, now)


def _differ_by_empty_properties(old: Tool, new: Tool) -> bool:
    """Return True if the input schemas differ only by ``"properties": {}``."""
    if old.input is None or new.input is None:
        return False
    was, now = (
        {key: value for key, value in item.input.raw.items() if (key, value) != ("properties", {})}
        for item in (old, new)
        if item.input is not None
    )
    return was == now


def _side(
    rules: _Rules,
    tools: tuple[Tool, Tool],
    versions: tuple[ToolType, ToolType],
    changes: Iterable[Change],
) -> Iterator[Change]:
    subject, at = f"tool {tools[1].name}", f"{_tool(tools[1].name)}/{rules.direction}Schema"
    breaking = [change for change in changes if _is_breaking(change, rules.direction)]
    old, new = _records(versions[0]), _records(versions[1])
    renamed = dict(_renamed_classes(old, new))
    for was, now in renamed.items():
        yield Change(rules.renamed, subject, rules.direction, at, at, was, now)
    paths = {title: path for title, _, path in type_checks.classes(versions[1])}
    for title, wire in _members_of_both(old, new):
        was, now = old[title][wire], new[title][wire]
        if was != now:
            path = f"{rules.direction}{paths[title]}.{wire}"
            breaking.append(Change(rules.member, subject, path, at, at, was, now))
            yield breaking[-1]
    check = type_checks.arguments if rules is _INPUT else type_checks.result
    names = {pointer: renamed.get(name, name) for pointer, name in versions[0].names.items()}
    for misfit in check(replace(versions[0], names=names), versions[1]):
        path = f"{rules.direction}{misfit.path}"
        if not any(_covers(change, path, is_gone=misfit.is_gone) for change in breaking):
            values = misfit.old, misfit.new
            yield Change(rules.typed, subject, path, at, at, *values, misfit.detail)


def _members_of_both(
    old: Mapping[str, Mapping[str, str]], new: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[str, str]]:
    """Yield the fields of classes that both packages have, as pairs of class and JSON name."""
    for title in sorted(old.keys() & new.keys()):
        for wire in sorted(old[title].keys() & new[title].keys()):
            yield title, wire


def _is_breaking(change: Change, direction: str) -> bool:
    level = RULES[change.rule].levels.get(Audience.SOURCE, Severity.COSMETIC)
    return level is Severity.BREAKING and re.match(rf"{direction}(?!\w)", change.path) is not None


def _covers(change: Change, path: str, *, is_gone: bool) -> bool:
    """Return True if a change already implies another type at a path or below.

    A change above it implies that a class ``is_gone``, with everything that contained it.
    """
    changed_path = re.sub(r"<[^>]*>", "", change.path)
    inner, outer = (
        (changed_path, path)[::-1] if is_gone and "." in changed_path else (path, changed_path)
    )
    return changed_path == path or outer.startswith((f"{inner}.", f"{inner}[", f"{inner}{{"))


def _records(tool_type: ToolType) -> dict[str, Mapping[str, str]]:
    """Map the name of each class of a schema to its fields (JSON name to Python name)."""
    return {
        title: naming.members(member.wire for member in record.members)
        for title, record, _ in type_checks.classes(tool_type)
    }


def _renamed_classes(
    old: Mapping[str, Mapping[str, str]], new: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[str, str]]:
    """Pair removed classes with new ones that have the same fields."""
    added = sorted(new.keys() - old.keys())
    for was in sorted(old.keys() - new.keys()):
        alike = [name for name in added if new[name].keys() == old[was].keys()]
        if alike and old[was]:
            added.remove(alike[0])
            yield was, alike[0]
