"""The report as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

from mcpgen.contract.lists import LISTINGS
from mcpgen.findings import sarif
from mcpgen.findings.sarif import SarifResult, SarifRule
from mcpgen.jsonpointer import pointer
from mcpgen.testing.failure import Failure
from mcpgen.testing.outcome import Outcome

_LISTS = {listing.definition.lower(): listing.member for listing in LISTINGS}


def render(outcome: Outcome, *, file: str = "", text: str = "") -> str:
    """Return one run; ``file`` and ``text`` are the contract's, if it is a file."""
    return sarif.render(map(_result, outcome.failures), file=file, text=text)


def _result(failure: Failure) -> SarifResult:
    subject = failure.case.subject
    kind, _, name = subject.partition(" ")
    said = [failure.judge.summary, failure.verdict.detail, failure.line]
    return SarifResult(
        rule=SarifRule.of(failure.judge),
        level=str(failure.level),
        subject=subject,
        path="",
        pointer=pointer((_LISTS[kind], name)) if kind in _LISTS else "",
        message=": ".join(filter(None, said)),
        fingerprint=failure.fingerprint,
    )
