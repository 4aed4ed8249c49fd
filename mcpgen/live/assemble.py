"""Raw answers become a contract; what is odd about them becomes notices, and nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mcpgen.contract import Contract, Json, is_array, is_object
from mcpgen.errors import Notice
from mcpgen.law import brief, escape
from mcpgen.live.lists import LISTS, Listing
from mcpgen.source.origin import Origin
from mcpgen.source.shown import Secrets, visible

_SERVER_INFO = "io.modelcontextprotocol/serverInfo"


@dataclass(frozen=True, slots=True)
class Answers:
    """What a server answered, raw: ``greeting`` to `initialize` or `server/discover`."""

    revision: str
    greeting: Mapping[str, Json] = field(default_factory=dict[str, Json])
    pages: Mapping[str, Sequence[Json]] = field(default_factory=dict[str, "Sequence[Json]"])
    client_capabilities: Mapping[str, Json] = field(default_factory=dict[str, Json])
    failed: Mapping[str, str] = field(default_factory=dict[str, str])
    junk: str = ""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A contract, and what was odd about the answers that it was made of."""

    contract: Contract
    notices: tuple[Notice, ...] = ()


def assemble(answers: Answers, origin: Origin) -> Recorded:
    """Make a contract of raw answers; a bad entry costs no other."""
    from mcpgen.live import check

    notices: list[Notice] = []
    found = {listing.member: _entries(answers, listing, notices) for listing in LISTS}
    greeting = answers.greeting
    contract = Contract(
        tools=found["tools"],
        revision=answers.revision,
        server=_server(greeting),
        capabilities=_object(greeting.get("capabilities")),
        client_capabilities=answers.client_capabilities,
        instructions=_text(greeting.get("instructions")),
        origin=origin.document,
        prompts=found["prompts"],
        resources=found["resources"],
        resource_templates=found["resourceTemplates"],
    )
    contract = _without_secrets(contract, origin.secrets, notices)
    notices += [
        Notice(f"/{listing.member}", f"the server failed to answer {listing.method}: {reason}")
        for listing in LISTS
        if (reason := visible(answers.failed.get(listing.method, "")))
    ]
    notices += check.notices(contract, answers)
    notices += _about_the_server(contract, answers, origin.secrets)
    return Recorded(contract, tuple(_safe(notice, origin.secrets) for notice in notices))


def _about_the_server(contract: Contract, answers: Answers, secrets: Secrets) -> list[Notice]:
    found: list[Notice] = []
    if answers.junk:
        printed = brief(secrets.hide(answers.junk), 80)
        said = f"the server prints what is not JSON-RPC on stdout: {printed!r}"
        found.append(Notice("/server", said, "stdout"))
    if not any(contract.capabilities.get(listing.capability) is not None for listing in LISTS):
        said = "the server declares neither tools nor prompts nor resources, so none were asked for"
        found.append(Notice("/capabilities", said, "nothing offered"))
    return found


def _safe(notice: Notice, secrets: Secrets) -> Notice:
    return Notice(secrets.strip(notice.pointer), secrets.strip(notice.reason), notice.kind)


def _server(greeting: Mapping[str, Json]) -> dict[str, Json]:
    # 2026-07-28 moved the server's name into "_meta"; it is optional there.
    return _object(greeting.get("serverInfo") or _object(greeting.get("_meta")).get(_SERVER_INFO))


def _entries(
    answers: Answers, listing: Listing, notices: list[Notice]
) -> dict[str, Mapping[str, Json]]:
    """Key the entries of all pages, sorted; of two with one key the first is kept."""
    found: dict[str, Mapping[str, Json]] = {}
    for number, entry in enumerate(_listed(answers.pages.get(listing.method, ()), listing)):
        name = entry.get(listing.key) if is_object(entry) else None
        if not is_object(entry) or not isinstance(name, str):
            at, problem = str(number), f"no {listing.entry}: it has no string {listing.key!r}"
        elif name in found:
            where = f"/{listing.member}/{escape(name)}"
            notices.append(Notice(where, "listed twice; the first one is kept", "duplicate"))
            continue
        elif reason := _not_json(entry):
            at, problem = escape(name), reason
        else:
            found[name] = entry
            continue
        said = f"{problem}; left out: {brief(visible(repr(entry)), 80)}"
        notices.append(Notice(f"/{listing.member}/{at}", said, "no entry"))
    return dict(sorted(found.items()))


def _listed(pages: Sequence[Json], listing: Listing) -> list[Json]:
    lists = [page.get(listing.member) for page in pages if is_object(page)]
    return [entry for entries in lists if is_array(entries) for entry in entries]


def _not_json(value: Json) -> str:
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return "it holds a number that JSON cannot (NaN or Infinity)"
    except RecursionError:
        return "it is nested too deeply"
    return ""


def _without_secrets(contract: Contract, secrets: Secrets, notices: list[Notice]) -> Contract:
    """Replace what was given in confidence and the server repeats."""
    from dataclasses import replace

    parts: dict[str, Json] = {}
    members = {"server": "server", "capabilities": "capabilities", "instructions": "instructions"}
    members |= {listing.member: listing.member for listing in LISTS}
    members["resourceTemplates"] = "resource_templates"
    for pointer, name in members.items():
        before = getattr(contract, name)
        parts[name] = _stripped(before, secrets) if name in _NAMED else secrets.strip(before)
        if parts[name] != before:
            said = "the server repeats a value that it was given; ${NAME} stands in its place"
            notices.append(Notice(f"/{pointer}", said, "secret"))
    return replace(contract, **parts)


_NAMED = ("tools", "prompts")


def _stripped(
    entries: Mapping[str, Mapping[str, Json]], secrets: Secrets
) -> dict[str, Mapping[str, Json]]:
    """Strip definitions; a name that is an argument as a whole was chosen by it, and no secret."""
    found: dict[str, Mapping[str, Json]] = {}
    for name, entry in entries.items():
        stripped: dict[str, Json] = secrets.strip(entry)
        if name in secrets.values:
            stripped = {**stripped, "name": name}
        found[stripped["name"]] = stripped
    return found


def _object(value: Json) -> dict[str, Json]:
    return value if is_object(value) and not _not_json(value) else {}


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
