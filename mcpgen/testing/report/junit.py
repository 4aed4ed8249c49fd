"""The report as JUnit XML: one case for each tool and judge that was asked of it."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from mcpgen_runtime.display import visible

from mcpgen.testing.failure import Failure
from mcpgen.testing.outcome import Outcome


def render(outcome: Outcome) -> str:
    """Return one suite; what is no failure here, by its level, is in a case's output."""
    by_subject: dict[str, list[Failure]] = {f"tool {name}": [] for name in outcome.coverage}
    for failure in outcome.failures:
        by_subject.setdefault(failure.case.subject, []).append(failure)
    cases = [line for each in by_subject for line in _cases(outcome, each, by_subject[each])]
    failed = sum(failure.level in outcome.fail_on for failure in outcome.failures)
    skipped = sum(bool(seen.left_out) for seen in outcome.coverage.values())
    count = sum("<testcase " in line for line in cases)
    head = (
        f'<testsuite name={_attribute(f"mcpgen test {outcome.server}")} tests="{count}"'
        f' failures="{failed}" skipped="{skipped}" errors="0">'
    )
    tested = f"{outcome.tested} of {len(outcome.coverage)} tools tested"
    named = f"<property name={_attribute('tested')} value={_attribute(tested)}/>"
    head += f"<properties>{named}</properties>"
    lines = ['<?xml version="1.0" encoding="utf-8"?>', "<testsuites>", head, *cases]
    return "\n".join([*lines, "</testsuite>", "</testsuites>"]) + "\n"


def _cases(outcome: Outcome, subject: str, failures: list[Failure]) -> list[str]:
    kind, _, name = subject.partition(" ")
    seen = outcome.coverage.get(name) if kind == "tool" else None
    if not failures:
        named = f"<testcase classname={_attribute(subject)} name={_attribute('all judges')}"
        if seen is not None and seen.left_out:
            return [f"{named}><skipped message={_attribute(seen.left_out)}/></testcase>"]
        return [f"{named}/>"]
    return [_case(outcome, subject, failure) for failure in failures]


def _case(outcome: Outcome, subject: str, failure: Failure) -> str:
    judge = failure.judge
    text = "\n".join(filter(None, (failure.verdict.answer, failure.line)))
    message = f"{judge.summary}: {failure.verdict.detail}".removesuffix(": ")
    name = f"{judge.id} {judge.name} {failure.fingerprint}"
    head = f"<testcase classname={_attribute(subject)} name={_attribute(name)}>"
    if failure.level in outcome.fail_on:
        body = f"<failure message={_attribute(message)} type={_attribute(judge.id)}>"
        return f"{head}{body}{_text(text)}</failure></testcase>"
    return f"{head}<system-out>{_text(f'{failure.level}: {message}')}</system-out></testcase>"


def _attribute(text: str) -> str:
    return quoteattr(visible(text).replace("\n", " "))


def _text(text: str) -> str:
    return escape(visible(text))
