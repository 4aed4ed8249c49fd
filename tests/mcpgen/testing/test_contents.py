"""Secrets and paths in the text of an error."""

from __future__ import annotations

import base64

import pytest
from mcpgen_runtime.redaction.credentials import Credentials

from mcpgen.servers.endpoint import Http, Stdio
from mcpgen.testing.contents import given_secrets, leaks, problems, shown_secret

FOLDER, SECRET = "/scratch/notes", "q8JwzT1mVx9-notes"
IN_BASE64 = base64.b64encode(f"user:{SECRET}".encode()).decode()


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (f"ENOENT: no such file, stat '{FOLDER}/a.md'", []),
        ("cannot open /srv/app/data.db", ["C504"]),
        (f"no access with {SECRET}", ["C503"]),
        (f"no access to https://user:{SECRET}@host/a/b", ["C503"]),
    ],
)
def test_folder_of_a_variable(text: str, rules: list[str]) -> None:
    credentials = Credentials()
    credentials.add_given([FOLDER, SECRET])
    assert [verdict.judge for verdict in leaks(text, "{}", credentials, "the error")] == rules


def test_secrets_of_server() -> None:
    env = {"API_TOKEN": SECRET, "FOLDER": FOLDER, "DB_PASSWORD": "short"}
    assert given_secrets(Stdio(("a",), ("a",), env)) == {SECRET}
    headers = {"Authorization": f"Bearer {SECRET}", "Accept": "application/json"}
    assert given_secrets(Http("https://a", "https://a", headers)) == {f"Bearer {SECRET}"}


@pytest.mark.parametrize(
    ("result", "arguments", "rules"),
    [
        ({"content": [{"_meta": {"printer": {"key": SECRET}}}]}, {}, ["C503"]),
        ({"content": [], "structuredContent": {SECRET: 1}}, {}, ["C503"]),
        ({"content": [{"text": SECRET}]}, {"text": f"a {SECRET}"}, []),
        ({"content": [{"text": "of another"}]}, {}, []),
        ({"content": [{"text": IN_BASE64}]}, {}, ["C503"]),
        ({"content": [{"text": IN_BASE64}]}, {"text": SECRET}, []),
    ],
    ids=["metadata", "name", "echo", "none", "Base64", "echo in Base64"],
)
def test_secret_in_result(result: object, arguments: object, rules: list[str]) -> None:
    verdicts = shown_secret(result, arguments, [SECRET])
    assert [verdict.judge for verdict in verdicts] == rules


@pytest.mark.parametrize(
    ("block", "pointers"),
    [
        ({"type": "image", "data": "", "mimeType": "png"}, ["/mimeType"]),
        ({"type": "image", "data": "", "mimeType": "image/x-y.z+w; q=1"}, []),
        ({"type": "resource_link", "uri": "notes/1", "mimeType": ""}, ["/mimeType", "/uri"]),
        ({"type": "resource_link", "uri": "mailto:a@example.org"}, []),
        ({"type": "resource", "resource": {"uri": "notes/1", "text": ""}}, ["/resource/uri"]),
        (
            {"type": "resource", "resource": {"uri": "notes://1", "mimeType": "text"}},
            ["/resource/mimeType"],
        ),
    ],
)
def test_names_of_types_and_resources(block: object, pointers: list[str]) -> None:
    result = {"content": [block]}
    expected = [f"/content/0{pointer}" for pointer in pointers]
    assert [pointer for pointer, _ in problems(result)] == expected
    assert [*problems({"contents": []})] == []
