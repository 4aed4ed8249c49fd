"""Variables in commands and headers: given, passed on, optional, expanded."""

from __future__ import annotations

from pathlib import Path

import pytest
from resolved_servers import command, word, write_config

from mcpgen.errors import UsageError
from mcpgen.servers.endpoint import Stdio
from mcpgen.servers.endpoint.overrides import Headers, parse_env, parse_headers


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_env_expands_variables_as_headers_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "hidden-value")
    monkeypatch.delenv("NONE", raising=False)
    expanded: dict[str, str] = {}
    arguments = parse_env(["A=${TOKEN}", "B=${NONE:-}", "C=x${NONE:-y}"], expanded)
    assert arguments == {"A": "hidden-value", "B": "", "C": "xy"}
    assert expanded["hidden-value"] == "${TOKEN}"
    with pytest.raises(UsageError, match="NONE"):
        parse_env(["A=${NONE}"])


def test_a_variable_is_given_or_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE", "here")
    assert parse_env(["MINE", "A=b=c", "EMPTY="]) == {
        "MINE": "here",
        "A": "b=c",
        "EMPTY": "",
    }


@pytest.mark.parametrize("item", ["=canary", "a-b=canary", "canary-9 x"])
def test_unparsable_option_is_not_repeated(item: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parse_env([item])
    assert "canary" not in str(refusal.value)
    with pytest.raises(UsageError) as refusal:
        parse_headers([item], {})
    assert "canary" not in str(refusal.value)


def test_variable_with_default_is_recorded_as_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PROXY", raising=False)
    optional: set[str] = set()
    env = parse_env(["A=1", "B=${PROXY:-}", "C=${PROXY:-c}"], None, optional)
    assert (env, optional) == ({"A": "1", "C": "c"}, {"B", "C"})
    origin = command("server", env=env, optional=frozenset(optional)).origin().document
    assert (origin["env"], origin["optionalEnv"]) == (["A"], ["B", "C"])


def test_variable_with_default_in_configuration_is_optional() -> None:
    write_config({"command": "run", "env": {"A": "${UNSET_OF_TEST:-}", "B": "1"}})
    origin = word("it").origin().document
    assert (origin["env"], origin["optionalEnv"]) == (["B"], ["A"])


def test_variable_of_machine_is_optional() -> None:
    origin = command("server", env={"SSL_CERT_FILE": "/x.pem"}).origin().document
    assert "env" not in origin
    assert origin["optionalEnv"] == ["SSL_CERT_FILE"]


def test_a_header_may_take_its_value_from_the_environment() -> None:
    assert parse_headers(["A: Bearer ${B}", "C:d"], {"B": "x"}) == Headers(
        sent_headers={"A": "Bearer x", "C": "d"},
        written={"A": "Bearer ${B}", "C": "d"},
        expanded={"x": "${B}"},
    )


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("${SET}", "value"),
        ("${env:SET}", "value"),
        ("a${SET}b${SET}", "avaluebvalue"),
        ("${NOT_SET:-other}", "other"),
        ("${NOT_SET:-}", ""),
        ("${EMPTY:-other}", "other"),
        ("$SET", "$SET"),
    ],
)
def test_variables_are_expanded(written: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SET", "value")
    monkeypatch.setenv("EMPTY", "")
    write_config({"command": "run", "args": [written], "env": {"A": written}})
    target = word("it")
    assert isinstance(target, Stdio)
    assert target.argv == ("run", value)
    assert target.env.get("A", "") == value  # one with an empty default is not passed
