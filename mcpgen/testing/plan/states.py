"""Claims put to the test: calls of tools that claim something, and reads that show the state."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from mcpgen.jsontext import Json
from mcpgen.testing import fresh, safety
from mcpgen.testing.failure import Case
from mcpgen.testing.plan.subjects import Subject, Subjects

_MOST_READS = 6
_MOST_RESOURCES = 2
_MOST_FRESH = 3


def quiet(subjects: Subjects) -> Iterator[Case]:
    """Yield the tools that claim to be read-only, which are tried alone if anything changes."""
    calls: dict[str, Json] = {
        subject.name: [
            *subject.good[:2],
            *islice(subjects.valid(subject), 4, 6),
            *(arguments for _, arguments in _fresh(subjects, subject)),
        ]
        for subject in subjects.tested
        if safety.claims_read_only(subjects.lab.tool(subject.name))
    }
    reads = _reads(subjects, None)
    if calls and reads:
        yield Case("quiet", "server", {"calls": calls, "reads": reads})


def claims(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield calls of a tool by what it claims: of a suspect that reads, of one that may repeat."""
    definition = subjects.lab.tool(subject.name)
    reads = _reads(subjects, subject)
    if safety.claims_read_only(definition):
        if subject.name in subjects.lab.suspects and reads:
            for arguments in [*subject.good[:2], *islice(subjects.valid(subject), 7, 9)]:
                yield subject.case("read-only", arguments=arguments, reads=reads)
            for name, arguments in _fresh(subjects, subject):
                yield subject.case("read-only", arguments=arguments, reads=reads, fresh=name)
    elif safety.hint(definition, "idempotentHint") is True:
        for arguments in subject.good[:1]:
            yield subject.case("idempotent", arguments=arguments, reads=reads)


def _fresh(subjects: Subjects, subject: Subject) -> Iterator[tuple[str, dict[str, Json]]]:
    """Yield arguments with a text that was never given, and the name of its argument."""
    schema = subjects.schema(subject)
    for arguments in subject.good[:1]:
        for name in fresh.names(schema, arguments)[:_MOST_FRESH]:
            renewed = fresh.renewed(schema, arguments, name, subjects.lab.calls)
            if renewed is not None:
                yield name, renewed


def _reads(subjects: Subjects, subject: Subject | None) -> list[Json]:
    """Return what shows the state of the server: read-only tools that need the least, first."""
    lab = subjects.lab
    tools = [each for each in subjects.every() if subjects.reads_only(each) and each is not subject]
    tools.sort(key=lambda each: (not _is_listing(each.name), len(each.good[0])))
    reads: list[Json] = [
        {"method": "tools/call", "params": {"name": each.name, "arguments": arguments}}
        for each in tools[:_MOST_READS]
        for arguments in (each.good[0], lab.last_pages.get(each.name))
        if arguments is not None
    ]
    uris = islice(lab.contract.resources, _MOST_RESOURCES)
    return [*reads, *({"method": "resources/read", "params": {"uri": uri}} for uri in uris)]


def _is_listing(name: str) -> bool:
    return name.lower().startswith(("list", "get_all", "show", "browse", "search", "all"))
