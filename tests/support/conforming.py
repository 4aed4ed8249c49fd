"""Installs and runs the official conformance suite, and reads its verdicts."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import node_packages

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"


@dataclass(frozen=True)
class Verdicts:
    """The passed and failed scenarios, scored and unscored."""

    scored: dict[str, bool]
    unscored: dict[str, bool]
    output: str


def run(cache: Path, role: str, revision: str, *options: str) -> Verdicts:
    """Run all scenarios of a revision for a server or a client. Node 22 is installed from npm."""
    command = [*install_suite(cache), role, "--requirements", revision, *options]
    completed = subprocess.run(command, capture_output=True, text=True, check=False, timeout=540)
    output, _, rest = completed.stdout.partition("\nNot scored")
    outside = set(re.findall(r"[✓✗] (\S+) \(", rest))
    marks = dict(re.findall(r"\n[✓✗] (\S+): (\d+ passed, \d+ failed(?:, \d+ warnings)?)", output))
    passed = {name: not re.search(r"[1-9]\d* (failed|warn)", mark) for name, mark in marks.items()}
    return Verdicts(
        scored={name: mark for name, mark in passed.items() if name not in outside},
        unscored={name: mark for name, mark in passed.items() if name in outside},
        output=(output + completed.stderr)[-4000:],
    )


def scenarios(cache: Path) -> set[str]:
    """Return the names of all scenarios for servers."""
    completed = subprocess.run(
        [*install_suite(cache), "list", "--server"], capture_output=True, text=True, check=True
    )
    return set(re.findall(r"^ +- (\S+)", completed.stdout, re.MULTILINE))


def run_one(cache: Path, scenario: str, url: str) -> tuple[int, int, int, str]:
    """Run a scenario against a server. Returns its passed, failed and warning checks."""
    completed = subprocess.run(
        [*install_suite(cache), "server", "--url", url, "--scenario", scenario, "--force"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    output = completed.stdout + completed.stderr
    counts = re.findall(r"Passed: (\d+)/\d+, (\d+) failed, (\d+) warnings", output)
    assert counts, output
    passed, failed, warnings = map(int, counts[-1])
    return passed, failed, warnings, output


def install_suite(cache: Path) -> list[str]:
    """Return the command of the suite."""
    modules = node_packages.install(cache / "conformance", SUITE)
    suite = modules / SUITE.rpartition("@")[0] / "dist" / "index.js"
    return [node_packages.node(modules), str(suite)]
