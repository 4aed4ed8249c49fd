"""Cache entries are written and signed in pieces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcpgen.files import cache
from mcpgen.jsontext import Json

DOCUMENTS: dict[str, Json] = {
    "package": {"files": {"a.py": 'x = "\u00eb \U0001f389"\n' * 9, "b.json": ""}, "tools": ["t"]},
    "empty": {},
    "text": '\ud800 and a quote: " \\',
    "list": [1, None, {"a": []}],
}


@pytest.fixture(autouse=True)
def small_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_LONGEST_PIECE", 3)
    monkeypatch.setenv("MCPGEN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_entry_in_pieces(name: str) -> None:
    cache.save("key", DOCUMENTS[name])
    assert cache.load("key") == DOCUMENTS[name]
    assert json.loads("".join(cache._pieces(DOCUMENTS[name]))) == DOCUMENTS[name]


def test_changed_entry(tmp_path: Path) -> None:
    cache.save("key", {"a": "b"})
    (file,) = (tmp_path / "cache" / "made").iterdir()
    file.write_bytes(file.read_bytes().replace(b'"b"', b'"c"'))
    assert cache.load("key") is None
