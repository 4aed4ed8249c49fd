"""Builds a contract from raw responses. Irregularities become notices, and all data is kept."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mcpgen_runtime.display import brief, visible
from mcpgen_runtime.redaction.credentials import Credentials

from mcpgen.contract.document import Contract
from mcpgen.contract.lists import LISTINGS, Listing
from mcpgen.errors import Notice
from mcpgen.isolation import FAILURE, Failure, reason, surviving
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, flaw, is_object
from mcpgen.servers.endpoint.origin import Origin
from mcpgen.servers.recording import conformance
from mcpgen.servers.recording.raw_responses import Answers, entries_of

_SERVER_INFO = "io.modelcontextprotocol/serverInfo"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A contract with notices about the responses or the file.

    ``paths`` maps variables of the origin to values that may be shown to the user. ``variables``
    are the names of all variables.
    """

    contract: Contract
    notices: tuple[Notice, ...] = ()
    is_live: bool = False
    paths: Mapping[str, str] = field(default_factory=dict[str, str])
    variables: frozenset[str] = frozenset()


def build_contract(answers: Answers, origin: Origin, credentials: Credentials) -> Recorded:
    """Build a contract from raw responses. A bad entry doesn't affect the others.

    The contract contains no credentials of the server.
    """
    recorded, failures = surviving(
        _positions(answers),
        lambda positions: _build(_only(answers, positions), origin, credentials),
    )
    notices = [_lost_notice(answers, failure) for failure in failures]
    return replace(recorded, notices=(*notices, *recorded.notices))


@dataclass(frozen=True, slots=True)
class _Position:
    """The position of an entry: list, page, and index in the page."""

    listing: Listing
    page: int
    entry: int

    def entry_in(self, answers: Answers) -> Json:
        return entries_of(answers.pages[self.listing.method][self.page], self.listing)[self.entry]


def _positions(answers: Answers) -> list[_Position]:
    return [
        _Position(listing, number, at)
        for listing in LISTINGS
        for number, page in enumerate(answers.pages.get(listing.method, ()))
        for at in range(len(entries_of(page, listing)))
    ]


def _only(answers: Answers, kept_positions: Collection[_Position]) -> Answers:
    """Return the responses with these entries only."""
    positions = _positions(answers)
    if len(kept_positions) == len(positions):
        return answers
    pages: dict[str, list[Json]] = {}
    for listing in LISTINGS:
        for number, page in enumerate(answers.pages.get(listing.method, ())):
            own = [at for at in positions if (at.listing, at.page) == (listing, number)]
            entries = [at.entry_in(answers) for at in own if at in kept_positions]
            fewer = {**page, listing.member: entries} if own else page
            pages.setdefault(listing.method, []).append(fewer)
    return replace(answers, pages={**answers.pages, **pages})


def _lost_notice(answers: Answers, failure: Failure[_Position]) -> Notice:
    listing, entry = failure.item.listing, failure.item.entry_in(answers)
    name = entry.get(listing.key) if is_object(entry) else None
    step = escape(name) if isinstance(name, str) else str(failure.item.entry)
    problem = f"{reason(failure.error)}; left out; please report this"
    return Notice(f"/{listing.member}/{step}", problem, FAILURE)


def _build(answers: Answers, origin: Origin, credentials: Credentials) -> Recorded:
    notices: list[Notice] = []
    # Before everything else, so that no notice quotes a part of a secret.
    answers = _without_credentials(answers, credentials, origin, notices)
    lists = {listing.member: _entries(answers, listing, notices) for listing in LISTINGS}
    greeting = answers.greeting
    contract = Contract(
        tools=lists["tools"],
        revision=answers.revision,
        server=_server(greeting),
        capabilities=_object(greeting.get("capabilities")),
        client_capabilities=answers.client_capabilities,
        instructions=_text(greeting.get("instructions")),
        origin=origin.document,
        prompts=lists["prompts"],
        resources=lists["resources"],
        resource_templates=lists["resourceTemplates"],
    )
    notices += conformance.notices(contract, answers)
    notices += _about_the_server(contract, answers)
    return Recorded(
        contract, tuple(notices), is_live=True, paths=origin.paths, variables=origin.variables
    )


def _without_credentials(
    answers: Answers, credentials: Credentials, origin: Origin, notices: list[Notice]
) -> Answers:
    """Replace the credentials that the server repeats, each by ``${NAME}`` if it has a name."""
    greeting: dict[str, Json] = credentials.strip(dict(answers.greeting))
    pages: dict[str, Sequence[Json]] = {}
    for listing in LISTINGS:
        if listing.method in answers.pages:
            own = answers.pages[listing.method]
            pages[listing.method] = [_page(page, listing, credentials, origin) for page in own]
    pointers = {listing.method: f"/{listing.member}" for listing in LISTINGS}
    repeating = [pointers[item] for item in pages if pages[item] != answers.pages[item]]
    if greeting != answers.greeting:
        repeating.insert(0, "/server")
    problem = "a credential in the server's definitions is replaced by ${NAME} or [redacted]"
    notices += [Notice(pointer, problem, "secret") for pointer in repeating]

    def redact(text: str) -> str:
        return origin.secrets.hide(credentials.hide(text))

    failed = {method: redact(message) for method, message in answers.failed.items()}
    junk = redact(answers.junk)
    return replace(answers, greeting=greeting, pages=pages, failed=failed, junk=junk)


def _page(page: Json, listing: Listing, credentials: Credentials, origin: Origin) -> Json:
    """Remove credentials from a page. A tool's name stays, even if it equals an argument."""
    stripped: Json = credentials.strip(page)
    if listing.key == "name" and stripped != page:
        pairs = zip(entries_of(page, listing), entries_of(stripped, listing), strict=True)
        for before, after in pairs:
            if is_object(before) and before.get("name") in origin.secrets.values:
                after["name"] = before["name"]
    return stripped


def _about_the_server(contract: Contract, answers: Answers) -> Iterator[Notice]:
    for listing in LISTINGS:
        if message := answers.failed.get(listing.method):
            problem = f"the server failed to respond to {listing.method}: {brief(message)}"
            yield Notice(f"/{listing.member}", problem, "failed list")
    if answers.junk:
        problem = (
            f"the server prints text that isn't JSON-RPC on stdout: {brief(answers.junk, 80)!r}"
        )
        yield Notice("/server", problem, "stdout")
    if not any(contract.capabilities.get(listing.capability) is not None for listing in LISTINGS):
        problem = "the server declares neither tools nor prompts nor resources"
        yield Notice("/capabilities", f"{problem}, so they were not requested", "nothing offered")


def _server(greeting: Mapping[str, Json]) -> dict[str, Json]:
    # 2026-07-28 moved the server's name into "_meta"; it is optional there.
    return _object(greeting.get("serverInfo") or _object(greeting.get("_meta")).get(_SERVER_INFO))


def _entries(
    answers: Answers, listing: Listing, notices: list[Notice]
) -> dict[str, Mapping[str, Json]]:
    """Map keys to entries of all pages, in order. If a key repeats, the first entry counts."""
    keyed: dict[str, Mapping[str, Json]] = {}
    pages = answers.pages.get(listing.method, ())
    entries = [entry for page in pages for entry in entries_of(page, listing)]
    for number, entry in enumerate(entries):
        name = entry.get(listing.key) if is_object(entry) else None
        if not is_object(entry) or not isinstance(name, str):
            step, problem = (
                str(number),
                f"no {listing.definition}: it has no string {listing.key!r}",
            )
        elif name in keyed:
            where = f"/{listing.member}/{escape(name)}"
            notices.append(Notice(where, "listed twice; the first one is kept", "duplicate"))
            continue
        elif flawed := flaw(entry):
            step, problem = escape(name), flawed
        else:
            keyed[name] = entry
            continue
        problem = f"{problem}; left out: {brief(visible(repr(entry)), 80)}"
        notices.append(Notice(f"/{listing.member}/{step}", problem, "no entry"))
    return keyed


def _object(value: Json) -> dict[str, Json]:
    return value if is_object(value) and not flaw(value) else {}


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
