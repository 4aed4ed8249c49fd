"""The memory of a run: destroyed entities, and those with the most entries."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from mcpgen_runtime.redaction.credentials import Credentials

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json
from mcpgen.testing.answer import Answer
from mcpgen.testing.arguments.entities import count_items
from mcpgen.testing.arguments.fresh_arguments import Renewal
from mcpgen.testing.connection.overheard import Overheard
from mcpgen.testing.run_context import RunContext
from mcpgen.testing.run_options import Limits

READ: Json = {"readOnlyHint": True}
TOOLS: dict[str, Any] = {
    "list_notes": {"name": "list_notes", "inputSchema": {}, "annotations": READ},
    "add_stock": {
        "name": "add_stock",
        "inputSchema": {},
        "annotations": {"readOnlyHint": False},
    },
    "send_stock": {"name": "send_stock", "inputSchema": {}},
    "delete_book": {
        "name": "delete_book",
        "inputSchema": {},
        "annotations": {"readOnlyHint": False, "destructiveHint": True},
    },
}


@pytest.fixture
def lab() -> RunContext:
    session: Any = None
    contract: Any = SimpleNamespace(tools=TOOLS, revision="2025-11-25")
    return RunContext(session, contract, Limits())


def make_result(data: Json) -> Answer:
    return Answer({"content": [], "structuredContent": data})


class Revealing:
    """A session whose handshake, resources and errors show a secret."""

    def __init__(self) -> None:
        self.greetings: list[Json] = [{"instructions": "use s3cret-value"}]

    def ask_all(self, asks: Any, limit: float) -> list[Answer]:
        del limit
        failed = Answer(code=-1, message="failed", error_data={"key": "s3cret-value"})
        read = Answer({"contents": [{"uri": "a:b", "text": "s3cret-value"}]})
        return [failed if ask.method == "tools/call" else read for ask in asks]

    def greeting(self) -> Json:
        return self.greetings.pop() if self.greetings else None

    def flaws(self) -> list[str]:
        return []

    repeated_responses = overheard = flaws


@pytest.mark.parametrize("is_given", [True, False])
def test_secret_outside_results_of_tools(lab: RunContext, *, is_given: bool) -> None:
    session: Any = Revealing()
    credentials = Credentials()
    credentials.add("s3cret-value")
    secrets = frozenset({"s3cret-value"} if is_given else ())
    lab.session, lab.overheard = session, Overheard(credentials, secrets)
    lab.ask("resources/read", {"uri": "a:b"})
    lab.ask("tools/call", {"name": "list_notes"})
    pointers = ["the result of resources/read", "the result of the handshake"] * is_given
    verdicts = lab.overheard.take_verdicts()
    assert {verdict.pointer for verdict in verdicts} == {*pointers, "the data of an error"}
    assert {verdict.judge for verdict in verdicts} == {"C503"}
    once = [verdict.pointer for verdict in verdicts if not verdict.is_repeatable]
    assert once == ["the result of the handshake"] * is_given
    assert lab.overheard.take_verdicts() == []


def test_destroyed_entity(lab: RunContext) -> None:
    lab.note("list_notes", {"book": "b1"}, make_result({"notes": []}))
    lab.note("delete_book", {"book": "b2"}, make_result({}))
    assert not lab.is_destroyed("b1")
    assert lab.is_destroyed("b2")


def test_richest_entity(lab: RunContext) -> None:
    assert lab.richest("book") is None
    for book, notes in (("b1", 2), ("b2", 5), ("b3", 3)):
        lab.note("list_notes", {"book": book}, make_result({"notes": [{"text": "t"}] * notes}))
    assert lab.richest("book") == "b2"
    lab.note("delete_book", {"book": "b2"}, make_result({}))
    assert lab.richest("book") == "b3"


def test_result_without_content(lab: RunContext) -> None:
    lab.note("list_notes", {"book": "b1"}, Answer({"structuredContent": {}}))
    assert [case.name for case in lab.follow_ups] == ["list_notes"]
    lab.note("delete_book", {"book": "b1"}, Answer({}))
    assert [case.name for case, _ in lab.unanswered] == ["delete_book"]


def test_entries_of_deep_result() -> None:
    deep: Json = []
    for _ in range(5_000):
        deep = [deep]
    assert count_items(deep) == 5_000
    assert count_items({"books": [{"tags": ["a", "b"]}, {}]}) == 4


def test_repeated_writes(lab: RunContext, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, Json]] = []
    monkeypatch.setattr(RunContext, "call_again", lambda _, *call: calls.append(call))
    lab.note("add_stock", {"product": "rice", "amount": 3}, make_result({}))
    lab.note("add_stock", {"product": "milk", "amount": 1}, make_result({}))
    lab.note("list_notes", {"product": "rice"}, make_result({}))
    lab.note("send_stock", {"product": "rice"}, make_result({}))  # it acts outside
    case = Case("call", "tool use", {"arguments": {"product": "rice", "amount": 1}})
    assert lab.write_again(case) == 1
    assert calls == [("add_stock", {"product": "rice", "amount": 3})]


def test_broken_result_is_followed_up_once(lab: RunContext) -> None:
    link: Json = {"type": "resource_link", "uri": "stock://rice"}  # a name is required
    for product in ("rice", "milk"):
        lab.note("add_stock", {"product": product}, Answer({"content": [link]}))
    assert [case.data["arguments"] for case in lab.follow_ups] == [{"product": "rice"}]
    lab.note("list_notes", {}, Answer({"content": [link]}))
    assert [case.name for case in lab.follow_ups] == ["add_stock", "list_notes"]


def test_tools_with_changing_results(lab: RunContext) -> None:
    for notes in ([], [{"text": "t"}]):
        lab.note("list_notes", {"book": "b1"}, make_result({"notes": notes}))
        lab.note("add_stock", {"product": "rice"}, make_result({"notes": notes}))
    lab.note("list_notes", {"book": "b2"}, make_result({"notes": []}))
    assert lab.changing == {"list_notes"}


def test_call_without_findings(lab: RunContext) -> None:
    for book, notes in (("b1", []), ("b2", [{"text": "t"}])):
        lab.note("list_notes", {"book": book}, make_result({"notes": notes}))
    assert [lab.is_vain("list_notes", {"book": book}) for book in ("b1", "b2")] == [True, False]


def test_wrong_bytes_are_followed_up(lab: RunContext) -> None:
    image: Json = {"type": "image", "data": "/9j/", "mimeType": "image/png"}  # a JPEG file
    lab.note("list_notes", {}, Answer({"content": [image]}))
    assert [case.name for case in lab.follow_ups] == ["list_notes"]


def test_taken_slot_is_not_asked_for_again(
    lab: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    slots: list[int] = []

    def ask(_: RunContext, method: str, params: Any) -> Answer:
        del method
        slot = params["arguments"]["slot"]
        if slot in slots:
            return Answer({"content": [{"type": "text", "text": "slots"}], "isError": True})
        slots.append(slot)
        return make_result({})

    monkeypatch.setattr(RunContext, "ask", ask)
    assert lab.call_again("add_stock", {"slot": 1}).is_success
    assert lab.call_again("add_stock", {"slot": 1}).is_refusal
    lab.renewals["add_stock"] = Renewal("slot")
    lab.renewals["add_stock"].note({"slot": 1}, has_worked=True)
    for _ in range(3):
        assert lab.call_again("add_stock", {"slot": 1}).is_success
    assert slots == [1, 2, 3, 4]
    assert lab.is_good("add_stock", {"slot": 1})
    slots.append(5)  # by another tool
    assert lab.call_again("add_stock", {"slot": 1}).is_success
    assert slots[-1] == 6
