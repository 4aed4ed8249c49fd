"""Finds the tools that create, show, list, change and delete the same kind of entity."""

from __future__ import annotations

import json
from collections.abc import Iterator

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json
from mcpgen.servers.endpoint.sensitivity import words_of
from mcpgen.testing.arguments import safety
from mcpgen.testing.arguments.entities import deletes, role_of, takes_only_id
from mcpgen.testing.arguments.known_values import Source, is_id, rank, singular
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.plan import entity_changes
from mcpgen.testing.plan.subjects import Subject, Subjects, is_reference

_MAX_TOOLS = 3
_LEAST_RANDOM = 16
"""Number of characters of a random ID, such as a UUID."""


def entities(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield a case for a tool that creates entities, with the tools that use these entities."""
    lab = subjects.lab
    sources = _new_ids(subjects, subject)
    if not sources:
        return
    names = [name for name in lab.known_values.names(subject.name) if is_id(name)]
    source = min(sources, key=lambda source: len(source.parents))
    value = lab.known_values.values[source][0]
    data: dict[str, Json] = {
        role: [] for role in ("get", "list", "search", "change", "add", "delete")
    }
    changing: list[Json] = []
    for other in subjects.every():
        kind = role_of(lab.tool(other.name))
        if other.name == subject.name:
            continue
        argument = _id_argument(subjects, other, source, value)
        if argument is None:
            for role, item in _without_id(subjects, other, names, source.name, value):
                data[role].append(item)
            continue
        named = {"tool": other.name, "argument": argument}
        required = subjects.schema(other).required_names()
        if kind == "read" and required <= {argument}:
            data["get"].append(named)
        elif kind == "change" and other in subjects.tested:
            changing += entity_changes.changing(subjects, other, named)
        elif kind == "create" and other in subjects.tested and other.good:
            if argument in required and not safety.acts_outside(lab.tool(other.name)):
                data["add"].append({**named, "arguments": other.good[0]})
        elif kind == "destroy" and required <= {argument} and other in subjects.tested:
            data["delete"] += _deletions(lab.tool(other.name), named)
    data["delete"].sort(key=_is_guess)
    for item in data.values():
        del item[_MAX_TOOLS:]
    data["change"] = entity_changes.select_changes(subjects, changing)
    if data["get"] or data["list"]:
        arguments = subject.widest or subject.good[0]
        is_guess = role_of(lab.tool(subject.name)) != "create"
        yield subject.case("entity", arguments=arguments, is_guess=is_guess, **data)


def _new_ids(subjects: Subjects, subject: Subject) -> list[Source]:
    """Return the sources of IDs in results of a tool that creates something.

    A tool with another name is a creator if its result has an ID that no argument has. If the
    arguments have the entity's own ID, the entity existed before, and other IDs don't count.
    """
    role = role_of(subjects.lab.tool(subject.name))
    if role not in ("create", "change") or not subject.good:
        return []
    known_values = subjects.lab.known_values.values
    by_object: dict[tuple[str, tuple[str, ...]], list[Source]] = {}
    for source, values in known_values.items():
        if source.tool == subject.name and is_id(source.name) and values:
            by_object.setdefault((source.arguments, source.parents), []).append(source)
    sources: list[Source] = []
    for (arguments, _), several in by_object.items():
        arguments_ = [*json.loads(arguments).values()]
        new = [item for item in several if any(v not in arguments_ for v in known_values[item])]
        own = next(filter(_is_own_id, several), None)
        sources += [own] if own in new else new if own is None else []
    return sources


def _is_own_id(source: Source) -> bool:
    """Return True for an ID named after its object or the tool, such as the `job_id` of a job."""
    noun = {singular(token) for token in words_of(source.name)[:-1]}
    around = {singular(token) for name in source.parents[-1:] for token in words_of(name)}
    return not noun or noun <= around or noun <= {*map(singular, words_of(source.tool))}


def _is_guess(item: Json) -> bool:
    """Return True for a tool that may not delete entities."""
    return "is_guess" in item


def _deletions(definition: dict[str, Json], named: dict[str, str]) -> Iterator[Json]:
    """Yield a tool that deletes an entity by its ID, or that may do so."""
    if deletes(definition):
        yield named
    elif takes_only_id(definition) and not safety.acts_outside(definition):
        yield {**named, "is_guess": True}


def _without_id(
    subjects: Subjects, other: Subject, names: list[str], name: str, value: Json
) -> Iterator[tuple[str, Json]]:
    """Yield a reading tool that takes no ID, if it lists entities or searches for a string."""
    if role_of(subjects.lab.tool(other.name)) != "read":
        return
    if _lists(subjects, other, name, value):
        base = min(other.good, key=lambda arguments: len(json.dumps(arguments)))
        yield "list", {"tool": other.name, "arguments": base, "ids": names}
    elif text := _search_text(subjects, other):
        yield "search", {"tool": other.name, "argument": text}


def _id_argument(subjects: Subjects, other: Subject, source: Json, value: Json) -> str | None:
    """Return the argument of a tool that takes the ID, or None."""
    schema = subjects.schema(other)
    for name in schema.names():
        part = {"type": "object", "properties": {name: schema.members().get(name)}}
        inner = {
            key: item for key, item in schema.schema.items() if key in ("$defs", "definitions")
        }
        if rank(source, other.name, name) >= 2 and Schema({**inner, **part}).allows({name: value}):
            return name
    return None


def _lists(subjects: Subjects, other: Subject, name: str, value: Json) -> bool:
    """Return True for a tool that needs no arguments, and has shown such an ID in a list."""
    if not other.good or subjects.schema(other).required_names():
        return False
    if not safety.claims_read_only(subjects.lab.tool(other.name)):
        return False
    known_values = subjects.lab.known_values.values
    sources = [source for source in known_values if source.tool == other.name]
    outer = min((len(source.parents) for source in sources if is_id(source.name)), default=0)
    return any(
        known_values[source] and _is_alike(known_values[source][0], value)
        for source in sources
        # An ID inside an entry is a reference, such as the players in a list of matches.
        if source.name == name and len(source.parents) <= outer
    )


def _search_text(subjects: Subjects, other: Subject) -> str | None:
    """Return the only required argument of a tool, if it is a search term."""
    schema = subjects.schema(other)
    required = schema.required_names()
    if len(required) != 1 or not other.good:
        return None
    (name,) = required
    is_text = schema.allows({name: "mcpgen a"}) and not schema.allows({name: 12345})
    return name if is_text and not is_reference(name) else None


def _is_alike(entity: Json, other: Json) -> bool:
    """Return True for two numbers, two IDs with the same prefix, or two random IDs."""
    if isinstance(entity, str) and isinstance(other, str):
        is_random = len(entity) == len(other) >= _LEAST_RANDOM
        return is_random or entity.rstrip("0123456789") == other.rstrip("0123456789")
    return type(entity) is type(other)
