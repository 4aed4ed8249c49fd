"""What is left out of recorded calls, and which recorded call answers one."""

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


def applied(arguments: Any, *rules: Any, result: Any = None) -> RecordedCall:
    return Redaction.from_rules(rules).redact_call(
        RecordedCall("tool", "t", arguments, result or {})
    )


@pytest.mark.parametrize("secret", SECRETS)
def test_what_looks_like_a_secret_is_left_out_of_a_text(secret: str) -> None:
    call = applied({"text": f"it is {secret}."})
    assert call.arguments == {"text": f"it is {REDACTED}."}
    assert call.redacted == ("/arguments/text",)


def test_credentials_are_left_out_of_addresses_and_headers() -> None:
    call = applied({"url": "https://me:pw@example.org/a", "header": "Bearer abcdefgh12"})
    assert call.arguments == {
        "url": f"https://{REDACTED}@example.org/a",
        "header": f"Bearer {REDACTED}",
    }


@pytest.mark.parametrize(
    "name", ["token", "accessToken", "api_key", "APIKey", "client-secret", "password", "authToken"]
)
def test_a_member_that_is_called_like_a_secret_is_one(name: str) -> None:
    assert is_secret_name(name)
    assert applied({name: "short"}).arguments == {name: REDACTED}


@pytest.mark.parametrize(
    "name",
    [
        *("key", "keys", "user", "email", "page_token", "nextPageToken", "max_tokens", "tokens"),
        *("token_count", "passed", "author", "authority", "compass", "session", "tokenType"),
    ],
)
def test_a_member_that_only_sounds_like_a_secret_is_kept(name: str) -> None:
    assert applied({name: "short"}).redacted == ()


def test_a_number_or_flag_with_the_name_of_a_secret_is_kept() -> None:
    assert applied({"token": 7, "password": True, "secret": None}).redacted == ()


def test_what_takes_the_place_of_a_value_has_its_form() -> None:
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
    assert applied(values, *values).arguments == {
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


def test_a_member_of_another_is_named_with_it_and_lists_do_not_count() -> None:
    users = {"users": [{"name": "Ada", "pet": {"name": "Tom"}}], "name": "x"}
    assert applied(users, "users.name").arguments == {
        "users": [{"name": REDACTED, "pet": {"name": "Tom"}}],
        "name": "x",
    }


def test_a_value_that_was_left_out_is_left_out_everywhere() -> None:
    text = {"type": "text", "text": "Ada Lovelace was found"}
    call = applied({"who": "Ada Lovelace"}, "who", result={"content": [text]})
    assert call.result == {"content": [{"type": "text", "text": f"{REDACTED} was found"}]}
    assert call.redacted == ("/arguments/who", "/result/content/0/text")


def test_json_in_a_text_stays_json_and_other_texts_stay_as_they_are() -> None:
    inner = json.dumps({"token": "abc", "n": 1.50}, indent=2)
    call = applied({"a": inner, "b": '{"n":  1}', "c": "{no json"})
    assert json.loads(call.arguments["a"]) == {"token": REDACTED, "n": 1.5}
    assert call.arguments["b"] == '{"n":  1}'
    assert call.redacted == ("/arguments/a",)


def test_pointers_are_escaped() -> None:
    assert applied({"a/b": {"c~d": "x"}}, "c~d").redacted == ("/arguments/a~1b/c~0d",)


def test_patterns_are_left_out_of_names_of_resources() -> None:
    call = Redaction.from_rules([re.compile(r"\d+")]).redact_call(
        RecordedCall("resource", "a://7", {}, {})
    )
    assert (call.name, call.redacted) == (f"a://{REDACTED}", ("/name",))


# Which call answers


def recorded(number: int, arguments: Any, **more: Any) -> RecordedCall:
    return RecordedCall("tool", "t", arguments, {"n": number}, number=number, **more)


def test_numbers_are_equal_by_value_and_flags_are_no_numbers() -> None:
    answers = RecordedCalls([recorded(1, {"a": True}), recorded(2, {"a": 1})])
    assert answers.take("tool", "t", {"a": 1.0}).number == 2
    assert answers.take("tool", "t", {"a": True}).number == 1


def test_what_was_left_out_may_be_anything_and_the_rest_may_not() -> None:
    call = recorded(1, {"who": REDACTED, "n": 1}, redacted=["/arguments/who"])
    answers = RecordedCalls([call], repeats=True)
    assert answers.take("tool", "t", {"who": "Ada", "n": 1}) is call
    for arguments in ({"n": 1}, {"who": "Ada", "n": 2}, {"who": "Ada"}):
        with pytest.raises(NoSuchCallError):
            answers.take("tool", "t", arguments)


def test_a_call_of_the_definition_that_there_is_comes_before_a_stale_one() -> None:
    old, new = recorded(1, {}, definition="old"), recorded(2, {}, definition="new")
    answers = RecordedCalls([old, new])
    assert answers.take("tool", "t", {}, "new") is new
    with pytest.raises(StaleCallError, match="line 1"):
        RecordedCalls([old]).take("tool", "t", {}, "new")
    assert RecordedCalls([recorded(1, {})]).take("tool", "t", {}, "new").number == 1


def test_the_nearest_call_is_the_one_that_differs_least() -> None:
    answers = RecordedCalls(
        [recorded(1, {"a": 1, "b": 2}), recorded(2, {"a": 1, "b": 3, "c": [1, {}]})]
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
