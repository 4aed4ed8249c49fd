"""Failures that are repeated before they are reported."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from mcpgen.errors import McpgenError
from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsontext import Json
from mcpgen.testing import confirmation
from mcpgen.testing.answer import Answer
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.checks import calls

REFUSAL = Answer({"isError": True, "content": [{"type": "text", "text": "R0 is taken"}]})
NUMBER: Json = {"type": "object", "properties": {"hour": {"type": "integer", "maximum": 11}}}
CALL = Case("call", "tool plan_lesson", {"arguments": {"hour": 11}})


def answer_of(hour: int) -> Answer:
    text: Json = {"type": "text", "text": "{}"}
    return Answer({"content": [text], "structuredContent": {"hour": hour}})


class Run:
    """A run whose cases fail as planned, in turn. A new process fails if ``fresh`` is True."""

    subjects = None

    def __init__(self, *failing: bool, answer: Answer = REFUSAL, fresh: bool | None = None) -> None:
        self.failing, self.fresh = [*failing], fresh
        self.lab: Any = SimpleNamespace(
            suspects=set(),
            tool=lambda name: {"name": name, "annotations": {"readOnlyHint": False}},
            contract=SimpleNamespace(revision="2025-11-25"),
            limits=SimpleNamespace(answer=5),
            input=lambda _: Schema({"type": "object"}),
            output=lambda _: Schema(NUMBER),
            call_again=lambda *_: answer,
            write_again=lambda _: 2,
            credentials=SimpleNamespace(hide=str),
            has_result=lambda _: True,
            secrets=frozenset(),
            strict=False,
            session=SimpleNamespace(new_process=self.new_process),
        )

    @contextlib.contextmanager
    def new_process(self) -> Iterator[None]:
        if self.fresh is None:
            raise McpgenError("it may not run twice")
        self.failing = [self.fresh]
        yield

    def verdicts(self, case: Case) -> list[Verdict]:
        del case
        is_failing = self.failing.pop(0) if self.failing else False
        return [self.verdict] if is_failing else []

    verdict = Verdict("C908", "it is still listed", "list")


@pytest.mark.parametrize(
    ("answer", "is_confirmed"),
    [(REFUSAL, True), (answer_of(12), True), (answer_of(11), False)],
    ids=["refused", "broken", "fitting"],
)
def test_wrong_result_of_a_write(answer: Answer, *, is_confirmed: bool) -> None:
    (verdict,) = calls.judge_answer(Run().lab, CALL, answer_of(12))
    assert verdict.judge == "C101"
    repeated = confirmation.repeat(Run(answer=answer), CALL, verdict)
    assert repeated is (verdict if is_confirmed else None)


@pytest.mark.parametrize(
    ("run", "is_confirmed"),
    [(Run(True), True), (Run(False, fresh=True), True), (Run(False, fresh=False), False)],
    ids=["again", "new-process", "once"],
)
def test_failure_of_a_full_server(run: Run, *, is_confirmed: bool) -> None:
    repeated = confirmation.repeat(run, Case("entity", "tool add_note"), Run.verdict)
    assert repeated is (Run.verdict if is_confirmed else None)


def test_server_that_runs_once() -> None:
    assert confirmation.repeat(Run(False), Case("entity", "tool add_note"), Run.verdict) is None


@pytest.mark.parametrize(
    ("failing", "detail"),
    [
        ((False, True), "it is still listed at the second call"),
        ((False, False, True), "it is still listed after 2 earlier calls"),
    ],
)
def test_fault_after_further_calls(failing: tuple[bool, ...], detail: str) -> None:
    run = Run(*failing)
    run.verdict = Verdict("C301", "it is still listed", "list")
    repeated = confirmation.repeat(run, CALL, run.verdict)
    assert repeated is not None
    assert repeated.detail == detail
