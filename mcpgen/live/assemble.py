"""Raw answers become a contract; what is odd about them becomes notices, and nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from mcpgen.contract import Contract, Json
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
    return Recorded(contract, tuple(notices))


def _server(greeting: Mapping[str, Json]) -> dict[str, Json]:
    # 2026-07-28 moved the server's name into "_meta"; it is optional there.
    return _object(greeting.get("serverInfo") or _object(greeting.get("_meta")).get(_SERVER_INFO))


def _entries(
    answers: Answers, listing: Listing, notices: list[Notice]
) -> dict[str, Mapping[str, Json]]:
    """Key the entries of all pages, sorted; of two with one key the first is kept."""
    found: dict[str, Mapping[str, Json]] = {}
    for number, entry in enumerate(_listed(answers.pages.get(listing.method, ()), listing)):
        name = entry.get(listing.key) if isinstance(entry, dict) else None
        if not isinstance(name, str):
            at, problem = str(number), f"no {listing.entry}: it has no string {listing.key!r}"
        elif name in found:
            where = f"/{listing.member}/{escape(name)}"
            notices.append(Notice(where, "listed twice; the first one is kept", "duplicate"))
            continue
        elif reason := _not_json(entry):
            at, problem = escape(name), reason
        else:
            found[name] = cast("dict[str, Json]", entry)
            continue
        said = f"{problem}; left out: {brief(visible(repr(entry)), 80)}"
        notices.append(Notice(f"/{listing.member}/{at}", said, "no entry"))
    return dict(sorted(found.items()))


def _listed(pages: Sequence[Json], listing: Listing) -> list[Any]:
    lists: list[Any] = [page.get(listing.member) for page in pages if isinstance(page, dict)]
    return [entry for entries in lists if isinstance(entries, list) for entry in entries]


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
        parts[name] = secrets.strip(before)
        if parts[name] != before:
            said = "the server repeats a value that it was given; ${NAME} stands in its place"
            notices.append(Notice(f"/{pointer}", said, "secret"))
    return replace(contract, **parts)


def _object(value: Json) -> dict[str, Json]:
    is_kept = isinstance(value, dict) and not _not_json(value)
    return cast("dict[str, Json]", value) if is_kept else {}


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
