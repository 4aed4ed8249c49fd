"""Validates recorded responses against the official schema of their revision, entry by entry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mcpgen_runtime.display import visible

from mcpgen.contract.document import Contract
from mcpgen.contract.lists import LISTINGS, Listing
from mcpgen.errors import ContractError, Notice
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json
from mcpgen.servers.recording.raw_responses import Answers

_KIND = "protocol"


def notices(contract: Contract, answers: Answers) -> Iterator[Notice]:
    """Report responses that violate the protocol revision, if there is one."""
    from mcpgen.schemas.validation import messages

    revision = contract.revision
    if not revision:
        return
    try:
        revision_ = messages.nearest(revision)
    except ContractError as error:
        yield Notice("/revision", f"{error.problem}; the responses are not validated", _KIND)
        return
    if revision_ != revision:
        reason = f"revision {visible(revision)} is newer than this mcpgen; checked as {revision_}"
        yield Notice("/revision", reason, _KIND)
    if answers.greeting:
        yield from _greeting(revision_, answers.greeting)
    for listing in LISTINGS:
        for page in answers.pages.get(listing.method, ()):
            yield from _envelope(revision_, listing, page)
    yield from _entries(revision_, contract)


def _greeting(revision: str, greeting: Mapping[str, Json]) -> Iterator[Notice]:
    from mcpgen.schemas.validation import messages

    is_modern = "supportedVersions" in greeting
    definition = "DiscoverResult" if is_modern else "InitializeResult"
    method = "server/discover" if is_modern else "initialize"
    for problem in messages.problems(revision, definition, dict(greeting)):
        # The contract calls it "server".
        pointer = problem.pointer.replace("/serverInfo", "/server", 1)
        reason = f"the response to {method} breaks the protocol: {problem.reason}"
        yield Notice(pointer, reason, _KIND)


def _envelope(revision: str, listing: Listing, page: Json) -> Iterator[Notice]:
    from mcpgen.schemas.validation import messages

    envelope: dict[str, Json] = dict(page)
    if isinstance(page.get(listing.member), list):
        envelope[listing.member] = []
    for problem in messages.problems(revision, listing.result, envelope):
        reason = f"the response to {listing.method} breaks the protocol: {problem.reason}"
        yield Notice(f"/{listing.member}", reason, _KIND)


def _entries(revision: str, contract: Contract) -> Iterator[Notice]:
    problems = list(_problems(revision, contract))
    # Schema checks take long, so they are skipped if there is nothing to compare.
    reported = _reported_pointers(contract) if problems else ()
    for pointer, reason in problems:
        if not any(_is_within(pointer, other) for other in reported):
            yield Notice(pointer, f"violates the protocol, recorded unchanged: {reason}", _KIND)


def _problems(revision: str, contract: Contract) -> Iterator[tuple[str, str]]:
    from mcpgen.schemas.validation import messages

    lists = contract.lists()
    for listing in LISTINGS:
        for name, entry in lists[listing.member].items():
            for problem in messages.problems(revision, listing.definition, dict(entry)):
                yield f"/{listing.member}/{escape(name)}{problem.pointer}", problem.reason


def _reported_pointers(contract: Contract) -> set[str]:
    """Return pointers that already have a notice."""
    from mcpgen.contract.definitions import parse

    return {notice.pointer for notice in parse(contract).notices if _is_of_a_definition(notice)}


def _is_of_a_definition(notice: Notice) -> bool:
    from mcpgen.contract.definitions import NONCONFORMING

    is_of_a_schema = "Schema" in notice.pointer and notice.kind != "bad default"
    return is_of_a_schema or notice.kind == NONCONFORMING


def _is_within(pointer: str, other: str) -> bool:
    return any(
        f"{long}/".startswith(f"{short}/") for long, short in ((pointer, other), (other, pointer))
    )
