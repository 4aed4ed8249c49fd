"""Checks lists, pages, prompts, resources and unknown names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice

from mcpgen_runtime.display import brief

from mcpgen.contract.lists import LISTINGS, Listing
from mcpgen.errors import McpgenError
from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.schemas.validation import messages, uri_templates
from mcpgen.servers.recording.follow_up import FollowUpRequest
from mcpgen.testing.answer import METHOD_NOT_FOUND, Answer
from mcpgen.testing.checks.calls import broken_data, faults, of_error, protocol
from mcpgen.testing.contents import leaks
from mcpgen.testing.run_context import RunContext

_MOST_PAGES = 50
_MOST_SHOWN = 3
_BY_METHOD = {listing.method: listing for listing in LISTINGS}
_RESULTS = {
    "tools/call": "CallToolResult",
    "prompts/get": "GetPromptResult",
    "resources/read": "ReadResourceResult",
}
_UTILITIES = {"completion/complete": "CompleteResult"}
_MAX_COMPLETIONS = 100
"""The specification's limit for a response, which the schema only mentions in a comment."""
_UNKNOWN = {"tools/call": "C601", "prompts/get": "C602", "resources/read": "C603"}


def unknown(lab: RunContext, case: Case) -> list[Verdict]:
    """Request an unknown tool, prompt or resource."""
    method = case.data["method"]
    answer = lab.ask(method, case.data["params"])
    if verdicts := [*faults(answer, lab.limits.answer)]:
        return verdicts
    if answer.is_success and not _is_error_text(answer):
        return [Verdict(_UNKNOWN[method], answer.display_text(), "", answer.display_text())]
    on_error = [verdict for verdict in of_error(answer) if verdict.judge != "C204"]
    return [*on_error, *_leaks_of(lab, case, answer)]


def _leaks_of(lab: RunContext, case: Case, answer: Answer) -> Iterator[Verdict]:
    params = json.dumps(case.data["params"], ensure_ascii=False)
    return leaks(answer.text(), params, lab.credentials, "the error")


def _is_error_text(answer: Answer) -> bool:
    text = answer.text().lower()
    return any(phrase in text for phrase in ("unknown", "not found", "no such", "error", "invalid"))


def ping(lab: RunContext, case: Case) -> list[Verdict]:
    """Ping the server. Current SDKs reject pings, so only a result is validated."""
    del case
    answer = lab.ask("ping", {})
    verdicts = [*faults(answer, lab.limits.answer)]
    return verdicts or [*protocol(answer, "EmptyResult", lab.contract.revision)]


def unknown_revision(lab: RunContext, case: Case) -> list[Verdict]:
    """Offer a revision that doesn't exist. The server must name a real one or return an error."""
    offered = case.data["revision"]
    try:
        greeting = lab.session.greeting_to(offered)
    except McpgenError:
        return []
    if not is_object(greeting) or greeting.get("protocolVersion") != offered:
        return []
    detail = f"initialize: it agrees to protocol version {offered}, which doesn't exist"
    return [Verdict("C103", detail, "initialize", brief(json.dumps(greeting)))]


def ids(lab: RunContext, case: Case) -> list[Verdict]:
    """Send IDs that are strings. The connection notices responses with IDs of another type."""
    requests = [FollowUpRequest("tools/list", {})]
    requests += [FollowUpRequest("tools/call", call) for call in case.data.get("calls", [])]
    for at, request in enumerate(requests, 1):
        for number in (f"90000{at}", f"mcpgen-{at}"):
            lab.ask_by(number, request)
    return []


def utility(lab: RunContext, case: Case) -> list[Verdict]:
    """Request a utility of the protocol that the server declares, such as a completion."""
    method = case.data["method"]
    answer = lab.ask(method, case.data["params"])
    if verdicts := [*faults(answer, lab.limits.answer)]:
        return verdicts
    if answer.code == METHOD_NOT_FOUND:
        detail = f"{method}, although the server declares {case.data['capability']}"
        return [Verdict("C103", detail, method, answer.display_text())]
    if answer.is_refusal:
        return [*of_error(answer, is_valid=True), *_leaks_of(lab, case, answer)]
    verdicts = [*protocol(answer, _UTILITIES.get(method, "EmptyResult"), lab.contract.revision)]
    completion = answer.result.get("completion")
    values = completion.get("values") if is_object(completion) else None
    if is_array(values) and len(values) > _MAX_COMPLETIONS:
        detail = f"{method}: {len(values)} values, more than {_MAX_COMPLETIONS}"
        verdicts.append(Verdict("C103", detail, method, answer.display_text()))
    return verdicts


def check_listed(lab: RunContext, case: Case) -> list[Verdict]:
    """Request a listed resource or prompt."""
    method = case.data["method"]
    answer = lab.ask(method, case.data["params"])
    if verdicts := [*faults(answer, lab.limits.answer)]:
        return verdicts
    if answer.is_refusal:
        refused = [Verdict("C608", brief(answer.text()), "", answer.display_text())]
        is_valid = case.subject in lab.filled_in and not case.data.get("is_incomplete")
        verdicts = refused if case.data.get("surely") else [*of_error(answer, is_valid=is_valid)]
        return [*verdicts, *_leaks_of(lab, case, answer)]
    if not case.data.get("is_incomplete"):
        lab.filled_in.add(case.subject)
    return [*protocol(answer, _RESULTS[method], lab.contract.revision), *broken_data(answer)]


def pages(lab: RunContext, case: Case) -> list[Verdict]:
    """Read a list twice, then request a page that doesn't exist."""
    method = case.data["method"]
    listing = _BY_METHOD[method]
    first = _walk(lab, method)
    if isinstance(first, Answer):
        return [*faults(first, lab.limits.answer), *_refusal_of_list(lab, listing, first)]
    keys = [_key(entry, listing.key) for page in first for entry in _entries(page, listing.member)]
    broken = (verdict for page in first for verdict in _broken_list(lab, listing, page))
    verdicts = [*islice(broken, _MOST_SHOWN)]
    repeated = [key for key in dict.fromkeys(keys) if keys.count(key) > 1]
    if len(first) >= _MOST_PAGES:
        return [Verdict("C605", f"{method} has more than {_MOST_PAGES} pages", method)]
    if repeated:
        how = "on two pages" if len(first) > 1 else "twice"
        verdicts.append(Verdict("C605", f"{method} lists {repeated[0]!r} {how}", method))
    second = _walk(lab, method)
    if not isinstance(second, Answer):
        again = [
            _key(entry, listing.key) for page in second for entry in _entries(page, listing.member)
        ]
        if again != keys:
            how = "in another order" if sorted(again) == sorted(keys) else "with other entries"
            verdicts.append(Verdict("C606", f"{method} {how}", method))
    odd = lab.ask(method, {"cursor": "mcpgen-no-such-cursor"})
    verdicts += [*faults(odd, lab.limits.answer)]
    if odd.is_success:
        verdicts.append(Verdict("C604", method, method, odd.display_text()))
    elif odd.code is not None:
        verdicts += [verdict for verdict in of_error(odd) if verdict.judge == "C203"]
    return verdicts


def _refusal_of_list(lab: RunContext, listing: Listing, answer: Answer) -> Iterator[Verdict]:
    """Yield the verdict on a declared but refused list. Few servers have templates."""
    is_declared = listing.capability in lab.contract.capabilities
    if answer.code == METHOD_NOT_FOUND and is_declared and "templates" not in listing.method:
        detail = f"{listing.method}, although the server declares {listing.capability}"
        yield Verdict("C103", detail, listing.method, answer.display_text())


def _broken_list(lab: RunContext, listing: Listing, page: Json) -> Iterator[Verdict]:
    """Judge a page of a list, and its entries, by the official schema of the revision."""
    rest: Json = {**page, listing.member: []}
    for problem in messages.problems(lab.contract.revision, listing.result, rest):
        pattern = f"{listing.method} {problem.pointer}"
        yield Verdict("C103", f"{listing.method} {problem.pointer}: {problem.reason}", pattern)
    for number, entry in enumerate(_entries(page, listing.member)):
        for problem in messages.problems(lab.contract.revision, listing.definition, entry):
            pointer = f"/{listing.member}/{number}{problem.pointer}"
            pattern = f"{listing.method} {re.sub(r'/[0-9]+', '/*', pointer)}"
            yield Verdict("C103", f"{listing.method} {pointer}: {problem.reason}", pattern)
        template = entry.get("uriTemplate") if is_object(entry) else None
        if isinstance(template, str) and not uri_templates.is_well_formed(template):
            detail = f"{listing.method}: {brief(repr(template), 60)} isn't a URI template"
            yield Verdict("C103", detail, f"{listing.method} uriTemplate")


def _walk(lab: RunContext, method: str) -> list[Json] | Answer:
    """Return all pages, or the outcome of the request that failed."""
    result: list[Json] = []
    cursor: Json = None
    for _ in range(_MOST_PAGES):
        answer = lab.ask(method, {} if cursor is None else {"cursor": cursor})
        if not is_object(answer.result):
            return answer
        result.append(answer.result)
        cursor = answer.result.get("nextCursor")
        if not isinstance(cursor, str):
            break
    return result


def _entries(page: Json, member: str) -> list[Json]:
    listed = page.get(member)
    return listed if is_array(listed) else []


def _key(entry: Json, key: str) -> str:
    value = entry.get(key) if is_object(entry) else None
    return value if isinstance(value, str) else json.dumps(entry, sort_keys=True)


def check_offered(lab: RunContext, case: Case) -> list[Verdict]:
    """Check that the server still lists a definition of the contract."""
    listing = _BY_METHOD[case.data["method"]]
    walked = _walk(lab, listing.method)
    if isinstance(walked, Answer):
        return [Verdict("C607", walked.display_text(), case.data["key"])]
    keys = {_key(entry, listing.key) for page in walked for entry in _entries(page, listing.member)}
    return [] if case.data["key"] in keys else [Verdict("C607", "", case.data["key"])]
