"""Plans reading all pages of paginated tools."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, zip_longest

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.testing.arguments import safety
from mcpgen.testing.arguments.known_values import Source
from mcpgen.testing.checks.lists.pages import largest, paging
from mcpgen.testing.plan.full_calls import base_of
from mcpgen.testing.plan.subjects import Subject, Subjects, is_reference
from mcpgen.testing.run_context import RunContext

_MOST_FILTERS = 7
_SMALL = (3, 5, 10)
_DIGITS = re.compile("[0-9]+")


def walks(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield a case that reads all pages of a paginated tool."""
    schema = subjects.schema(subject)
    names = paging(schema.members(), subjects.lab.known_values.names(subject.name))
    if not names or not subjects.reads_only(subject):
        return
    if names.keys() == {"limit"} and safety.is_open(subjects.lab.tool(subject.name)):
        return  # a search of the web finds something else each time
    turned = set(names.values())
    bases = [{k: v for k, v in item.items() if k not in turned} for item in subject.good]
    base = min(filter(schema.allows, bases), key=len, default=None)
    if base is None:
        return
    base = subjects.of_richest_entity(subject, base)
    for name in schema.required_names():  # a term with many results has more pages
        richest = subjects.lab.richest(name) if subjects.is_guessable(subject, name) else None
        if isinstance(richest, str) and schema.allows({**base, name: richest}):
            base = {**base, name: richest}
    case = subject.case("walk", arguments=base, paging=names)
    if limit := names.get("limit"):
        small = next((size for size in _SMALL if schema.allows({**base, limit: size})), None)
        case.data.update(largest=largest(schema, base, limit).get(limit), small=small)
    case.data["filters"] = list(_filters(subjects, subject, base, turned))
    yield case


def _filters(
    subjects: Subjects, subject: Subject, base: dict[str, Json], turned: set[str]
) -> Iterator[list[Json]]:
    """Yield arguments that may filter entries, with possible values."""
    schema = subjects.schema(subject)
    rows: list[list[list[Json]]] = []
    for name, part in schema.members().items():
        if name in {*turned, *schema.required_names()}:
            continue
        if not subjects.is_guessable(subject, name):
            continue
        listed = part.get("enum") if is_object(part) else None
        options: list[Json] = listed[:2] if is_array(listed) else []
        options += [good[name] for good in subject.good if name in good][:2]
        sources = subjects.lab.known_values.matching(subject.name, name)
        options += [values[0] for _, values, _ in sources][:1]
        options = [item for at, item in enumerate(options) if item not in options[:at]]
        if is_object(part) and part.get("type") in ("integer", "number"):
            options += [value for value in (1, 10, 50) if schema.allows({**base, name: value})]
        rows.append(
            [[name, value] for value in options[:3] if schema.allows({**base, name: value})]
        )
    # Each filter comes once before any second value.
    in_turn = (pair for turn in zip_longest(*rows) for pair in turn if pair is not None)
    yield from islice(in_turn, _MOST_FILTERS)


def beyond(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield a call with a cursor like a known one, but far beyond the last page."""
    arguments = subjects.lab.with_cursor.get(subject.name, {})
    names = paging(arguments, subjects.lab.known_values.names(subject.name))
    cursor = arguments.get(names.get("cursor", ""))
    if isinstance(cursor, str) and _DIGITS.search(cursor):
        far = _DIGITS.sub(lambda digits: "9" * (len(digits[0]) + 3), cursor)
        yield subject.call({**arguments, names["cursor"]: far}, "valid, beyond the last page")


_MOST_SOURCES = 3
_MOST_LINKS = 10


def chains(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield each source of values that certainly fit an argument, once per tool."""
    schema = subjects.schema(subject)
    required = schema.required_names()
    for argument in schema.names():
        if not subjects.may_be_another(subject, argument):
            continue
        visited: set[str] = set()
        for source, _, is_sure in subjects.lab.known_values.matching(subject.name, argument):
            if not is_sure or source.tool in (subject.name, *visited):
                continue
            rest = _other_required(subject, argument, required)
            if rest is None:
                break
            visited.add(source.tool)
            yield _chain(subject, source, argument, rest)
            if len(visited) >= _MOST_SOURCES:
                break


def new_entities(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield calls with minimum values for a newly created entity and its parts.

    It is empty: it has no vote, no entry, no day.
    """
    base = base_of(subject)
    if base is None or safety.acts_outside(subjects.lab.tool(subject.name)):
        return
    for argument in filter(is_reference, base):
        created = subjects.creator_of(subject, argument)
        if created is not None:
            source, creator = created
            newest = replace(source, arguments=json.dumps(base_of(creator)))
            rest = _with_minimum_values(subjects, subject, base, argument)
            yield _chain(subject, newest, argument, rest)


def _with_minimum_values(
    subjects: Subjects, subject: Subject, base: dict[str, Json], argument: str
) -> dict[str, Json]:
    """Return the other arguments with the least value that the schema allows for each."""
    schema, least = subjects.schema(subject), dict(base)
    for name, value in base.items():
        if name == argument or is_reference(name) or not subjects.is_guessable(subject, name):
            continue
        options: list[Json] = [[]] if is_array(value) else [""] if isinstance(value, str) else []
        part = schema.members().get(name)
        if is_object(part) and "minimum" in part:
            options.append(part["minimum"])
        for option in options:
            if schema.allows({**least, name: option}):
                least[name] = option
    return {name: value for name, value in least.items() if name != argument}


def _other_required(subject: Subject, argument: str, required: set[str]) -> dict[str, Json] | None:
    """Return the other required arguments, or None if only made-up ones are known."""
    if required <= {argument}:
        return {}
    good = next((item for item in subject.good if argument in item), None)
    if good is None:
        return None
    return {name: good[name] for name in required - {argument} if name in good}


def _chain(subject: Subject, source: Source, argument: str, rest: dict[str, Json]) -> Case:
    value: Json = json.loads(source.arguments)
    data: dict[str, Json] = {
        "tool": source.tool,
        "arguments": value,
        "parents": list(source.parents),
        "member": source.name,
    }
    return subject.case("chain", source=data, argument=argument, arguments=rest)


def links(lab: RunContext) -> Iterator[Case]:
    """Yield the links to resources that results had."""
    for (tool, uri), arguments in [*islice(lab.links.items(), _MOST_LINKS)]:
        yield Case("link", f"tool {tool}", {"arguments": arguments, "uri": uri})
