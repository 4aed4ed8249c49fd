"""Selects the tools to call for observation: tools annotated as read-only, and named ones.

Only written arguments are sent: given ones, or the examples of the schema.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from mcpgen.contract.document import Contract
from mcpgen.contract.observation.schema_detail import tells
from mcpgen.errors import UsageError
from mcpgen.jsontext import Json, canonical, is_array, is_object
from mcpgen.servers.recording.inputs.arguments_file import Arguments
from mcpgen.servers.shell import checks

_MOST_EXAMPLES = 20
_MOST_NAMES = 8


@dataclass(frozen=True, slots=True)
class CallPlan:
    """A call to make."""

    tool: str
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class Plan:
    """The calls to make, and reasons for the others. ``beyond`` counts those over the limit."""

    calls: tuple[CallPlan, ...]
    skipped: Mapping[str, str]
    beyond: int = 0

    def counts(self) -> dict[str, int]:
        """Return the number of calls per tool."""
        counts: dict[str, int] = {}
        for call in self.calls:
            counts[call.tool] = counts.get(call.tool, 0) + 1
        return counts


def plan(
    contract: Contract,
    arguments_by_tool: Mapping[str, Sequence[Arguments]],
    named: Collection[str],
    most: int,
    where: str = "--arguments",
) -> Plan:
    """Plan the calls of named tools, and of tools that claim to be read-only."""
    for name in (*arguments_by_tool, *named):
        if name not in contract.tools:
            origin = "--tool" if name in named else where
            names = [*contract.tools]
            some = ", ".join(names[:_MOST_NAMES]) + ", ..." * (len(names) > _MOST_NAMES)
            hint = f"it has {some}" if names else "it has none"
            raise UsageError(f"the server has no tool {name!r}", origin, hint)
    calls: list[CallPlan] = []
    skipped: dict[str, str] = {}
    for name, raw in contract.tools.items():
        if named and name not in named:
            continue
        planneds = _calls(
            name, raw, arguments_by_tool.get(name), is_named=name in named, where=where
        )
        if isinstance(planneds, str):
            skipped[name] = planneds
        else:
            calls += planneds
    return Plan(tuple(calls[:most]), skipped, len(calls[most:]))


def _calls(
    name: str,
    raw: Mapping[str, Json],
    candidates: Sequence[Arguments] | None,
    *,
    is_named: bool,
    where: str,
) -> list[CallPlan] | str:
    if tells(raw.get("outputSchema")):
        return "the output schema describes the result"
    if not is_named and not _only_reads(raw):
        return f"not annotated as read-only; --tool {name} calls it anyway"
    schema = raw.get("inputSchema")
    for arguments in candidates or ():
        if problems := checks.problems(schema, arguments, lambda pointer: pointer):
            raise UsageError(f"{name}: invalid arguments: {problems[0]}", where)
    chosen = _examples(schema) if candidates is None else candidates
    if not chosen:
        return "no arguments are given, and its schema has no examples"
    return [CallPlan(name, arguments) for arguments in _different(chosen)]


def _only_reads(raw: Mapping[str, Json]) -> bool:
    hints = raw.get("annotations")
    return (
        is_object(hints)
        and hints.get("readOnlyHint") is True
        and hints.get("destructiveHint") is not True
    )


def _examples(schema: Json) -> list[Arguments]:
    """Return the example arguments of a schema, or empty arguments if none are required."""
    if not is_object(schema):
        return [{}]
    whole = schema.get("examples")
    properties = schema.get("properties")
    required = schema.get("required")
    needed: list[str] = required if is_array(required) else []
    arguments: list[Json] = list(whole) if is_array(whole) else []
    if not needed:
        arguments.insert(0, {})
    elif is_object(properties):
        columns = [_of_member(properties.get(name)) for name in needed]
        arguments += [dict(zip(needed, row, strict=True)) for row in zip(*columns, strict=False)]
    fitting = [value for value in arguments[:_MOST_EXAMPLES] if is_object(value)]
    return [item for item in fitting if not checks.problems(schema, item, lambda at: at)]


def _of_member(schema: Json) -> list[Json]:
    if not is_object(schema):
        return []
    if "const" in schema:
        return [schema["const"]] * _MOST_EXAMPLES
    examples = schema.get("examples")
    return examples if is_array(examples) else []


def _different(chosen: Sequence[Arguments]) -> list[Arguments]:
    return list({canonical(arguments): arguments for arguments in chosen}.values())
