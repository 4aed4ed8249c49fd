"""Assigns names to shared classes. A schema name that two classes claim goes to neither.

A class with a name in its schema has that name. For other classes each tool has its own alias, so
no tool's name depends on another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from mcpgen.codegen import naming
from mcpgen.codegen.plan.tool_types import (
    ARGUMENTS,
    RESULT,
    Group,
    SchemaLocation,
    Sides,
    ToolType,
    is_result,
    own_name,
    side_of,
)


def yielding(tool_types: Sides, pins: Mapping[str, str]) -> Sides:
    """Rename classes of a new tool that have the name of another tool's class."""
    if not pins:
        return tool_types
    return {
        tool: (_rename(arguments, tool, ARGUMENTS, pins), _rename(result, tool, RESULT, pins))
        for tool, (arguments, result) in tool_types.items()
    }


def _rename(
    tool_type: ToolType | None, tool: str, key: str, pins: Mapping[str, str]
) -> ToolType | None:
    if tool_type is None:
        return None
    clashing = {
        pointer: naming.distinguish(name, str(SchemaLocation(tool, key, pointer)))
        for pointer, name in tool_type.names.items()
        if name in pins and pins[name] != str(SchemaLocation(tool, key, pointer))
    }
    if not clashing:
        return tool_type
    return replace(
        tool_type, names={**tool_type.names, **clashing}, root=clashing.get("", tool_type.root)
    )


@dataclass(frozen=True, slots=True)
class ClassNames:
    """Assigns names to shared classes. A name that two classes claim goes to neither."""

    tool_types: Sides
    groups: tuple[Group, ...]
    pins: Mapping[str, str]

    def from_schemas(self, reserved: Collection[str]) -> dict[int, tuple[str, ...]]:
        """Return the types that schemas name, by number."""
        tool_names = {
            name
            for both in self.tool_types.values()
            for s in both
            if s
            for name in s.names.values()
        }
        owners: dict[str, set[int]] = {}
        for number, group in enumerate(self.groups):
            for name in self._claimed_names(group):
                owners.setdefault(name, set()).add(number)
        owners |= {name: {number} for name, number in self._pinned_names()}
        chosen: dict[int, list[str]] = {}
        for name in sorted(owners.keys() - tool_names - set(reserved)):
            if len(owners[name]) == 1:
                chosen.setdefault(min(owners[name]), []).append(name)
        for name, number in self._pinned_names():
            # Before a schema named the class, it had a tool's name.
            if name in tool_names and number in chosen:
                chosen[number].append(name)
        return {number: tuple(names) for number, names in chosen.items()}

    def _claimed_names(self, group: Group) -> set[str]:
        names: set[str] = set()
        results = [self._schema_name(item) for item in group if is_result(item)]
        for item in group:
            # The result of a single tool is named after the tool. A title may name a result of
            # several tools.
            is_agreed = len(results) > 1 and len(set(results)) == 1
            if is_agreed or not is_result(item):
                names.add(self._schema_name(item))
        return names - {""}

    def _schema_name(self, location: SchemaLocation) -> str:
        text = side_of(self.tool_types, location).schema_names.get(location.pointer, "")
        return naming.shared_class(text, arguments=location.key == ARGUMENTS) if text else ""

    def titles(self, used: Collection[str]) -> dict[SchemaLocation, str]:
        """Return titles of results that aren't class names. Each becomes an alias."""
        tool_names = {
            name
            for both in self.tool_types.values()
            for s in both
            if s
            for name in s.names.values()
        }
        owners: dict[str, list[SchemaLocation]] = {}
        for group in self.groups:
            for item in filter(is_result, group):
                owners.setdefault(self._schema_name(item), []).append(item)
        free = owners.keys() - tool_names - set(used) - {""}
        return {owners[name][0]: name for name in sorted(free) if len(owners[name]) == 1}

    def _pinned_names(self) -> Iterator[tuple[str, int]]:
        if not self.pins:
            return
        numbers = {str(item): n for n, group in enumerate(self.groups) for item in group}
        results = {str(item) for group in self.groups for item in group if is_result(item)}
        for name, pointer in self.pins.items():
            if pointer in numbers and naming.is_class(name):
                # An earlier version named the result of one tool by a title.
                if pointer in results and name not in self._claimed_names(
                    self.groups[numbers[pointer]]
                ):
                    continue
                yield name, numbers[pointer]

    def from_tools(self, numbers: Iterable[int]) -> dict[int, tuple[str]]:
        """Name types without a schema name after one of their tools. All names are distinct."""
        chosen: dict[int, tuple[str]] = {}
        used: set[str] = set()
        for number in numbers:
            names = {
                own_name(self.tool_types, group): group for group in reversed(self.groups[number])
            }
            free = [name for name in names if name not in used]
            pinned = [name for name in free if self.pins.get(name) == str(names[name])]
            first = own_name(self.tool_types, self.groups[number][0])
            name = next(iter([*pinned, *reversed(free)]), "")
            name = name or naming.distinguish(first, str(self.groups[number][0]))
            used.add(name)
            chosen[number] = (name,)
        return chosen
