"""Requests of prompts, and of the utilities that a server declares."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json
from mcpgen.testing.plan import offers

PROMPT: Json = {
    "name": "letter",
    "arguments": [{"name": "topic", "required": True}, {"name": "tone"}],
}


def params_of(contract: Contract, *methods: str) -> list[Json]:
    subjects: Any = SimpleNamespace(lab=SimpleNamespace(contract=contract), seed=0)
    cases = [*offers.of_server(subjects)]
    return [case.data["params"] for case in cases if case.data.get("method") in methods]


def contract_of(**capabilities: Json) -> Contract:
    return Contract({}, "2025-11-25", capabilities=capabilities, prompts={"letter": PROMPT})


def test_prompt_without_its_required_argument() -> None:
    listed = params_of(contract_of(), "prompts/get")
    assert {frozenset(item.get("arguments", {})) for item in listed} >= {
        frozenset({"topic", "tone"}),
        frozenset({"topic"}),
        frozenset({"tone"}),
    }


def test_completions_of_prompt_arguments() -> None:
    listed = params_of(contract_of(completions={}), "completion/complete")
    assert {item["argument"]["name"] for item in listed} == {"topic", "tone"}
    assert "" in {item["argument"]["value"] for item in listed}
    assert params_of(contract_of(), "completion/complete") == []


def test_log_levels() -> None:
    levels = [item["level"] for item in params_of(contract_of(logging={}), "logging/setLevel")]
    assert levels[-1] == "debug"


def test_unknown_prompt_with_known_arguments() -> None:
    first, *_ = params_of(contract_of(), "prompts/get")
    assert first["name"] != "letter"
    assert first["arguments"].keys() == {"topic", "tone"}


def test_unknown_prompt_for_malformed_arguments() -> None:
    broken: Json = {"name": "letter", "arguments": [{"required": True}, 7]}
    contract = Contract({}, "2025-11-25", capabilities={}, prompts={"letter": broken})
    first, *_ = params_of(contract, "prompts/get")
    assert first["name"] != "letter"
