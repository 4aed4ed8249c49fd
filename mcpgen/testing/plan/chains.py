"""What must hold between two tools: an id of one is one of the other, a link leads somewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json
from mcpgen.testing.known import Source
from mcpgen.testing.lab import Lab
from mcpgen.testing.plan.subjects import Subject, Subjects

_MOST_SOURCES = 5
_MOST_LINKS = 10


def chains(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield each source of what an argument surely means, once for each tool that is one."""
    schema = subjects.schema(subject)
    required = schema.required()
    for argument in schema.names():
        if not subjects.may_be_another(subject, argument):
            continue
        done: set[str] = set()
        for source, _, is_sure in subjects.lab.known.matching(subject.name, argument):
            if not is_sure or source.tool in (subject.name, *done):
                continue
            rest = _rest(subject, argument, required)
            if rest is None:
                break
            done.add(source.tool)
            yield _chain(subject, source, argument, rest)
            if len(done) >= _MOST_SOURCES:
                break


def _rest(subject: Subject, argument: str, required: set[str]) -> dict[str, Json] | None:
    """Return the other arguments that are needed, ``None`` if only made-up ones are known."""
    if required <= {argument}:
        return {}
    good = next((each for each in subject.good if argument in each), None)
    if good is None:
        return None
    return {name: good[name] for name in required - {argument} if name in good}


def _chain(subject: Subject, source: Source, argument: str, rest: dict[str, Json]) -> Case:
    given: Json = json.loads(source.arguments)
    said: dict[str, Json] = {
        "tool": source.tool,
        "arguments": given,
        "parents": list(source.parents),
        "member": source.name,
    }
    return subject.case("chain", source=said, argument=argument, arguments=rest)


def links(lab: Lab) -> Iterator[Case]:
    """Yield the links to resources that results had."""
    for (tool, uri), arguments in [*islice(lab.links.items(), _MOST_LINKS)]:
        yield Case("link", f"tool {tool}", {"arguments": arguments, "uri": uri})
