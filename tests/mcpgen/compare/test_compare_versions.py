"""The findings between two published versions of a server, recorded by our script, are true."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from documented import blocks
from paths import ROOT

# Read in both contracts. A comment is now addressed by line as well as by position, as its
# descriptions explain. The class has another name, and a list of it is still accepted.
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
def test_diff_of_real_server_equals_manual_review(cache: Path) -> None:
    script = [sys.executable, str(ROOT / "scripts" / "compare_versions.py")]
    args = ["github", "--folder", str(cache / "versions"), "--", "--json"]
    ended = subprocess.run([*script, *args], capture_output=True, text=True, check=True)
    head, _, output = ended.stdout.partition("\n")
    assert head == "== @modelcontextprotocol/server-github 2025.3.19 -> 2025.4.8"
    findings = json.loads(output)["findings"]
    results = {(finding["rule"], finding["path"], finding["severity"]) for finding in findings}
    assert (len(findings), results) == (4, GITHUB)
    assert {finding["tool"] for finding in findings} == {"create_pull_request_review"}


@pytest.mark.network
def test_documented_diff_of_real_server_is_current(cache: Path) -> None:
    (block,) = [item for item in blocks("console") if "create_pull_request_review" in item.text]
    script = [sys.executable, str(ROOT / "scripts" / "compare_versions.py")]
    args = ["github", "--folder", str(cache / "versions")]
    ended = subprocess.run([*script, *args], capture_output=True, text=True, check=True)
    lines = ended.stdout.splitlines()
    assert [line for line in block.text.splitlines() if line not in lines] == []
