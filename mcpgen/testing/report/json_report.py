"""The report as one JSON document."""

from __future__ import annotations

import json

from mcpgen.jsontext import Json
from mcpgen.testing.failure import Failure
from mcpgen.testing.outcome import Outcome
from mcpgen.testing.safety import hidden


def render(outcome: Outcome) -> str:
    """Return all failures and what was reached as JSON on several lines."""
    document: dict[str, Json] = {
        "server": outcome.server,
        "revision": outcome.revision,
        "seed": outcome.seed,
        "calls": outcome.calls,
        "tested": outcome.tested,
        "tools": len(outcome.coverage),
        "failed": outcome.fails,
        "stopped": outcome.stopped,
        "counts": outcome.counts(),
        "failures": [entry(failure, outcome) for failure in outcome.failures],
        "coverage": {name: _seen(outcome, name) for name in outcome.coverage},
        "notices": list(outcome.notices),
    }
    return json.dumps(document, indent=2) + "\n"


def entry(failure: Failure, outcome: Outcome) -> dict[str, Json]:
    """Return one failure."""
    judge = failure.judge
    return {
        "judge": judge.id,
        "name": judge.name,
        "level": str(failure.level),
        "fails": failure.level in outcome.fail_on,
        "subject": failure.case.subject,
        "message": judge.summary,
        "detail": failure.verdict.detail,
        "answer": failure.verdict.answer[:1000],
        "check": failure.case.check,
        "data": hidden(failure.case.data),
        "run": failure.line,
        "why": judge.why,
        "hint": judge.fix,
        "calls": failure.calls,
        "fingerprint": failure.fingerprint,
    }


def _seen(outcome: Outcome, name: str) -> dict[str, Json]:
    seen, declared = outcome.coverage[name], set(outcome.declared.get(name, ()))
    return {
        "calls": seen.calls,
        "results": seen.results,
        "errors": dict(sorted(seen.errors.items())),
        "checks": sorted(seen.checks),
        "membersSeen": sorted(declared & seen.members),
        "membersNotSeen": sorted(declared - seen.members),
        "leftOut": seen.left_out,
    }
