"""Tools are called to see what they answer: those that claim to only read, or that are named.

Only arguments that someone wrote are sent: given ones, or the examples of the schema.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field

from mcpgen.calls.definition import definition_hash
from mcpgen.contract.document import Contract
from mcpgen.contract.lists import LISTINGS
from mcpgen.errors import UsageError
from mcpgen.jsontext import Json, canonical, is_array, is_object
from mcpgen.observation.telling import tells
from mcpgen.observation.tools import Call, Definition
from mcpgen.recording.diagnose import is_closed
from mcpgen.recording.further import Ask, Wish
from mcpgen.recording.raw_answers import Answers, ErrorAnswer, entries_of
from mcpgen.recording.wire.faults import Broken, Refused, Unreadable
from mcpgen.shell import checks

_TOOLS = LISTINGS[0]
_MOST_EXAMPLES = 20

Arguments = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Planned:
    """A call that is to be made."""

    tool: str
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class Plan:
    """The calls that are to be made, and why others are not; ``beyond`` are too many."""

    calls: tuple[Planned, ...]
    skipped: Mapping[str, str]
    beyond: int = 0

    def counts(self) -> dict[str, int]:
        """Return how often each tool is to be called."""
        counts: dict[str, int] = {}
        for call in self.calls:
            counts[call.tool] = counts.get(call.tool, 0) + 1
        return counts


def definitions_of(contract: Contract) -> dict[str, Definition]:
    """Return what is known of the tools of a contract."""
    return {
        name: Definition(definition_hash(raw), tells(raw.get("outputSchema")))
        for name, raw in contract.tools.items()
    }


def given_arguments(document: Json, where: str) -> dict[str, list[Arguments]]:
    """Read the arguments by tools: an object, or a list of several, one for each call."""
    hint = "such as: {search: [{query: night}, {query: day}]}"
    if not is_object(document):
        raise UsageError("arguments are an object, by the names of tools", where, hint)
    found: dict[str, list[Arguments]] = {}
    for tool, value in document.items():
        several: list[Json] = value if is_array(value) else [value]
        if not all(map(is_object, several)):
            raise UsageError(f"the arguments of {tool} are no objects", where, hint)
        found[tool] = several
    return found


def plan(
    contract: Contract,
    given: Mapping[str, Sequence[Arguments]],
    named: Collection[str],
    most: int,
    where: str = "--arguments",
) -> Plan:
    """Say which calls are to be made: of those tools that are named, or claim to only read."""
    for name in (*given, *named):
        if name not in contract.tools:
            place = "--tool" if name in named else where
            raise UsageError(f"the server has no tool {name!r}", place)
    calls: list[Planned] = []
    skipped: dict[str, str] = {}
    for name, raw in contract.tools.items():
        if named and name not in named:
            continue
        found = _calls(name, raw, given.get(name), is_named=name in named, where=where)
        if isinstance(found, str):
            skipped[name] = found
        else:
            calls += found
    return Plan(tuple(calls[:most]), skipped, len(calls[most:]))


def _calls(
    name: str,
    raw: Mapping[str, Json],
    given: Sequence[Arguments] | None,
    *,
    is_named: bool,
    where: str,
) -> list[Planned] | str:
    if tells(raw.get("outputSchema")):
        return "its own schema tells what it answers"
    if not is_named and not _only_reads(raw):
        return f"it does not claim to only read; --tool {name} calls it all the same"
    schema = raw.get("inputSchema")
    for arguments in given or ():
        if found := checks.problems(schema, arguments, lambda pointer: pointer):
            raise UsageError(f"{name}: invalid arguments: {found[0]}", where)
    chosen = _examples(schema) if given is None else given
    if not chosen:
        return "no arguments are given, and its schema has no examples"
    return [Planned(name, arguments) for arguments in _different(chosen)]


def _only_reads(raw: Mapping[str, Json]) -> bool:
    hints = raw.get("annotations")
    return (
        is_object(hints)
        and hints.get("readOnlyHint") is True
        and hints.get("destructiveHint") is not True
    )


def _examples(schema: Json) -> list[Arguments]:
    """Return the arguments that a schema gives as examples; none where none are needed."""
    if not is_object(schema):
        return [{}]
    whole = schema.get("examples")
    properties = schema.get("properties")
    required = schema.get("required")
    needed: list[str] = required if is_array(required) else []
    found: list[Json] = list(whole) if is_array(whole) else []
    if not needed:
        found.insert(0, {})
    elif is_object(properties):
        columns = [_of_member(properties.get(name)) for name in needed]
        found += [dict(zip(needed, row, strict=True)) for row in zip(*columns, strict=False)]
    fitting = [each for each in found[:_MOST_EXAMPLES] if is_object(each)]
    return [each for each in fitting if not checks.problems(schema, each, lambda at: at)]


def _of_member(schema: Json) -> list[Json]:
    if not is_object(schema):
        return []
    if "const" in schema:
        return [schema["const"]] * _MOST_EXAMPLES
    examples = schema.get("examples")
    return examples if is_array(examples) else []


def _different(chosen: Sequence[Arguments]) -> list[Arguments]:
    return list({canonical(each): each for each in chosen}.values())


@dataclass(slots=True)
class Observing:
    """Calls the tools of a plan, one after the other, and keeps what they answered."""

    plan: Plan
    definitions: Mapping[str, Definition]
    calls: list[Call] = field(default_factory=list[Call])
    changed: set[str] = field(default_factory=set[str])
    """Tools that have another definition now than when the plan was made; they are not called."""

    def wish(self) -> Wish:
        """Return what is asked of the server; it can ask nobody back."""
        return Wish(frozenset({_TOOLS.capability}), self._further)

    def _further(self, answers: Answers) -> Generator[Ask, Json, None]:
        self.calls.clear()  # of an attempt that failed
        listed = _listed(answers)
        for planned in self.plan.calls:
            name = planned.tool
            known = self.definitions[name].hash
            if name not in listed or definition_hash(listed[name]) != known:
                self.changed.add(name)
                continue
            params = {"name": name, "arguments": planned.arguments}
            result: Json = None
            try:
                result = yield Ask("tools/call", params)
            except ErrorAnswer as error:
                if isinstance(error.data, Broken | Refused | Unreadable) or is_closed(error):
                    raise
            self.calls.append(Call(name, result if is_object(result) else None, known))


def _listed(answers: Answers) -> dict[str, Mapping[str, Json]]:
    entries = [
        each for page in answers.pages.get(_TOOLS.method, ()) for each in entries_of(page, _TOOLS)
    ]
    named = [each for each in entries if is_object(each) and isinstance(each.get("name"), str)]
    return {each["name"]: each for each in reversed(named)}
