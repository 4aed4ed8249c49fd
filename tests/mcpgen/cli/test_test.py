"""The properties that find unseen bugs, on the servers of ``benchmarks/seeded``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sdk_programs
from paths import ROOT

SEEDED = ROOT / "benchmarks" / "seeded"
BUGS = {
    "transit": {
        "a_notes_empty": "C104",
        "l_conn": "C503",
        "p_base64": "C105",
        "p_twice": "C106",
        "n_sort": "C401",
        "s_other": "C907",
        "s_race": "C703",
        "g_filter": "C611",
    },
    "garden": {"c_pair": "C203", "s_cleared": "C908", "g_memory": "C909"},
    "observatory": {
        "f_half_seconds": "C201",
        "c_no_frames": "C203",
        "p_success": "C102",
        "p_resource": "C103",
        "g_order": "C612",
        "g_largest": "C609",
    },
    "depot": {
        "f_currency": "C201",
        "p_id": "C106",
        "n_search": "C401",
        "s_other": "C907",
        "s_race": "C703",
        "g_cursor": "C605",
        "g_sort": "C612",
    },
}
"""The rule that finds each bug, by server. No two bugs are in the same tool's way."""


def failures(server: str, bug: str, *options: str) -> list[dict[str, Any]]:
    """Run `mcpgen test` and return its failures above a note."""
    args = ["test", "--allow-writes", "--no-search", "--json", "--calls", "6000", *options]
    args += ["--limit", "3", "--env", f"SEEDED_BUG={bug}"]
    completed = subprocess.run(
        sdk_programs.mcpgen(*args, "--", sys.executable, str(SEEDED / f"{server}.py")),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    results: list[dict[str, Any]] = json.loads(completed.stdout)["failures"]
    return [item for item in results if item["level"] != "note"]


@pytest.mark.slow
@pytest.mark.parametrize("server", BUGS)
def test_correct_server_has_no_finding_above_a_note(server: str) -> None:
    assert failures(server, "none") == []


@pytest.mark.slow
@pytest.mark.skipif(
    sys.platform != "linux" and "MCPGEN_ALL" not in os.environ,
    reason="memory is measured on Linux only",
)
@pytest.mark.parametrize("server", BUGS)
def test_properties_find_seeded_bugs(server: str) -> None:
    rules = {failure["judge"] for failure in failures(server, ",".join(BUGS[server]))}
    assert set(BUGS[server].values()) <= rules


@pytest.mark.slow
def test_read_of_a_cancelled_entity_is_tested() -> None:
    tools = ("--tool", "track_parcel", "--tool", "cancel_parcel", "--tool", "list_parcels")
    found = {(item["judge"], item["subject"]) for item in failures("depot", "h_track", *tools)}
    assert ("C302", "tool track_parcel") in found


@pytest.mark.slow
def test_run_with_missing_tools_warns_and_writes_arguments(tmp_path: Path) -> None:
    file = tmp_path / "arguments.json"
    server = ROOT / "tests" / "support" / "servers" / "shell.py"
    command = ["--json", "--strict", "--write-arguments", str(file), "--", sys.executable]
    completed = subprocess.run(
        sdk_programs.mcpgen("test", *command, str(server), str(tmp_path / "log")),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    document = json.loads(completed.stdout)
    assert (completed.returncode, document["tested"]) == (1, 0)
    assert "C108" in {item["judge"] for item in document["failures"]}
    assert set(json.loads(file.read_text())) == set(document["coverage"])


@pytest.mark.slow
def test_endless_list_is_reported() -> None:
    """A server whose tools can't all be listed gets a report, in every format."""
    bare = ROOT / "tests" / "support" / "servers" / "bare.py"
    command = sdk_programs.mcpgen("test")
    server = ["--", sys.executable, bare, "endless"]
    completed = subprocess.run(
        [*command, "--json", *server], capture_output=True, text=True, timeout=120, check=False
    )
    document = json.loads(completed.stdout)
    assert completed.returncode == 1
    assert [item["judge"] for item in document["failures"]] == ["C605"]
    assert document["stopped"] == "the server's lists never end"
    for form in ("text", "junit", "sarif"):
        completed = subprocess.run(
            [*command, "-f", form, *server],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert (completed.returncode, "never ends" in completed.stdout) == (1, True), form
