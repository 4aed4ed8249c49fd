"""In no command does server text imitate a line of mcpgen or control the terminal."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import hostile_server
import pytest
import sdk_programs
from hostile_server import ALL, DOCUMENT
from mcpgen_runtime import display

from mcpgen.findings.texts.invisible import invisible

SERVER = ["--", sys.executable, hostile_server.__file__]
FAKED = re.compile(r"^(?:error: fake|\s*\rhint: fake|hint: fake|::)", re.MULTILINE)
# Control and format characters, and others without a shape.
RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

OFFLINE = [
    ["list", "a.json"],
    ["list", "a.json", "--json"],
    ["lint", "a.json", "-v"],
    ["lint", "a.json", "-f", "sarif"],
    ["lint", "a.json", "-f", "json"],
    ["diff", "a.json", "b.json", "-v"],
    ["diff", "a.json", "b.json", "-f", "markdown"],
    ["diff", "a.json", "b.json", "-f", "github"],
    ["diff", "a.json", "b.json", "-f", "junit"],
    ["diff", "a.json", "b.json", "-f", "sarif"],
    ["budget", "a.json"],
    ["docs", "a.json", "-v"],
    ["docs", "--diff", "a.json", "b.json"],
    ["client", "a.json", "-o", "out", "-v"],
    ["server", "a.json", "-o", "out", "-v"],
    ["agent", "a.json", "-o", "out"],
    ["observe", "a.json"],
    ["run", "--server", "a=a.json", "-c", "import a\nawait a.nope()", "--check"],
]
LIVE = [
    ["call", "wrong"],
    ["call", "failing"],
    ["call", "failing", "--json"],
    ["call", "refusing"],
    ["call", "nothing"],
    ["call", "plain", "--help"],
    ["call", "plain", "--p", "nope"],
    ["read", "r:1"],
    ["read", "r:2"],
    ["prompt", "p"],
    ["list", "-v"],
    ["record", "-o", "new.json", "-v"],
    ["client", "-o", "out", "-v"],
    ["lint"],
    ["observe"],
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("argv", [*OFFLINE, *([*args, *SERVER] for args in LIVE)], ids=" ".join)
def test_text_of_a_server_is_escaped(argv: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(DOCUMENT))
    (tmp_path / "b.json").write_text(json.dumps({**DOCUMENT, "instructions": f"{ALL}x"}))
    completed = run(argv, tmp_path)
    assert "Traceback" not in completed.stderr
    assert FAKED.search(completed.stderr) is None
    assert RAW.search(completed.stderr) is None
    assert not [code for code in invisible(completed.stderr) if code != "U+00A0"]
    if argv[0] not in ("read", "prompt", "call") and argv[-1] != "github":
        assert FAKED.search(completed.stdout) is None


def run(args: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    command = sdk_programs.mcpgen(*args)
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "GITHUB_ACTIONS": ""},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.mark.slow
def test_mock_serves_no_half_of_a_surrogate_pair(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(DOCUMENT))
    completed = run(
        ["list", "--json", "--", sys.executable, "-m", "mcpgen", "mock", "a.json"], tmp_path
    )
    assert completed.returncode == 0, completed.stderr
    assert len(json.loads(completed.stdout)["tools"]) == len(DOCUMENT["tools"])


@pytest.mark.slow
def test_sarif_contains_no_links_of_a_server(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(DOCUMENT))
    (tmp_path / "b.json").write_text(json.dumps({**DOCUMENT, "instructions": "[t](javascript:x)"}))
    for args in (["lint", "a.json"], ["diff", "a.json", "b.json"]):
        report = json.loads(run([*args, "-f", "sarif"], tmp_path).stdout)
        for result in report["runs"][0]["results"]:
            assert re.search(r"(?<!\\)\[[^\]]*(?<!\\)\]\(", result["message"]["text"]) is None
            [location] = result["locations"]
            assert "\u202e" not in json.dumps(location, ensure_ascii=False)


@pytest.mark.slow
def test_each_character_without_a_shape_is_escaped_everywhere() -> None:
    for number in range(0x110000):
        char = chr(number)
        if display.is_blank(char) or unicodedata.category(char) in ("Cf", "Cc", "Co", "Cs"):
            if char in "\n\t\r":
                continue
            assert display.visible(f"a{char}") != f"a{char}", hex(number)
            assert invisible(f"a{char}"), hex(number)


def test_many_marks_on_a_letter_are_escaped() -> None:
    assert display.visible("a" + "\u0ebc" * 40).count("\u0ebc") == 4
    assert display.visible("\u0e01\u0e34\u0e48") == "\u0e01\u0e34\\u0e48"


@pytest.mark.parametrize("emoji", ["\u26a0\ufe0f", "\u2139\ufe0f", "1\ufe0f\u20e3", "\u203c\ufe0e"])
def test_selector_of_an_emoji_is_ordinary_text(emoji: str) -> None:
    assert invisible(f"see {emoji} here") == []
