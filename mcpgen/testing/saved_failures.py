"""Reads and writes the file of failed cases, for repeating them."""

from __future__ import annotations

import os

from mcpgen_runtime.redaction.credentials import CREDENTIALS

from mcpgen import jsontext
from mcpgen.errors import UsageError
from mcpgen.findings.contract_tests import Case, Outcome
from mcpgen.findings.rules.tests.catalogue import JUDGES
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.testing.arguments.safety import redact, shown_again
from mcpgen.testing.checks.catalogue import CHECKS

VERSION = 1


def text(outcome: Outcome) -> str:
    """Return the file of a run."""
    failures = [
        {
            "judge": failure.verdict.judge,
            "detail": failure.verdict.detail,
            "check": failure.case.check,
            "subject": failure.case.subject,
            "data": redact(failure.case.data),
        }
        for failure in outcome.failures
    ]
    document = {"mcpgenTest": VERSION, "seed": outcome.seed, "failures": failures}
    return jsontext.dumps(CREDENTIALS.strip(document))


def read(content: bytes, where: str) -> tuple[int, list[tuple[Case, str]]]:
    """Return the seed of a file, and its cases, each with the rule that reported it."""
    document = jsontext.loads(content, where)
    if not is_object(document) or document.get("mcpgenTest") != VERSION:
        hint = "mcpgen test --keep FILE writes one"
        raise UsageError(f"the file isn't from mcpgen test with mcpgenTest: {VERSION}", where, hint)
    seed, failures = document.get("seed"), document.get("failures")
    if not isinstance(seed, int) or not is_array(failures):
        raise UsageError("a number seed and a list failures are needed", where)
    return seed, [_case(value, f"{where}#/failures/{at}") for at, value in enumerate(failures)]


def _case(entry: Json, where: str) -> tuple[Case, str]:
    if not is_object(entry) or not is_object(entry.get("data")):
        raise UsageError("the entry isn't a stored failure", where)
    check, judge, subject = entry.get("check"), entry.get("judge"), entry.get("subject")
    if not (isinstance(check, str) and isinstance(judge, str) and isinstance(subject, str)):
        raise UsageError("the entry isn't a stored failure", where)
    if check not in CHECKS or judge not in JUDGES:
        raise UsageError("this version of mcpgen doesn't know the failure", where)
    return Case(check, subject, shown_again(entry["data"], os.environ)), judge
