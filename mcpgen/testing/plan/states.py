"""Plans tests of claims: calls of tools with hints, and reads that show the state."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, zip_longest

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json, distinct, is_object
from mcpgen.testing.arguments import fresh_arguments, safety
from mcpgen.testing.arguments.entities import role_of
from mcpgen.testing.arguments.value_paths import with_value
from mcpgen.testing.plan import extremes, full_calls, neighbors, writes
from mcpgen.testing.plan.subjects import Subject, Subjects, is_reference

_MOST_READS = 12
_MOST_RESOURCES = 5
_MOST_VARIED = 24
_MOST_VALUES = 6
_MOST_GOOD = 1
_MOST_OTHERS = 3
_MOST_ENTITIES = 9
_MOST_KEPT = 5
_LEAST_VARIED = 3
_MOST_OPTIONS = 16
_MOST_ADDITIONS = 3
_MOST_WATCHED = 3
_MOST_REPEATED = 4
_MOST_OF_A_SLOW_TOOL = 2
_SLOW = 0.5
"""Minimum duration of a call, in seconds, for calling a tool only twice."""
_MOST_OF_A_CLAIM = 8
_MOST_FRESH = 3


def quiet(subjects: Subjects) -> Iterator[Case]:
    """Yield cases with all tools that claim to be read-only: on a new server, then on this one.

    If anything changes, each tool is tried separately.
    """
    calls: dict[str, list[Json]] = {
        subject.name: [
            _plainest(subjects, subject),
            *subject.good[:2],
            *islice(_other_entities(subjects, subject), 1, _MOST_ENTITIES),  # the first is read
            *islice(subjects.valid(subject), 4, 6),
            *(arguments for _, arguments in _fresh(subjects, subject)),
            *islice(_variations(subjects, subject), _MOST_VARIED),
            *islice(_options_of_entities(subjects, subject), _MOST_OPTIONS),
        ]
        for subject in subjects.tested
        if subjects.reads_only(subject)
    }
    for name, several in calls.items():
        several[:] = distinct(several)
        if min(subjects.lab.times.get(name, ()), default=0.0) > _SLOW:
            del several[_MOST_OF_A_SLOW_TOOL:]
    reads = _reads(subjects, None)
    if calls and reads:
        yield Case("first-calls", "server", {"calls": calls, "reads": reads})
        fewer: Json = {name: several[:_MOST_REPEATED] for name, several in calls.items()}
        yield Case("quiet", "server", {"calls": fewer, "reads": reads[:_MOST_READS]})


def claims(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield calls that test a tool's claims: read-only, idempotent, or not destructive."""
    definition = subjects.lab.tool(subject.name)
    reads = sorted(_reads(subjects, subject), key=lambda read: -_relevance(subjects, read, subject))
    del reads[_MOST_OF_A_CLAIM:]
    if safety.claims_read_only(definition):
        if subject.name in subjects.lab.suspects and reads:
            watched = subjects.lab.watched.get(subject.name, reads[:_MOST_WATCHED])
            for arguments in [*subject.good[:2], *islice(subjects.valid(subject), 7, 9)]:
                yield subject.case("read-only", arguments=arguments, reads=watched)
            for name, arguments in _fresh(subjects, subject):
                yield subject.case("read-only", arguments=arguments, reads=watched, fresh=name)
        return
    if safety.hint(definition, "idempotentHint") is True:
        for number, arguments in enumerate(_repeatable(subjects, subject)):
            same = _reads_of_the_same(subjects, arguments)
            of_others = [read for read in reads if read not in same]
            watched = [*same, *of_others] if number == 0 else same or of_others[:_MOST_WATCHED]
            others = [item for item in subject.good if item != arguments] if number == 0 else []
            named: Json = {"reads": watched, "others": others[:_MOST_OTHERS]}
            yield subject.case("idempotent", arguments=arguments, **named)
    if safety.hint(definition, "destructiveHint") is False and reads and subject.good:
        options = [*islice(_each_option(subjects, subject), _MOST_KEPT)]
        rows = (
            neighbors.other_in_all_places(subjects, subject),
            _variations(subjects, subject),
        )
        varied = (item for row in zip_longest(*rows) for item in row if item is not None)
        count = max(_LEAST_VARIED, _MOST_KEPT - len(options))
        calls = [*subject.good[:2], *options, *islice(varied, count)]
        calls = [subjects.of_richest_entity(subject, arguments) for arguments in calls]
        calls = distinct(calls)
        same = _reads_of_the_same(subjects, calls[0])
        of_reads: set[str] = {name for read in same for name in read["params"]["arguments"]}
        calls += writes.other_members(subjects, subject, calls[0], of_reads)[:1]
        every = [*same, *(read for read in reads if read not in same)]
        every.sort(key=lambda read: -_relevance(subjects, read, subject))
        additions = [*islice(_additions(subjects, subject, calls[0]), _MOST_ADDITIONS)]
        data: Json = {"additions": additions, "calls": calls, "reads": every[:_MOST_OF_A_CLAIM]}
        yield subject.case("keeps", **data)


def _relevance(subjects: Subjects, read: Json, subject: Subject) -> int:
    """Return how closely a read is related to a tool."""
    named = str(read["params"].get("name") or read["params"].get("uri"))
    return subjects.relevance(named, subject)


def _repeatable(subjects: Subjects, subject: Subject) -> Iterator[dict[str, Json]]:
    """Yield different calls of a tool that claims to be idempotent, the largest first."""
    visited: list[dict[str, Json]] = []
    fullest = sorted(subject.good, key=len, reverse=True)[:_MOST_GOOD]
    widest = [subject.widest] if subject.widest else []
    options = islice(_each_option(subjects, subject), _MOST_KEPT)
    limits = extremes.at_limits_everywhere(subjects, subject)
    for arguments in (*widest, *fullest, *limits, *options):
        if arguments not in visited:
            visited.append(arguments)
            yield arguments


def _each_option(subjects: Subjects, subject: Subject) -> Iterator[dict[str, Json]]:
    """Yield a working call with each flag and each value of an enum, in turn."""
    base, schema = full_calls.base_of(subject), subjects.schema(subject)
    if base is None:
        return
    rows = [
        [{**base, name: value} for value in values if value != base.get(name)]
        for name, values in schema.options().items()
        if subjects.is_guessable(subject, name)
    ]
    for row in zip_longest(*rows):
        yield from (changed for changed in row if changed and schema.allows(changed))


def _variations(subjects: Subjects, subject: Subject) -> Iterator[dict[str, Json]]:
    """Yield calls that differ from a working one in one value: a limit, empty, another flag."""
    schema = subjects.schema(subject)
    options = schema.options() if subjects.reads_only(subject) else {}
    base = full_calls.base_of(subject)
    for path, values in neighbors.varied_places(subjects, subject).items():
        if path and path[0] in options:
            continue  # they are tried with several entities
        for value in values[:_MOST_VALUES] if path else ():
            changed = with_value(base, path, value)
            if is_object(changed) and schema.allows(changed):
                yield changed


def _other_entities(subjects: Subjects, subject: Subject) -> Iterator[dict[str, Json]]:
    """Yield calls for entities that the tool was not called with, in the order they became known.

    The first ones exist in a new process of the server, too, unlike entities that the run created.
    """
    schema, known_values = subjects.schema(subject), subjects.lab.known_values
    learned = {source: number for number, source in enumerate(known_values.values)}
    for base in subject.good[:1]:
        for name in base:
            used = [good.get(name) for good in subject.good]
            sure = {
                source: values
                for source, values, is_sure in known_values.matching(subject.name, name)
                if is_sure
            }
            for source in sorted(
                sure, key=lambda item: (not subjects.is_reader(item.tool), learned[item])
            ):
                for value in sure[source]:
                    if value not in used and schema.allows({**base, name: value}):
                        used.append(value)
                        yield {**base, name: value}


def _options_of_entities(subjects: Subjects, subject: Subject) -> Iterator[dict[str, Json]]:
    """Yield calls for several entities with each flag and each value of an enum."""
    schema = subjects.schema(subject)
    options = schema.options()
    for arguments in (*subject.good[:3], *islice(_other_entities(subjects, subject), 3)):
        for name, values in options.items():
            for value in values:
                changed = {**schema.frugal(arguments), name: value}
                if schema.allows(changed):
                    yield changed


def _fresh(subjects: Subjects, subject: Subject) -> Iterator[tuple[str, dict[str, Json]]]:
    """Yield arguments with a new string, and the name of its argument."""
    schema = subjects.schema(subject)
    for arguments in subject.good[:1]:
        for name in fresh_arguments.names(schema, arguments)[:_MOST_FRESH]:
            renewed = fresh_arguments.renew_argument(schema, arguments, name, subjects.lab.calls)
            if renewed is not None:
                yield name, renewed


def _reads(subjects: Subjects, subject: Subject | None) -> list[Json]:
    """Return reads that show the server's state, one of each tool first.

    Tools whose results have changed come before others, and lists before single entities.
    """
    lab = subjects.lab
    tools = [item for item in subjects.every() if subjects.reads_only(item) and item is not subject]
    tools.sort(
        key=lambda tested_subject: (
            tested_subject.name not in lab.changing,
            not _is_listing(tested_subject.name),
            len(tested_subject.good[0]),
        )
    )
    calls = [
        (
            (tool.name, subjects.with_largest_page(tool, _plainest(subjects, tool))),
            (tool.name, lab.last_pages.get(tool.name)),
            (tool.name, next(_other_entities(subjects, tool), None)),
        )
        for tool in tools[:_MOST_READS]
    ]
    reads: list[Json] = [
        {"method": "tools/call", "params": {"name": name, "arguments": arguments}}
        for column in zip(*calls, strict=True)
        for name, arguments in column
        if arguments is not None
    ]
    uris = islice(lab.contract.resources, _MOST_RESOURCES)
    return [*reads, *({"method": "resources/read", "params": {"uri": uri}} for uri in uris)]


def _additions(subjects: Subjects, subject: Subject, arguments: dict[str, Json]) -> Iterator[Json]:
    """Yield calls that add to the entity of a call, or set its properties."""
    for other in subjects.tested:
        definition = subjects.lab.tool(other.name)
        role = role_of(definition)
        if other is subject or not other.good or role not in ("create", "change"):
            continue
        if safety.acts_outside(definition):
            continue
        base = other.good[0]
        if role == "change":
            base = other.widest or max(other.good, key=len)
        shared = {
            name: value
            for name, value in arguments.items()
            if is_reference(name) and name in base and subjects.may_be_another(other, name)
        }
        if shared and subjects.schema(other).allows({**base, **shared}):
            yield {"name": other.name, "arguments": {**base, **shared}}


def _reads_of_the_same(subjects: Subjects, arguments: dict[str, Json]) -> list[Json]:
    """Return reads of the entity of a call."""
    return [
        {"method": "tools/call", "params": {"name": reader.name, "arguments": shared}}
        for reader, shared in subjects.readers_of_the_same(arguments)
    ][:_MOST_WATCHED]


def _plainest(subjects: Subjects, subject: Subject) -> dict[str, Json]:
    """Return working arguments without optional ones, because flags may have effects."""
    frugal = [subjects.schema(subject).frugal(item) for item in subject.good]
    return min([*frugal, *subject.good], key=lambda arguments: (len(arguments), str(arguments)))


def _is_listing(name: str) -> bool:
    return name.lower().startswith(("list", "get_all", "show", "browse", "search", "all"))
