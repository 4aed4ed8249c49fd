"""What a command costs before it does anything: the modules it loads, and how it looks for garbage."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

GARBAGE = """
import gc, sys
from mcpgen import cli
from mcpgen.cli import app
def run(words):
    print(gc.get_threshold()[0], gc.isenabled())
    gc.collect(0)
    print(gc.get_threshold()[0], len(gc.callbacks))
    return 0
app.run = run
if "library" in sys.argv:
    cli.main(["diff"])
cli.main()
"""


def thresholds(*arguments: str) -> list[str]:
    code = "import gc; print(gc.get_threshold()[0])"
    own = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    done = subprocess.run(
        [sys.executable, "-c", GARBAGE, *arguments], check=True, capture_output=True, text=True
    )
    return [own.stdout.strip(), *done.stdout.splitlines()]


def test_a_short_command_looks_for_garbage_when_it_made_much() -> None:
    _, before, after = thresholds("diff", "a.json")
    assert before == "200000 True"
    assert after == "10000 0"


@pytest.mark.parametrize("words", [["watch"], ["mock", "a.json"], ["library"]])
def test_what_lasts_and_a_library_leave_pythons_own_thresholds(words: list[str]) -> None:
    own, before, after = thresholds(*words)
    assert before == f"{own} True"
    assert after == f"{own} 0"
