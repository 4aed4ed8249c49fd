"""Plans calls that the schema allows: given ones, generated ones, and with known values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json, is_object
from mcpgen.testing.arguments.value_paths import without_property
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.plan.subjects import Subject, Subjects, is_reference

_MOST_EXAMPLES = 3
_MOST_CHAINED = 4
_MOST_KNOWN = 3
_MOST_FOUND = 3
_SHORT = ("a", "")


def plain(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield calls with given arguments and with made-up ones. Made-up IDs are only tried once."""
    count = len(subject.real)
    needs_ids = any(map(is_reference, subjects.schema(subject).required_names()))
    for number, arguments in enumerate(subjects.valid(subject)):
        if number >= count + _MOST_EXAMPLES or (number > count and needs_ids and not subject.good):
            return
        yield subject.call(arguments, "valid")
        if number == count:
            fewer = subjects.schema(subject).frugal(arguments)
            yield subject.call(fewer, "valid, with required arguments only")


def with_known_ids(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield generated calls with known IDs. They have other properties and alternatives."""
    schema = subjects.schema(subject)
    needed, start = [*filter(is_reference, schema.required_names())], len(subject.real) + 1
    for base in subject.good[:1] if needed else ():
        for example in islice(subjects.valid(subject), start, start + _MOST_EXAMPLES - 1):
            free = {name: value for name, value in example.items() if not is_reference(name)}
            arguments = {**free, **{name: base[name] for name in needed if name in base}}
            if schema.allows(arguments) and not subjects.lab.is_good(subject.name, arguments):
                yield subject.call(arguments, "valid, with known IDs")


def short(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield calls with short search terms, if generated ones found nothing."""
    base, schema = next(subjects.valid(subject), None), subjects.schema(subject)
    if base is None:
        return
    base = schema.frugal(base)
    free = [
        name
        for name in schema.names()
        if isinstance(base.get(name), str) and subjects.is_guessable(subject, name)
    ]
    for text in _SHORT if free else ():
        arguments = {**base, **dict.fromkeys(free, text)}
        if schema.allows(arguments):
            yield subject.call(arguments, "valid, with a short text")


def found(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield searches for words of earlier results.

    Random words find nothing, and a single letter finds everything.
    """
    schema = subjects.schema(subject)
    base = subjects.base(subject)
    if base is None or not subjects.is_reader(subject.name):
        return
    free = [
        name
        for name in schema.required_names()
        if isinstance(base.get(name), str) and subjects.is_guessable(subject, name)
    ]
    known_words = _words_of_results(subjects, subject) if len(free) == 1 else ()
    for word in islice(known_words, _MOST_FOUND):
        arguments = {**base, free[0]: word}
        if schema.allows(arguments):
            yield subject.call(arguments, "valid, with a word of its results")


def _words_of_results(subjects: Subjects, subject: Subject) -> Iterator[str]:
    """Yield the first word of each title, name and other text in the results of a tool."""
    visited: set[str] = set()
    for source, values in [*subjects.lab.known_values.values.items()]:
        if source.tool != subject.name or is_reference(source.name):
            continue
        for value in values:
            word = next(iter(str(value).split()), "") if isinstance(value, str) else ""
            if len(word) > 1 and word.isalpha() and word not in visited:
                visited.add(word)
                yield word


def with_known_values(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield calls with known values of the server's data instead of generated ones."""
    schema = subjects.schema(subject)
    base = next(subjects.valid(subject), None)
    if base is None:
        return
    base = schema.fill_known(
        schema.frugal(base), lambda name: values_of_results(subjects, subject, name)
    )
    if base not in subject.good:
        yield subject.call(base, "valid, with values of other results inside")
    yield from _with_arguments_of_source(subjects, subject, base)
    values = {name: values_of_results(subjects, subject, name) for name in schema.names()}
    required = schema.required_names()
    filled = {
        name: known_values[0]
        for name, known_values in values.items()
        if known_values and name in required
    }
    if filled and (full := {**base, **filled}) and schema.allows(full):
        yield subject.call(full, "valid, with values of other results")
        base = full
    tried = 0
    for name, known_values in values.items():
        for value in known_values if name in required else known_values[:1]:
            arguments = {**base, name: value}
            if tried < _MOST_CHAINED and schema.allows(arguments) and arguments != base:
                tried += 1
                yield subject.call(arguments, f"valid, {name} of another result")


def _with_arguments_of_source(
    subjects: Subjects, subject: Subject, base: dict[str, Json]
) -> Iterator[Case]:
    """Yield calls with an optional ID, and with the arguments that the ID was found with.

    The ID of a comment, for instance, belongs to the article whose comments were listed.
    """
    schema = subjects.schema(subject)
    for name in schema.names():
        if not is_reference(name) or name in base or not subjects.may_be_another(subject, name):
            continue
        count = 0
        for source, values, _ in subjects.lab.known_values.matching(
            subject.name, name, schema.description(name)
        ):
            found_with = json.loads(source.arguments)
            shared = {key: found_with[key] for key in schema.names() if key in found_with}
            arguments = {**base, **shared, name: values[-1] if values else None}
            if shared and count < _MOST_KNOWN and schema.allows(arguments):
                count += 1
                yield subject.call(arguments, f"valid, {name} with the arguments it was found with")


def values_of_results(
    subjects: Subjects, subject: Subject, argument: str, most: int = _MOST_KNOWN
) -> list[Json]:
    """Return values for an argument from results of other tools and from errors."""
    if not subjects.may_be_another(subject, argument):
        return []
    known_values = subjects.lab.known_values
    combinations_: list[Json] = []
    description = subjects.schema(subject).description(argument)
    for source, values, _ in known_values.matching(subject.name, argument, description):
        if source.tool != subject.name:
            combinations_ += [value for value in values if value not in combinations_]
    part = subjects.schema(subject).members().get(argument)
    tokens = known_values.args.get(subject.name, ())
    if is_object(part) and "pattern" in part:
        schema = Schema(part)
        combinations_ += [
            token for token in tokens if token not in combinations_ and schema.allows(token)
        ]
    elif is_object(part) and part.get("type") in ("integer", "number"):
        schema = Schema(part)
        numbers = [int(token) for token in tokens if token.isdecimal()]
        combinations_ += [
            item for item in numbers if item not in combinations_ and schema.allows(item)
        ]
    return combinations_[:most]


_PROBE = "mcpgen test \u00eb"


def texts(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield a case for each argument that may be any string, in a working call."""
    base, schema = subjects.base(subject), subjects.schema(subject)
    if base is None:
        return
    for name, part in schema.members().items():
        is_text = not _is_any(part) and schema.allows({**base, name: _PROBE})
        if is_text and subjects.is_guessable(subject, name):
            yield subject.case("text", arguments=without_property(base, name), argument=name)


def _is_any(part: Json) -> bool:
    return not is_object(part) or not part


_MOST_OF_A_TOOL = 4
_MOST = 8


def unique(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield a case for each argument of a working call that may be any string."""
    schema = subjects.schema(subject)
    for base in subject.good[:1]:
        for name in schema.names():
            is_text = schema.allows({**base, name: "mcpgen a"}) and not schema.allows(
                {**base, name: 12345}
            )
            if is_text and subjects.is_guessable(subject, name):
                yield subject.case("unique", arguments=base, argument=name)


def together(subjects: Subjects) -> Iterator[Case]:
    """Yield working calls of each tool that only reads, then of all of them."""
    every: list[Json] = []
    for subject in subjects.every():
        if not subjects.reads_only(subject):
            continue
        calls: list[Json] = [
            {"name": subject.name, "arguments": good} for good in subject.good[:_MOST_OF_A_TOOL]
        ]
        every += calls[:2]
        if len(calls) > 1:
            yield subject.case("together", calls=calls)
    if len(every) > 1:
        yield Case("together", "server", {"calls": every[:_MOST]})
