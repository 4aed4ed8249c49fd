"""Options that commands share: names of servers."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcpgen.cli.shared.options import split_name


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("shop=demo", ("shop", "demo")),
        ("shop=https://example.org/mcp?a=b", ("shop", "https://example.org/mcp?a=b")),
        ("demo", ("", "demo")),
        ("https://example.org/mcp?a=b", ("", "https://example.org/mcp?a=b")),
        ("./a=b.json", ("", "./a=b.json")),
    ],
)
def test_name_before_a_server_is_split_off(token: str, expected: tuple[str, str]) -> None:
    assert split_name(token) == expected


def test_file_whose_name_has_an_equals_sign_is_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("stage=1.json").touch()
    assert split_name("stage=1.json") == ("", "stage=1.json")
    assert split_name("stage=2.json") == ("stage", "2.json")
