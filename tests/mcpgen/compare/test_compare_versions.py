"""Two published versions of a server, recorded by our script: what is said of them is true."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from documented import blocks
from paths import ROOT

# Read in both contracts: a comment is placed by its line too now, beside by its position, and the
# text says so, as does that of the line. The class has another name; a list of it still fits.
GITHUB = {
    ("I20", "input.comments[]", "compatible"),
    ("I25", "input", "breaking"),
    ("D02", "input.comments", "security"),
    (
        "D02",
        "input.properties.comments.items.anyOf.1.properties.line.description",
        "security",
    ),
}


@pytest.mark.network
def test_two_versions_of_a_real_server_differ_in_what_was_found_by_hand(cache: Path) -> None:
    script = [sys.executable, str(ROOT / "scripts" / "compare_versions.py")]
    words = ["github", "--folder", str(cache / "versions"), "--", "--json"]
    ended = subprocess.run([*script, *words], capture_output=True, text=True, check=True)
    head, _, said = ended.stdout.partition("\n")
    assert head == "== @modelcontextprotocol/server-github 2025.3.19 -> 2025.4.8"
    findings = json.loads(said)["findings"]
    found = {(each["rule"], each["path"], each["severity"]) for each in findings}
    assert (len(findings), found) == (4, GITHUB)
    assert {each["tool"] for each in findings} == {"create_pull_request_review"}


@pytest.mark.network
def test_what_a_page_shows_of_a_real_server_is_what_is_found(cache: Path) -> None:
    (block,) = [each for each in blocks("console") if "create_pull_request_review" in each.text]
    script = [sys.executable, str(ROOT / "scripts" / "compare_versions.py")]
    words = ["github", "--folder", str(cache / "versions")]
    ended = subprocess.run([*script, *words], capture_output=True, text=True, check=True)
    lines = ended.stdout.splitlines()
    assert [line for line in block.text.splitlines() if line not in lines] == []
