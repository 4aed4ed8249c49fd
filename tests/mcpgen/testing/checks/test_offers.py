"""Lists of definitions, judged by the official schema."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

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
