"""Lists of definitions, validated by the official schema."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from mcpgen_runtime.redaction.credentials import Credentials

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json
from mcpgen.testing.answer import Answer
from mcpgen.testing.checks import offers

TEMPLATE: Json = {"uriTemplate": "books://{id}", "name": "book"}


@pytest.mark.parametrize(
    ("template", "details"),
    [
        (TEMPLATE, []),
        (
            {"uriTemplate": "books://{id}"},
            ["resources/templates/list /resourceTemplates/0: 'name' is a required property"],
        ),
        (
            {"uriTemplate": "books://{id", "name": "book"},
            ["resources/templates/list: 'books://{id' isn't a URI template"],
        ),
    ],
)
def test_broken_definition_in_list(template: Json, details: list[str]) -> None:
    def ask(method: str, params: Json) -> Answer:
        del method
        if "cursor" in params:
            return Answer(code=-32602, message="unknown cursor")
        return Answer({"resourceTemplates": [template]})

    contract = SimpleNamespace(revision="2025-11-25")
    lab: Any = SimpleNamespace(ask=ask, contract=contract, limits=SimpleNamespace(answer=5))
    case = Case("pages", "server", {"method": "resources/templates/list"})
    verdicts = [verdict for verdict in offers.pages(lab, case) if verdict.judge == "C103"]
    assert [verdict.detail for verdict in verdicts] == details


@pytest.mark.parametrize(
    ("answer", "details"),
    [
        (Answer({}), []),
        (Answer(code=-32601, message="no such method"), []),
        (Answer({"_meta": 3}), ["/_meta: 3 is not of type 'object'"]),
    ],
    ids=["answered", "refused", "broken"],
)
def test_ping(answer: Answer, details: list[str]) -> None:
    contract = SimpleNamespace(revision="2025-11-25")
    limits = SimpleNamespace(answer=5)
    lab: Any = SimpleNamespace(ask=lambda *_: answer, contract=contract, limits=limits)
    verdicts = offers.ping(lab, Case("ping", "server"))
    assert [verdict.detail for verdict in verdicts] == details
    assert {verdict.judge for verdict in verdicts} <= {"C103"}


def test_name_listed_twice() -> None:
    def ask(method: str, params: Json) -> Answer:
        del method, params
        return Answer({"resourceTemplates": [TEMPLATE, TEMPLATE]})

    contract = SimpleNamespace(revision="2025-11-25")
    lab: Any = SimpleNamespace(ask=ask, contract=contract, limits=SimpleNamespace(answer=5))
    case = Case("pages", "server", {"method": "resources/templates/list"})
    (verdict, _) = offers.pages(lab, case)  # and it accepts an unknown cursor
    assert verdict.judge == "C605"
    assert verdict.detail == "resources/templates/list lists 'books://{id}' twice"


@pytest.mark.parametrize(
    ("method", "declared", "details"),
    [
        ("prompts/list", ["prompts"], ["prompts/list, although the server declares prompts"]),
        ("prompts/list", [], []),
        ("resources/templates/list", ["resources"], []),
    ],
)
def test_refused_list(method: str, declared: list[str], details: list[str]) -> None:
    refused = Answer(code=-32601, message="no such method")
    contract = SimpleNamespace(revision="2025-11-25", capabilities=declared)
    limits = SimpleNamespace(answer=5)
    lab: Any = SimpleNamespace(ask=lambda *_: refused, contract=contract, limits=limits)
    verdicts = offers.pages(lab, Case("pages", "server", {"method": method}))
    assert [verdict.detail for verdict in verdicts] == details


def test_cursor_null() -> None:
    page = Answer({"resourceTemplates": [TEMPLATE], "nextCursor": None})
    contract = SimpleNamespace(revision="2025-11-25")
    limits = SimpleNamespace(answer=5)
    lab: Any = SimpleNamespace(ask=lambda *_: page, contract=contract, limits=limits)
    case = Case("pages", "server", {"method": "resources/templates/list"})
    details = [verdict.detail for verdict in offers.pages(lab, case) if verdict.judge == "C103"]
    assert details == ["resources/templates/list /nextCursor: None is not of type 'string'"]


@pytest.mark.parametrize(
    ("answer", "details"),
    [
        (Answer({"completion": {"values": ["Ada"]}}), []),
        (Answer({"completion": {"values": ["a"] * 101}}), ["101 values, more than 100"]),
        (Answer({"completion": {}}), ["'values' is a required property"]),
        (Answer(code=-32601, message="no such method"), ["although the server declares x"]),
        (Answer(code=-32602, message="unknown argument 'a'"), []),
    ],
    ids=["answered", "too-many", "broken", "missing", "refused"],
)
def test_completion(answer: Answer, details: list[str]) -> None:
    lab: Any = SimpleNamespace(
        ask=lambda *_: answer,
        contract=SimpleNamespace(revision="2025-11-25"),
        limits=SimpleNamespace(answer=5),
        credentials=Credentials(),
    )
    case = Case("utility", "server", {"method": "completion/complete", "params": {}})
    case.data["capability"] = "x"
    verdicts = offers.utility(lab, case)
    assert [verdict.judge for verdict in verdicts] == ["C103"] * len(details)
    pairs = zip(verdicts, details, strict=True)
    assert all(verdict.detail.endswith(detail) for verdict, detail in pairs)
