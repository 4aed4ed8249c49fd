"""Secrets in commands and in responses."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen_runtime.redaction.credentials import Credentials

from mcpgen.servers.endpoint.redaction import Secrets


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_longer_secrets_are_redacted_first() -> None:
    secrets = Secrets({"abcd": "${A}", "abcd-efgh-1": "${B}"})
    assert secrets.hide("abcd-efgh-1 abcd") == "${B} ${A}"


def test_only_certain_secrets_are_redacted_in_responses() -> None:
    credentials = Credentials({"description": "${A}", "s3cr3t-value": "${B}"})
    before = {"description": ["s3cr3t-value", 7, None], "s3cr3t-value": "description"}
    after = {"description": ["${B}", 7, None], "${B}": "description"}
    assert credentials.strip(before) == after
