"""Plans calls of tools that write: repeated, concurrent, and in sequence."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json, distinct, is_array, is_number
from mcpgen.testing.arguments import safety
from mcpgen.testing.arguments.entities import role_of
from mcpgen.testing.plan.calls import values_of_results
from mcpgen.testing.plan.subjects import Subject, Subjects, chance_of, is_reference

_MOST_READS = 4
_MOST_WRITES = 2
_MOST_POORER = 5
_LEAST_MEMBERS = 3
_MOST_MEMBERS = 6
_LEAST_RELATED = 2
_MOST_RELATIONS = 6
_MOST_CROWDED = 4
_MADE_UP: tuple[Json, ...] = ("mcpgen a", "mcpgen b", "mcpgen c")


def find_renewals(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield a call that may work only once, because it takes a slot or a name."""
    definition = subjects.lab.tool(subject.name)
    is_repeatable = safety.hint(definition, "idempotentHint") is True
    if is_repeatable or safety.acts_outside(definition) or safety.claims_read_only(definition):
        return
    is_destroying = role_of(definition) == "destroy"
    for base in subject.good[-1:]:
        values_of = _created_ids if is_destroying else values_of_results
        values_by_name = {name: values_of(subjects, subject, name) for name in base}
        values_by_name = {name: values for name, values in values_by_name.items() if values}
        # A made-up ID might belong to a valuable entity.
        free: list[Json] = [
            name
            for name in base
            if not is_destroying
            if subjects.is_guessable(subject, name) and not is_reference(name)
        ]
        data: dict[str, Json] = {"free": free, "known": values_by_name, "earlier": [*subject.good]}
        yield subject.case("renewal", arguments=base, **data)


def _created_ids(subjects: Subjects, subject: Subject, name: str) -> list[Json]:
    """Return IDs of entities that the run has created, so it may destroy them."""
    lab = subjects.lab
    return [
        value
        for source, values, is_sure in lab.known_values.matching(subject.name, name)
        if is_sure and role_of(lab.tool(source.tool)) == "create"
        for value in values
    ]


def additive(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield a call that may add something, with reads that may show it."""
    definition = subjects.lab.tool(subject.name)
    if safety.claims_read_only(definition):
        return
    is_repeatable = safety.hint(definition, "idempotentHint") is True
    for base in subject.good[:1]:
        of_the_same = [*subjects.readers_of_the_same(base)]
        sharing = [
            (reader, arguments)
            for reader in subjects.every()
            if subjects.reads_only(reader)
            and (arguments := subjects.shared_arguments(reader, base)) is not None
        ]
        reads: list[Json] = []
        for reader, arguments in [*of_the_same, *sharing]:
            read: Json = {"name": reader.name, "arguments": arguments}
            reads += [read] if read not in reads else []
        reads.sort(key=lambda read: -subjects.relevance(read["name"], subject))
        of_reads = {name for read in reads for name in read["arguments"]}
        members = other_members(subjects, subject, base, of_reads)
        if reads and (members or not is_repeatable):
            small = _small_amounts(subjects, subject, base)
            before = [*islice(_writes_before(subjects, subject, small), _MOST_WRITES)]
            data: Json = {"small": small, "reads": reads[:_MOST_READS], "before": before}
            data["others"] = members
            yield subject.case("adds", arguments=base, **data)


def other_members(
    subjects: Subjects, subject: Subject, base: dict[str, Json], of_reads: set[str]
) -> list[Json]:
    """Return calls that add different things to the same entity: other members, or other tags.

    ``of_reads`` are the arguments of reads, which name the entity. A tool that acts outside gets
    none: each call may invite somebody.
    """
    schema = subjects.schema(subject)
    if safety.acts_outside(subjects.lab.tool(subject.name)):
        return []
    for name in [name for name in base if name not in of_reads]:
        options: list[Json] = []
        if subjects.may_be_another(subject, name):
            sources = subjects.lab.known_values.matching(subject.name, name)
            options += [value for _, values, is_sure in sources if is_sure for value in values]
        if subjects.is_guessable(subject, name) and not is_reference(name):
            options += _MADE_UP
        is_list = is_array(base[name])
        calls = distinct({**base, name: [item] if is_list else item} for item in options)
        calls = [item for item in calls if item != base and schema.allows(item)]
        if len(calls) >= _LEAST_MEMBERS:
            return calls[-_MOST_MEMBERS:]
    return []


def _small_amounts(subjects: Subjects, subject: Subject, base: dict[str, Json]) -> dict[str, Json]:
    """Return arguments with small numbers, so that a stock is enough for several calls."""
    schema, result = subjects.schema(subject), dict(base)
    for name, value in base.items():
        is_amount = is_number(value) and not is_reference(name)
        if is_amount and value > 1 and subjects.is_guessable(subject, name):
            result = {**result, name: 1} if schema.allows({**result, name: 1}) else result
    return result


def used_up(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield a call with the largest amounts, which soon takes more than there is."""
    definition, schema = subjects.lab.tool(subject.name), subjects.schema(subject)
    if safety.claims_read_only(definition) or safety.acts_outside(definition):
        return
    fullest = sorted(subject.good, key=len, reverse=True)[:1]
    for base in [subject.widest] if subject.widest else fullest:
        arguments = _of_others(subjects, subject, base)
        for name, value in base.items():
            if is_number(value) and not is_reference(name) and subjects.is_guessable(subject, name):
                arguments[name] = schema.highest(name, arguments)
        amounts = {name for name in base if arguments[name] != base[name] and is_number(base[name])}
        if amounts - {*filter(is_reference, base)} and schema.allows(arguments):
            poorer = [*islice(_of_each_entity(subjects, subject, arguments), _MOST_POORER)]
            yield subject.case("used-up", arguments=arguments, others=poorer)


def undone(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield calls of a tool that relates entities, whose relation this tool removes.

    The entities may be related already, so there are several pairs of them.
    """
    required = subjects.schema(subject).required_names()
    if len(required) < _LEAST_RELATED or not any(map(is_reference, required)):
        return
    if safety.acts_outside(subjects.lab.tool(subject.name)):
        return
    for other in subjects.tested:
        definition = subjects.lab.tool(other.name)
        is_adding = role_of(definition) in ("create", "change") and bool(other.good)
        is_related = other is not subject and subjects.schema(other).required_names() == required
        if not is_adding or not is_related or safety.acts_outside(definition):
            continue
        base = {name: value for name, value in other.good[0].items() if name in required}
        rows = distinct([base, *_other_relations(subjects, other, base)])[:_MOST_RELATIONS]
        reads: list[Json] = [
            {"method": "tools/call", "params": {"name": reader.name, "arguments": arguments}}
            for reader, arguments in subjects.readers_of_the_same(base)
        ]
        if reads:
            yield subject.case("undo", tool=other.name, rows=rows, reads=reads[:_MOST_READS])


def _other_relations(
    subjects: Subjects, subject: Subject, base: dict[str, Json], fixed: str = ""
) -> Iterator[dict[str, Json]]:
    """Yield the same call with other known values of the last ID that isn't ``fixed``."""
    lab, schema = subjects.lab, subjects.schema(subject)
    names = [name for name in filter(is_reference, base) if name != fixed]
    for name in [name for name in names if subjects.may_be_another(subject, name)][-1:]:
        for _, values, is_sure in lab.known_values.matching(subject.name, name):
            for value in values if is_sure else ():
                changed = {**base, name: value}
                if schema.allows(changed) and not lab.is_destroyed(value):
                    yield changed


def crowd(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield calls that fill a new entity with the least values: a room with a single place."""
    definition = subjects.lab.tool(subject.name)
    if safety.claims_read_only(definition) or safety.acts_outside(definition):
        return
    for base in subject.good[:1]:
        for argument in filter(is_reference, base):
            created = subjects.creator_of(subject, argument)
            if created is None:
                continue
            _, creator = created
            least = _small_amounts(subjects, creator, creator.widest or creator.good[0])
            calls = [{**item, argument: base[argument]} for item in subject.good]
            calls += _other_relations(subjects, subject, base, fixed=argument)
            data: Json = {"creator": creator.name, "least": least, "argument": argument}
            data["calls"] = distinct(calls)[:_MOST_CROWDED]
            yield subject.case("crowd", **data)


def _of_each_entity(
    subjects: Subjects, subject: Subject, arguments: dict[str, Json]
) -> Iterator[Json]:
    """Yield arguments with each known entity of other tools. Some may have little left."""
    schema, lab = subjects.schema(subject), subjects.lab
    # The order differs by tool, because one may have filled an entity that another has emptied.
    chance = chance_of(subjects, subject)
    for name in filter(is_reference, arguments):
        if not subjects.may_be_another(subject, name):
            continue
        sources = lab.known_values.matching(subject.name, name)
        ids = distinct(value for _, values, is_sure in sources if is_sure for value in values)
        for value in chance.sample(ids, len(ids)):
            changed = {**arguments, name: value}
            if changed != arguments and schema.allows(changed) and not lab.is_destroyed(value):
                yield changed


def _of_others(subjects: Subjects, subject: Subject, base: dict[str, Json]) -> dict[str, Json]:
    """Return arguments with the last known entities, as other calls need the first ones."""
    schema, result = subjects.schema(subject), dict(base)
    for name in base:
        if not is_reference(name) and name not in schema.required_names():
            continue
        if not subjects.may_be_another(subject, name):
            continue
        sources = subjects.lab.known_values.matching(subject.name, name)
        last_values = [
            values[-1] for source, values, _ in sources if values and source.tool != subject.name
        ]
        changed = {**result, name: last_values[0]} if last_values else result
        result = changed if schema.allows(changed) else result
    return result


def _writes_before(
    subjects: Subjects, subject: Subject, arguments: dict[str, Json]
) -> Iterator[Json]:
    """Yield calls of other tools that may add to a stock, before a call uses it up."""
    for other in subjects.tested:
        definition = subjects.lab.tool(other.name)
        if other is subject or not other.good or safety.acts_outside(definition):
            continue
        if role_of(definition) not in ("create", "change"):
            continue
        texts = {name: value for name, value in arguments.items() if isinstance(value, str)}
        shared = {
            name: value
            for name, value in texts.items()
            if name in other.good[0] and subjects.may_be_another(other, name)
        }
        if shared and subjects.schema(other).allows({**other.good[0], **shared}):
            yield {"name": other.name, "arguments": {**other.good[0], **shared}}


def again(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield a destructive call twice: a second cancellation may fail."""
    if not safety.acts_outside(subjects.lab.tool(subject.name)):
        for arguments in subject.good[-1:]:
            before: Json = {"name": subject.name, "arguments": arguments}
            yield subject.case("after", arguments=arguments, before=before)


def after_destruction(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield reads of an entity that a tool has destroyed, or put into its last state."""
    for arguments in subject.good[:2]:
        before: Json = {"name": subject.name, "arguments": arguments}
        for reader, shared in subjects.readers_of_the_same(arguments):
            yield reader.case("after", arguments=shared, before=before)
