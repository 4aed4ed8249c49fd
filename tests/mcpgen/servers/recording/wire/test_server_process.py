"""The process of a server: its start, its log and its end."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest
from paths import SUPPORT
from recorded_commands import BARE, LIMITS, Record, stdio
from stdio_clients import both_ways, way

__all__ = ["way"]


@pytest.mark.slow
@both_ways
def test_process_ignoring_signals_is_killed(record: Record) -> None:
    for limit in LIMITS:
        run = record("--timeout", limit, *stdio("stubborn"))
        assert run.error() == (4, f"no response within {limit} seconds")
        messages = [line for line in run.err.splitlines() if line.strip().isdecimal()]
        if messages:
            break
    child = int(messages[0])
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


@pytest.mark.slow
@both_ways
@pytest.mark.parametrize("behaviour", ["forks", "forks_and_stays"])
def test_child_processes_of_a_server_end_with_it(
    record: Record, behaviour: str, tmp_path: Path
) -> None:
    assert record(*stdio(behaviour, str(tmp_path / "pid"))).contract
    child = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


@both_ways
def test_missing_command_is_named(record: Record) -> None:
    run = record("--", "no-such-command-anywhere", "--flag")
    assert run.error() == (4, "the command 'no-such-command-anywhere' was not found")
    assert "hint: check its spelling, or install it" in run.err


@both_ways
def test_non_executable_command_is_rejected(record: Record, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("hello")
    assert record("--", str(tmp_path / "notes")).error()[0] == 4


@pytest.mark.slow
@pytest.mark.sampled(1)
@both_ways
def test_a_launcher_may_still_be_installing(
    record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "npx").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "npx").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    run = record("--timeout", "0.5", "--", "npx", "-y", "some-server")
    assert run.error()[0] == 4
    assert (
        "hint: npx may still be installing it: run the command on its own; raise the limit"
        in run.err
    )


@both_ways
def test_the_command_is_shown_in_full_before_it_starts(record: Record) -> None:
    run = record(*stdio("exits", "a b", "c"))
    assert run.err.splitlines()[0] == f"starting: {shlex.join([*BARE, 'exits', 'a b', 'c'])}"


@both_ways
@pytest.mark.parametrize(("flags", "is_shown"), [((), False), (("-v",), True)])
def test_the_log_of_a_child_is_shown_on_demand(
    record: Record, flags: tuple[str, ...], is_shown: bool
) -> None:
    run = record(*flags, *stdio("shy"))
    assert run.contract["revision"] == "2025-06-18"
    assert "I do not know that" not in run.err  # the attempt that failed is not spoken of
    noisy = ["--", sys.executable, "-c", f"import sys; print('log', file=sys.stderr); {_SERVE}"]
    assert ("the server's log:\n  log\n" in record(*flags, *noisy).err) == is_shown


_SERVE = f"sys.path.insert(0, {str(SUPPORT)!r}); from servers.bare import serve; serve('plain')"


@both_ways
def test_the_log_of_a_child_is_shown_on_failure(record: Record) -> None:
    run = record(*stdio("exits"))
    assert "the server's log:\n  cannot open the database\n" in run.err
