"""Credentials of a run are known in every form, and secrets of others by their patterns."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from mcpgen_runtime.redaction.credentials import CREDENTIALS, Credentials
from mcpgen_runtime.replay.call_records import RecordedCall
from mcpgen_runtime.replay.redactor import REDACTED, Redaction

# Made up here, in parts, so that no scanner takes them for leaked ones.
T = "q7Zk" + "W2mX9vLr4TbN8sYc"
HEX = "0123456789abcdef" * 2

REQUESTS = {
    "bearer": {"Authorization": f"Bearer {T}"},
    "lower case": {"authorization": f"bearer {T}"},
    "basic": {"Authorization": "Basic " + base64.b64encode(f"ada:{T}".encode()).decode()},
    "own header": {"X-Api-Key": T},
    "unusual header": {"X-Team": T},
    "cookie": {"Cookie": f"theme=dark; session={T}"},
    "proxy": {"Proxy-Authorization": f"Bearer {T}"},
    "scheme of its own": {"Authorization": f"ApiKey {T}"},
}


@pytest.mark.parametrize("way", [*REQUESTS, "query", "user", "environment"])
def test_each_way_to_give_a_credential_is_known(way: str) -> None:
    credentials = Credentials()
    if way in REQUESTS:
        credentials.add_request(
            httpx2.Request("POST", "https://a.example/mcp", headers=REQUESTS[way])
        )
    elif way == "environment":
        credentials.add_given([T])
    else:
        url = f"https://a.example/mcp?k={T}" if way == "query" else f"https://u:{T}@a.example/"
        credentials.add_request(httpx2.Request("POST", url))
    raw = T.encode()
    for form in (T, quote(T, safe=""), json.dumps(T), base64.b64encode(raw).decode()):
        assert T not in credentials.hide(f"the server repeats {form}!")
        assert form.strip('"').rstrip("=") not in credentials.hide(f"it repeats {form}!")
    assert credentials.strip({f"k {T}": [{"a": f"<{T}>"}], "n": 1}) == {
        f"k {REDACTED}": [{"a": f"<{REDACTED}>"}],
        "n": 1,
    }


def test_ordinary_values_do_not_count_as_credentials() -> None:
    credentials = Credentials()
    headers = {"Accept": "application/json", "X-Mode": "readonly", "X-Small": "1234567"}
    credentials.add_request(
        httpx2.Request("POST", "https://a.example/mcp?limit=10", headers=headers)
    )
    credentials.add_given(["/", "production"])
    text = "application/json readonly 1234567 / production a.example"
    assert credentials.hide(text) == text


def test_only_recent_credentials_are_remembered() -> None:
    credentials = Credentials()
    for number in range(1_500):
        credentials.add(f"token-{number:08}")
    assert credentials.hide("token-00001499") == REDACTED
    assert credentials.hide("token-00000001") == "token-00000001"


TEXTS = [
    f"Authorization: Bearer {T}",
    f"authorization: bearer {T}",
    f"Bearer  {T}",
    f"Bearer\n{T}",
    "Authorization: Basic " + base64.b64encode(f"ada:{T}".encode()).decode(),
    f"https://a.example/x?token={T}",
    f"https://a.example/x?access_token={T}&b=1",
    f"https://a.example/x?a=1&api_key={T}",
    f"https://a.example/x?X-Amz-Signature={T}",
    f"https://a.example/x?sig={T}",
    f"https://ada:{T}@a.example/",
    f"postgres://ada:{T}@db.example/shop",
    f"PASSWORD={T}",
    f"DB_PASSWORD='{T}'",
    f'export API_KEY="{T}"',
    f"api_key = {T}",
    f"Server=db;User Id=ada;Pwd={T};",
    f"Server=db;Password={T}",
    f"AccountName=a;AccountKey={T};EndpointSuffix=x",
    f"Endpoint=sb://a/;SharedAccessKey={T}",
    f"client_secret={T}",
    f"refresh_token={T}",
    f"id_token={T}",
    f"password: {T}",
    f"token: {T}",
    f"Set-Cookie: sid={T}; HttpOnly",
    f"Cookie: session={T}",
    f"JSESSIONID={T}",
    f"sessionid={T}",
    f"SG.{T}.{T}",
    f"sk-proj-{T}",
    f"ghp_{T}{T}",
    f"xoxb-1-{T}",
    f"glpat-{T}",
    "AKIA" + "ABCDEFGHIJKLMNOP",
    f"AIza{T}{T}",
    f"ya29.{T}{T}",
    f"GOCSPX-{T}",
    f"SK{HEX}",
    "1234567890:AA" + "b1" * 16 + "c",
    f"eyJhbGciOi.eyJzdWIi{T}.{T}",
    f"https://hooks.slack.com/services/T0/B0/{T}",
    f"https://discord.com/api/webhooks/123/{T}",
    f"-----BEGIN RSA PRIVATE KEY-----\n{T}\n-----END RSA PRIVATE KEY-----",
    f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n{T}\n-----END PGP PRIVATE KEY BLOCK-----",
    f"npm_{T}{T}",
]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_foreign_secret_in_a_text_is_redacted(text: str) -> None:
    output = Redaction().text(f"before {text}\nafter")
    assert T not in output
    assert HEX not in output
    assert "ABCDEFGHIJKLMNOP" not in output
    assert REDACTED in output
    assert output.startswith("before ")


@pytest.mark.parametrize(
    "text",
    [
        "the password is required",
        "a token: string",
        "basic information about tokens",
        "https://a.example/x?page=2&limit=10",
        "bearer bonds of 2019",
        "set max_tokens=100 and key=name",
        "Basic authentication2 is supported",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert Redaction().text(text) == text


SHAPES: list[Any] = [
    {"api_key": T},
    {"apiKey": T},
    {"api_keys": [T]},
    {"tokens": [T, T]},
    {"passwords": [T]},
    {"secrets": {"a": T}},
    {"secrets": {"a": {"b": [T]}}},
    {"credentials": {"user": "ada", "key": T}},
    {"name": "api_key", "value": T},
    {"key": "client_secret", "value": T},
    {"field": "password", "value": [T]},
    {"password": [T]},
    {"secret": {"value": T}},
    {"id_token": T},
    {"accessToken": T, "expires_in": 3600},
    {"session_id": T},
    {"text": json.dumps({"api_keys": [T]})},
    {"headers": {"Authorization": f"Bearer {T}"}},
    [{"name": "DB_PASSWORD", "value": T}],
]


@pytest.mark.parametrize("shape", SHAPES, ids=range(len(SHAPES)))
def test_foreign_secret_in_json_is_redacted(shape: Any) -> None:
    result = {"content": [], "structuredContent": {"result": shape}}
    recorded_call = Redaction().redact_call(RecordedCall("tool", "t", {}, result))
    assert T not in json.dumps(recorded_call.result)
    assert recorded_call.redacted


def test_secret_numbers_are_redacted() -> None:
    result = {"structuredContent": {"pin": 4321, "password": 98765432, "count": 4321}}
    recorded_call = Redaction().redact_call(RecordedCall("tool", "t", {}, result))
    assert recorded_call.result == {"structuredContent": {"pin": 0, "password": 0, "count": 4321}}


def test_credential_is_redacted_as_a_property_name() -> None:
    credentials = Credentials()
    credentials.add(T)
    result = {"structuredContent": {T: {"a": f"{T}!"}}}
    recorded_call = Redaction.from_rules([], credentials.strip).redact_call(
        RecordedCall("tool", "t", {}, result)
    )
    assert T not in json.dumps(recorded_call.result)
    assert "/result" in recorded_call.redacted


def test_errors_and_logs_of_commands_hide_credentials(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from mcpgen.cli.shared import console
    from mcpgen.errors import UsageError

    CREDENTIALS.add(T)
    console.log(f"the server said {T}")
    assert T not in capsys.readouterr().err
    error = UsageError(f"the token {T} is wrong", T, T)
    assert T not in console.format_error(error, as_json=False)
    assert T not in console.format_error(error, as_json=True)
