"""Concurrent writes have the effect of the same writes in a row."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json
from mcpgen.servers.recording.follow_up import FollowUpRequest
from mcpgen.testing.answer import Answer
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.checks import concurrency

READS: list[Json] = [{"name": "show", "arguments": {}}]


class Lab:
    """A pantry. Of concurrent calls, only the last counts if it ``forgets`` the others."""

    def __init__(self, *, stock: float = 50, forgets: bool = False) -> None:
        self.stock, self.forgets = stock, forgets
        self.renewals: dict[str, Any] = {}
        self.noted: list[Json] = []

    def ask(self, method: str, params: Json) -> Answer:
        del method, params
        return make_result({"products": [{"name": "rice", "id": 9, "amount": self.stock}]})

    def ask_all(self, asks: Sequence[FollowUpRequest]) -> list[Answer]:
        before = self.stock
        answers = [self.use(ask.params["arguments"]["amount"]) for ask in asks]
        if self.forgets:
            self.stock = before - asks[0].params["arguments"]["amount"]
        return answers

    def call_again(self, tool: str, arguments: Any) -> Answer:
        if tool == "stock":
            self.stock += 100
            return make_result({})
        return self.use(arguments["amount"])

    def use(self, amount: float) -> Answer:
        if amount > self.stock:
            return Answer({"content": [], "isError": True})
        self.stock -= amount
        return make_result({})

    def renew(self, tool: str, arguments: Json) -> Json:
        del tool
        return arguments

    def note(self, tool: str, arguments: Json, answer: Answer) -> None:
        del tool, answer
        self.noted.append(arguments)


def make_result(data: Json) -> Answer:
    return Answer({"content": [], "structuredContent": data})


def details(lab: Lab, **data: Json) -> list[str]:
    context: Any = lab
    case = Case("adds", "tool use", {"arguments": {"amount": 2}, "reads": READS, **data})
    return [verdict.detail for verdict in concurrency.additive(context, case)]


def test_lost_amount() -> None:
    text = "3 calls in a row change amount in show by -6, at once by -2"
    assert details(Lab(forgets=True)) == [text]
    lab = Lab()
    assert details(lab) == []
    assert lab.noted == [{"amount": 2}] * 3


@pytest.mark.parametrize("before", [[], [{"name": "stock", "arguments": {}}]], ids=len)
def test_write_before_use(before: list[Json]) -> None:
    lab = Lab(stock=1, forgets=True)
    assert len(details(lab, before=before)) == len(before)


def test_sums_of_numbers() -> None:
    data = {"items": [{"id": 7, "price": 2}, {"price": 1.5, "views": 3}], "total": 2}
    assert concurrency._sums(data) == {"": 2, "price": 3.5, "total": 2}


def test_failing_small_amounts() -> None:
    lab = Lab(stock=10)
    context: Any = lab
    case = Case("adds", "tool use", {"arguments": {"amount": 2}, "small": {"amount": 99}})
    assert concurrency._repeatable_arguments(context, case) == {"amount": 2}
    case.data["small"] = {"amount": 1}
    assert concurrency._repeatable_arguments(context, case) == {"amount": 1}


class Shelf(Lab):
    """A set of books. With ``forgets``, only the first of several concurrent calls counts."""

    def __init__(self, *, forgets: bool = False) -> None:
        super().__init__(forgets=forgets)
        self.books = {"a"}

    def ask(self, method: str, params: Json) -> Answer:
        del method, params
        return make_result({"books": sorted(self.books)})

    def ask_all(self, asks: Sequence[FollowUpRequest]) -> list[Answer]:
        for ask in asks[:1] if self.forgets else asks:
            self.books.add(ask.params["arguments"]["book"])
        return [make_result({})] * len(asks)

    def input(self, tool: str) -> Schema:
        del tool
        return Schema({"type": "object"})

    def call_again(self, tool: str, arguments: Any) -> Answer:
        self.books.add(arguments["book"])
        return make_result({})


def members(lab: Shelf, *added: str) -> list[str]:
    context: Any = lab
    data: Json = {"reads": READS, "others": [{"book": name} for name in added]}
    case = Case("adds", "tool put", {"arguments": {"book": "a"}, **data})
    return [verdict.detail for verdict in concurrency.additive(context, case)]


def test_members_added_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency, "_PAUSE", 0)
    detail = "3 calls at once add 1 entries to show, and the same in a row 2 more"
    assert members(Shelf(forgets=True), "b", "c", "d") == [detail]
    assert members(Shelf(), "b", "c", "d") == []
    assert members(Shelf(forgets=True)) == []


def test_members_added_before() -> None:
    assert members(Shelf(forgets=True), "a", "a", "a") == []


class Slots(Lab):
    """A calendar. Of concurrent calls for a slot, all work if it ``forgets`` to look first."""

    def __init__(self, *, forgets: bool = False) -> None:
        super().__init__(forgets=forgets)
        self.renewals = {"book": None}
        self.taken: set[Json] = set()
        self.day = 0

    def renew(self, tool: str, arguments: Json) -> Json:
        del tool
        self.day += 1
        return {**arguments, "day": self.day}

    def ask_all(self, asks: Sequence[FollowUpRequest]) -> list[Answer]:
        day = asks[0].params["arguments"]["day"]
        is_free = day not in self.taken
        self.taken.add(day)
        refused = Answer({"content": [], "isError": True})
        first = make_result({}) if is_free else refused
        return [first, *[first if self.forgets else refused] * (len(asks) - 1)]


@pytest.mark.parametrize("forgets", [True, False])
def test_slot_taken_twice(*, forgets: bool) -> None:
    context: Any = Slots(forgets=forgets)
    verdicts = concurrency._taken_twice(
        context, Case("adds", "tool book", {"arguments": {"day": 0}})
    )
    detail = "3 of 3 equal calls at once work, and one of 2 in a row"
    assert [verdict.detail for verdict in verdicts] == [detail] * forgets


def test_free_slot() -> None:
    class Free(Slots):
        def ask_all(self, asks: Sequence[FollowUpRequest]) -> list[Answer]:
            return [make_result({})] * len(asks)

    context: Any = Free()
    case = Case("adds", "tool book", {"arguments": {"day": 0}})
    assert concurrency._taken_twice(context, case) == []


class Seats(Lab):
    """Seats 0 to 3. The first two are taken. Two calls at once both get a seat."""

    def __init__(self, *, is_racy: bool) -> None:
        super().__init__()
        self.taken, self.is_racy, self.next = {0, 1}, is_racy, 0
        self.renewals = {"use": SimpleNamespace(advance=self.advance)}

    def input(self, tool: str) -> None:
        del tool

    def advance(self, schema: None, arguments: Json) -> Json:
        del schema, arguments
        self.next += 1
        return {"slot": self.next}

    def ask_all(self, asks: Sequence[FollowUpRequest]) -> list[Answer]:
        before, answers = {*self.taken}, list[Answer]()
        for ask in asks:
            slot = ask.params["arguments"]["slot"]
            is_taken = slot in (before if self.is_racy else self.taken)
            self.taken.add(slot)
            answers.append(Answer({"content": [], "isError": is_taken}))
        return answers


@pytest.mark.parametrize(("is_racy", "count"), [(True, 1), (False, 0)])
def test_free_slot_taken_twice(*, is_racy: bool, count: int) -> None:
    lab: Any = Seats(is_racy=is_racy)
    case = Case("adds", "tool use", {"arguments": {"slot": 0}})
    assert len(concurrency._taken_twice(lab, case)) == count
