"""The report as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

from mcpgen.compare.report.line_numbers import line_numbers
from mcpgen.compare.report.sarif import document, location
from mcpgen.compare.texts.unmistakable import unmistakable
from mcpgen.jsonpointer import pointer
from mcpgen.jsontext import Json
from mcpgen.linting.report.sarif import described
from mcpgen.testing.failure import Failure
from mcpgen.testing.outcome import Outcome

_LISTS = {
    "tool": "tools",
    "prompt": "prompts",
    "resource": "resources",
    "resourcetemplate": "resourceTemplates",
}


def render(outcome: Outcome, *, file: str = "", text: str = "") -> str:
    """Return one run; ``file`` and ``text`` are the contract's, if it is a file."""
    numbers = line_numbers(text) if text else {}
    judges = {failure.judge.id: failure.judge for failure in outcome.failures}
    return document(
        (described(judges[key]) for key in sorted(judges)),
        (_result(failure, file, numbers) for failure in outcome.failures),
    )


def _result(failure: Failure, file: str, numbers: dict[str, int]) -> Json:
    kind, _, name = failure.case.subject.partition(" ")
    at = pointer((_LISTS[kind], name)) if kind in _LISTS else ""
    message = f"{failure.case.subject}: {failure.judge.summary}: {failure.verdict.detail}"
    message = message.removesuffix(": ")
    if failure.line:
        message += f"\n{failure.line}"
    return {
        "ruleId": failure.judge.id,
        "level": str(failure.level),
        "message": {"text": unmistakable(message)},
        "locations": [location(at, failure.case.subject, file, numbers)],
        "partialFingerprints": {"mcpgen/v1": failure.fingerprint},
    }
