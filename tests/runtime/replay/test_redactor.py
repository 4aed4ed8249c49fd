"""Redaction of recorded calls, and matching of calls in replay."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from mcpgen_runtime.replay.call_records import RecordedCall
from mcpgen_runtime.replay.recorded_calls import NoSuchCallError, RecordedCalls, StaleCallError
from mcpgen_runtime.replay.redactor import REDACTED, Redaction, is_secret_name

SECRETS = [
    "sk-abcdefghij0123456789",
    "ghp_abcdefghijklmnop0123456789",
    "AKIAABCDEFGHIJKLMNOP",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
]


def redact(arguments: Any, *rules: Any, result: Any = None) -> RecordedCall:
    return Redaction.from_rules(rules).redact_call(
        RecordedCall("tool", "t", arguments, result or {})
    )


@pytest.mark.parametrize("secret", SECRETS)
def test_secret_inside_a_string_is_redacted(secret: str) -> None:
    call = redact({"text": f"it is {secret}."})
    assert call.arguments == {"text": f"it is {REDACTED}."}
    assert call.redacted == ("/arguments/text",)


def test_credentials_are_left_out_of_addresses_and_headers() -> None:
    call = redact({"url": "https://me:pw@example.org/a", "header": "Bearer abcdefgh12"})
    assert call.arguments == {
        "url": f"https://{REDACTED}@example.org/a",
        "header": f"Bearer {REDACTED}",
    }


@pytest.mark.parametrize(
    "name", ["token", "accessToken", "api_key", "APIKey", "client-secret", "password", "authToken"]
)
def test_property_named_like_a_secret_is_redacted(name: str) -> None:
    assert is_secret_name(name)
    assert redact({name: "short"}).arguments == {name: REDACTED}


@pytest.mark.parametrize(
    "name",
    [
        *("key", "keys", "user", "email", "page_token", "nextPageToken", "max_tokens", "tokens"),
        *("token_count", "passed", "author", "authority", "compass", "session", "tokenType"),
    ],
)
def test_property_with_a_similar_name_is_kept(name: str) -> None:
    assert redact({name: "short"}).redacted == ()


def test_number_or_boolean_with_a_secret_name_is_kept() -> None:
    assert redact({"token": 7, "password": True, "secret": None}).redacted == ()


def test_replacement_matches_the_format_of_the_value() -> None:
    values = {
        "a": "eve@example.org",
        "b": "123e4567-e89b-12d3-a456-426614174000",
        "c": "2024-05-06T07:08:09Z",
        "d": "2024-05-06",
        "e": "https://a.example/b?c",
        "f": "0123",
        "g": "word",
        "h": 1.5,
        "i": True,
        "j": None,
        "k": {"l": ["word", 3]},
    }
    assert redact(values, *values).arguments == {
        "a": "redacted@example.com",
        "b": "00000000-0000-0000-0000-000000000000",
        "c": "2000-01-01T00:00:00Z",
        "d": "2000-01-01",
        "e": "https://example.com/redacted",
        "f": "0000",
        "g": REDACTED,
        "h": 0,
        "i": False,
        "j": None,
        "k": {"l": [REDACTED, 0]},
    }


def test_rule_paths_name_parents_and_skip_arrays() -> None:
    users = {"users": [{"name": "Ada", "pet": {"name": "Tom"}}], "name": "x"}
    assert redact(users, "users.name").arguments == {
        "users": [{"name": REDACTED, "pet": {"name": "Tom"}}],
        "name": "x",
    }


def test_redacted_value_is_redacted_everywhere() -> None:
    text = {"type": "text", "text": "Ada Lovelace was found"}
    call = redact({"who": "Ada Lovelace"}, "who", result={"content": [text]})
    assert call.result == {"content": [{"type": "text", "text": f"{REDACTED} was found"}]}
    assert call.redacted == ("/arguments/who", "/result/content/0/text")


def test_json_in_a_string_stays_json() -> None:
    inner = json.dumps({"token": "abc", "n": 1.50}, indent=2)
    call = redact({"a": inner, "b": '{"n":  1}', "c": "{no json"})
    assert json.loads(call.arguments["a"]) == {"token": REDACTED, "n": 1.5}
    assert call.arguments["b"] == '{"n":  1}'
    assert call.redacted == ("/arguments/a",)


def test_pointers_are_escaped() -> None:
    assert redact({"a/b": {"c~d": "x"}}, "c~d").redacted == ("/arguments/a~1b/c~0d",)


def test_patterns_are_left_out_of_names_of_resources() -> None:
    call = Redaction.from_rules([re.compile(r"\d+")]).redact_call(
        RecordedCall("resource", "a://7", {}, {})
    )
    assert (call.name, call.redacted) == (f"a://{REDACTED}", ("/name",))


# Which call answers


def recorded_call(number: int, arguments: Any, **more: Any) -> RecordedCall:
    return RecordedCall("tool", "t", arguments, {"n": number}, number=number, **more)


def test_numbers_are_equal_by_value_and_differ_from_booleans() -> None:
    answers = RecordedCalls([recorded_call(1, {"a": True}), recorded_call(2, {"a": 1})])
    assert answers.take("tool", "t", {"a": 1.0}).number == 2
    assert answers.take("tool", "t", {"a": True}).number == 1


def test_redacted_values_match_anything() -> None:
    call = recorded_call(1, {"who": REDACTED, "n": 1}, redacted=["/arguments/who"])
    answers = RecordedCalls([call], repeats=True)
    assert answers.take("tool", "t", {"who": "Ada", "n": 1}) is call
    for arguments in ({"n": 1}, {"who": "Ada", "n": 2}, {"who": "Ada"}):
        with pytest.raises(NoSuchCallError):
            answers.take("tool", "t", arguments)


def test_call_of_the_current_definition_is_preferred() -> None:
    old, new = recorded_call(1, {}, definition="old"), recorded_call(2, {}, definition="new")
    answers = RecordedCalls([old, new])
    assert answers.take("tool", "t", {}, "new") is new
    with pytest.raises(StaleCallError, match="line 1"):
        RecordedCalls([old]).take("tool", "t", {}, "new")
    assert RecordedCalls([recorded_call(1, {})]).take("tool", "t", {}, "new").number == 1


def test_nearest_call_has_the_fewest_differences() -> None:
    answers = RecordedCalls(
        [recorded_call(1, {"a": 1, "b": 2}), recorded_call(2, {"a": 1, "b": 3, "c": [1, {}]})]
    )
    with pytest.raises(NoSuchCallError) as caught:
        answers.take("tool", "t", {"a": 1, "b": 3, "c": [2, {}]})
    assert (caught.value.nearest, list(caught.value.differences)) == (
        2,
        ["/c/0: recorded 1, now 2"],
    )
    with pytest.raises(NoSuchCallError) as caught:
        answers.take("tool", "t", {str(n): n for n in range(9)})
    assert caught.value.differences[-1] == "and 6 more"
