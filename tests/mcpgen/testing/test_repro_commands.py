"""Commands that reproduce a case hide secrets."""

from __future__ import annotations

from mcpgen.findings.contract_tests import Case
from mcpgen.testing.arguments import safety
from mcpgen.testing.repro_commands import Lines


def test_given_secret_is_not_stored_and_comes_from_environment() -> None:
    data = {"arguments": {"apiKey": "abc", "id": "x", "password": ""}}
    result = safety.redact(data)
    assert result["arguments"] == {"apiKey": "${API_KEY}", "id": "x", "password": ""}
    assert safety.shown_again(result, {"API_KEY": "abc"}) == data
    assert safety.shown_again(result, {}) == result
    line = Lines(server="demo").line_for(Case("call", "tool unlock", data))
    assert "abc" not in line


def test_a_secret_is_hidden_wherever_a_case_has_it() -> None:
    secret = {"login": {"password": "hunter2-hunter2"}, "id": "x"}
    data = {
        "calls": [{"name": "unlock", "arguments": secret}],
        "reads": [{"method": "tools/call", "params": {"name": "get_token", "arguments": secret}}],
        "source": {"tool": "unlock", "arguments": secret, "parents": [], "member": "id"},
        "arguments": {"pin": 123456},
    }
    result = safety.redact(data)
    assert "hunter2" not in str(result)
    assert "123456" not in str(result)
    assert result["calls"][0]["arguments"] == {"login": {"password": "${PASSWORD}"}, "id": "x"}
    assert safety.shown_again(result, {"PASSWORD": "hunter2-hunter2", "PIN": "123456"}) == {
        **data,
        "arguments": {"pin": "123456"},
    }
    by_tool = {"calls": {"get_token": [{"token": "abcdefgh1"}]}}
    assert safety.redact(by_tool) == {"calls": {"get_token": [{"token": "${TOKEN}"}]}}
    assert safety.secrets_of(data).replace("no 123456, hunter2-hunter2") == "no ${PIN}, ${PASSWORD}"
    case = Case("chain", "tool x", {**data, "argument": "id"})
    assert "hunter2" not in Lines(server="demo").line_for(case)
