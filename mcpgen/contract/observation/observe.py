"""Merges the results of tools with earlier observations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from mcpgen_runtime.replay.definition import definition_hash

from mcpgen.contract.document import Contract
from mcpgen.contract.observation import samples as reading
from mcpgen.contract.observation import shape_format
from mcpgen.contract.observation.document import Observed, ObservedTool
from mcpgen.contract.observation.maps import listed_maps, maps, without_names
from mcpgen.contract.observation.places import changes
from mcpgen.contract.observation.samples import Answer, Samples
from mcpgen.contract.observation.schema_detail import tells
from mcpgen.contract.observation.shapes import (
    ANYTHING,
    ENOUGH_TEXTS,
    Place,
    Shape,
    limit_positions,
    merge,
    shape,
)
from mcpgen.jsonpointer import pointer
from mcpgen.jsontext import Json, is_object, sha256

REQUIRED_FROM = 4
"""Minimum number of results with an object for its properties to be required."""
_LOOSE_FROM = 3
"""Minimum number of results from which a single deviating one is doubted."""


def schema(shape: Shape, answers: int | None = None) -> dict[str, Json]:
    """Return the schema of a shape, or ``{}`` if nothing is known. ``answers`` counts all
    results.
    """
    total = shape.answers if answers is None else answers
    kinds = [kind for kind in sorted(shape.kinds) if kind != "null"]
    if not kinds or ANYTHING in kinds or _is_doubtful(shape, kinds, total):
        return {}
    ways = [_way(kind, shape, total) for kind in kinds]
    if "null" in shape.kinds:
        if len(ways) == 1:
            return {**ways[0], "type": [ways[0]["type"], "null"]}
        ways.append({"type": "null"})
    return ways[0] if len(ways) == 1 else {"anyOf": ways}


def _is_doubtful(shape: Shape, kinds: list[str], total: int) -> bool:
    """Return True if only a single result had a kind of value that differs from the others."""
    if len(kinds) == 1 or total < _LOOSE_FROM or shape.answers == 1:
        return False
    return any(shape.kinds[kind] <= 1 for kind in kinds)


def _way(kind: str, shape: Shape, total: int) -> dict[str, Json]:
    if kind == "number":
        return {"type": "number" if shape.fractions else "integer"}
    if kind == "string" and shape.formats and shape.different >= ENOUGH_TEXTS:
        return {"type": "string", "format": min(shape.formats)}
    if kind == "array":
        items = schema(shape.items, total) if shape.items else {}
        return {"type": "array", "items": items} if items else {"type": "array"}
    return _object(shape, total) if kind == "object" else {"type": kind}


def _object(shape: Shape, total: int) -> dict[str, Json]:
    if shape.values is not None:
        return {"type": "object", "additionalProperties": schema(shape.values, total) or True}
    result: dict[str, Json] = {"type": "object"}
    if shape.members:
        result["properties"] = {
            name: schema(shape.members[name], total) for name in sorted(shape.members)
        }
    always = sorted(name for name, member in shape.members.items() if not member.is_optional)
    if always and shape.kinds["object"] >= REQUIRED_FROM:
        result["required"] = always
    return result


MOST_COUNTED = 200
"""Maximum number of different responses that are counted. Further ones still widen the type."""
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Definition:
    """The hash of a tool's definition, and whether its output schema declares a type."""

    hash: str
    tells: bool


def definitions_of(contract: Contract) -> dict[str, Definition]:
    """Return hash and schema information of all tools of a contract."""
    return {
        name: Definition(definition_hash(raw), tells(raw.get("outputSchema")))
        for name, raw in contract.tools.items()
    }


@dataclass(frozen=True, slots=True)
class Call:
    """A recorded call and its result, or None for an error.

    ``definition`` is the hash of the tool's definition at the time, if known. ``redacted`` are JSON
    pointers of redacted values in the result.
    """

    tool: str
    result: Mapping[str, Json] | None
    definition: str = ""
    redacted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """The outcome for one tool: its observed results, or the reason for their absence.

    ``answers`` counts successful results, ``soft_errors`` results whose data reports a failure,
    ``unread`` results that are too large, and ``outdated`` results of another definition.
    ``changes`` describes differences from the earlier observation.
    """

    name: str
    observed: ObservedTool | None
    reason: str = ""
    answers: int = 0
    errors: int = 0
    soft_errors: int = 0
    unread: int = 0
    outdated: int = 0
    before: int = 0
    changes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Observation:
    """The observed results of all tools, and the outcome for each called tool."""

    observed: Observed
    outcomes: tuple[ToolOutcome, ...]


def observe(
    calls: Iterable[Call], definitions: Mapping[str, Definition], before: Observed
) -> Observation:
    """Merge results of tools with an earlier observation.

    Expired entries are left out, tools that weren't called keep theirs. The order of the calls has
    no effect.
    """
    hashes = {
        name: definition.hash for name, definition in definitions.items() if not definition.tells
    }
    current = before.current(hashes)
    by_tool: dict[str, list[Call]] = {}
    for call in calls:
        by_tool.setdefault(call.tool, []).append(call)
    outcomes = [
        _observe_tool(by_tool[n], definitions.get(n), current.tools.get(n)) for n in sorted(by_tool)
    ]
    tools = dict(current.tools)
    for item in outcomes:
        tools.pop(item.name, None)
        if item.observed is not None:
            tools[item.name] = item.observed
    return Observation(Observed(tools), tuple(outcomes))


def _observe_tool(
    calls: Sequence[Call], definition: Definition | None, before: ObservedTool | None
) -> ToolOutcome:
    """Merge the results of one tool."""
    name = calls[0].tool
    if definition is None:
        return ToolOutcome(name, None, "the contract has no such tool")
    current = [call for call in calls if call.definition in ("", definition.hash)]
    answered = [call for call in current if call.result is not None]
    read = [reading.read(call.result or {}, call.redacted) for call in answered]
    answers = [answer for answer in read if answer is not None]
    forms = [answer.form for answer in answers]
    outcome = ToolOutcome(
        name,
        before,
        answers=sum(answer.is_success for answer in answers),
        errors=forms.count("error") + len(current) - len(answered),
        soft_errors=forms.count("soft error"),
        unread=len(read) - len(answers),
        outdated=len(calls) - len(current),
        before=before.answers if before else 0,
    )
    if definition.tells:
        return replace(outcome, observed=None, reason="the output schema describes the result")
    if not outcome.answers:
        return outcome if before else replace(outcome, reason=_why_none(outcome))
    observed_tool = _merge_results(name, answers, definition.hash, before)
    if isinstance(observed_tool, str):
        return replace(outcome, observed=None, reason=observed_tool)
    return replace(
        outcome,
        observed=observed_tool,
        changes=tuple(changes(before, observed_tool)) if before else (),
    )


def _why_none(outcome: ToolOutcome) -> str:
    if outcome.outdated and not outcome.errors:
        return "all responses have another definition than the contract"
    return "only error responses"


def _merge_results(
    name: str, answers: Sequence[Answer], definition: str, before: ObservedTool | None
) -> ObservedTool | str:
    samples = reading.one_form(answers)
    if isinstance(samples, str):
        return samples
    texts = [answer.data for answer in answers if answer.is_success]
    digests = [*before.digests.split()] if before else []
    base: Shape | None = None
    if before is not None and before.seen_statistics:
        base = shape_format.read(before.seen_statistics, pointer(("tools", name, "seen")))
    if before is not None:
        joined = _common_form(before, samples, base)
        if isinstance(joined, str):
            return joined
        samples, base = joined
    if samples.source == "text":
        digests = _weights(texts, digests)[0]
        return ObservedTool(
            name, len(digests), definition, "text", digests=" ".join(sorted(digests))
        )
    if before is not None and base is None:
        digests = []  # no earlier observation to merge with
    digests, weights = _weights(samples.values, digests)
    limited = limit_positions(_shape(samples.values, weights, base))
    schema_ = schema(limited, len(digests))
    if not _says_something(schema_):
        return "results of several types, or without properties"
    lines = shape_format.write(limited)
    text = " ".join(sorted(digests))
    return ObservedTool(name, len(digests), definition, samples.source, schema_, lines, text)


def _common_form(
    before: ObservedTool, samples: Samples, base: Shape | None
) -> tuple[Samples, Shape | None] | str:
    """Convert earlier and new results to a common form, or return why that is impossible."""
    sources = {before.source, samples.source}
    if len(sources) == 1:
        return samples, base
    if "text" in sources and sources <= {"text", "json"} | {"text", "json in result"}:
        return Samples("text", ()), None
    if sources == {"json", "json blocks"} and base is not None:
        if before.source == "json":
            if set(base.kinds) == {"object"}:
                count = base.answers
                return samples, Shape(count, {"array": count}, items=base)
        elif all(map(is_object, samples.values)):
            return Samples("json blocks", tuple([value] for value in samples.values)), base
    return f"no common form: {samples.source} now, {before.source} before"


def _weights(values: Sequence[Json], digests: Sequence[str]) -> tuple[list[str], dict[str, int]]:
    """Return the digests of all counted results, and the weight of each new one.

    A repeated result adds no information. Three digits of a hash distinguish most results, and
    reveal too little to be a copy of them.
    """
    counted = list(digests)
    weights: dict[str, int] = {}
    for digest in sorted({sha256(value) for value in values}):
        start = digest[:_DIGITS]
        weights[digest] = int(start not in counted and len(counted) < MOST_COUNTED)
        if weights[digest]:
            counted.append(start)
    return counted, weights


def _shape(values: Sequence[Json], weights: Mapping[str, int], base: Shape | None) -> Shape:
    """Return the shape of results, without property names that are data."""
    distinct = {sha256(value): value for value in values}
    old_maps = set[Place]() if base is None else {*maps(base)}
    while True:
        shapes = [shape(distinct[text], weights[text], old_maps) for text in sorted(distinct)]
        merged = reduce(merge, shapes if base is None else [base, *shapes])
        map_locations = {
            *maps(merged),
            *listed_maps(distinct.values(), merged, old_maps),
        } - old_maps
        if not map_locations:
            return without_names(merged)
        # Read again, so that all values of a map count as one in each result.
        old_maps |= map_locations


def _says_something(document: Mapping[str, Json]) -> bool:
    if document.get("type") != "object":
        return bool(document)
    return bool(document.get("properties")) or is_object(document.get("additionalProperties"))
