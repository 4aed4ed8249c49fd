"""What contract tests find in a server of ours with forty seeded bugs, and what in its right twin.

By ``mcpgen test`` and by the tools that do the like, one bug at a time. Needs the network once, npm
and Java: each tool is installed as ``peers.py`` does it. Run it by hand.

A bug is found where the report of the server that has it holds a failing verdict that no report of
the twin holds; so what a tool says of any server, right or not, finds nothing. What is said of the
twin is a false alarm. All calls of tools are counted by the server. Two tools take minutes for all
tools of a server, and test each by itself: they are shown the tool alone that has the bug.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import peers
import timing

ROOT = Path(__file__).resolve().parents[1]
SUPPORT = ROOT / "tests" / "support"
SERVER = str(SUPPORT / "seeded_server.py")
sys.path.insert(0, str(SUPPORT))

from seeded.bugs import BUGS, KINDS  # noqa: E402 - it stands among the tests
from seeded.definitions import BY_NAME  # noqa: E402 - likewise

Json = Any
LIMIT = 400.0
TWINS = 3
"""How often the twin is tested: what is random must not be taken for a bug."""


@dataclass(frozen=True)
class Contestant:
    """A tool that tests servers: how it is run, and what its report says is wrong."""

    peer: peers.Peer
    command: tuple[str, ...]
    verdicts: Callable[[Path, str], set[str]]
    over_http: bool = True
    narrow: tuple[str, ...] = ()
    """What it is told besides, to test one tool alone."""


@dataclass(frozen=True)
class Outcome:
    """What one run said is wrong, and what it took."""

    verdicts: frozenset[str]
    calls: int
    seconds: float
    ending: str = ""
    first: int | None = None
    """How many calls had been made when the first was found, where the report says it."""


@dataclass
class Score:
    """All runs of one tool."""

    version: str
    twins: list[Outcome] = field(default_factory=list[Outcome])
    bugs: dict[str, Outcome] = field(default_factory=dict[str, Outcome])

    def new(self, bug: str) -> frozenset[str]:
        """Return what was said of a bug's server, and of no twin."""
        known = frozenset[str]().union(*(twin.verdicts for twin in self.twins))
        return self.bugs[bug].verdicts - known


# What each report holds


def of_mcpgen(_: Path, output: str) -> set[str]:
    """Read the report of ``mcpgen test --format json``."""
    report = json.loads(output)
    return {f"{each['level']} {each['name']} {each['subject']}" for each in report["failures"]}


def first_of(output: str) -> int | None:
    """Return after how many calls ``mcpgen test`` found the first failure."""
    try:
        return min((each["calls"] for each in json.loads(output)["failures"]), default=None)
    except ValueError:
        return None


def of_fuzzer(folder: Path, output: str) -> set[str]:
    """Read the findings of mcp-fuzzer, which are of a tool or of a kind of request."""
    report = json.loads((folder / "reports" / "findings.json").read_text("utf-8"))
    found = {f"{each['category']} {each['target']}" for each in report["findings"]}
    for line in output.splitlines():
        if match := re.search(r"([1-9]\d*) (transport/protocol anomalies|crashes)", line):
            found.add(match[2])
    return found


def of_pytest(_: Path, output: str) -> set[str]:
    """Read the names of the tests that failed."""
    return set(re.findall(r"^(?:FAILED|ERROR) (\S+)", output, re.MULTILINE))


def of_specmatic(folder: Path, _: str) -> set[str]:
    """Read the names of the scenarios that failed."""
    path = folder / "build" / "reports" / "specmatic" / "mcp" / "mcp_test_report.json"
    report = json.loads(path.read_text("utf-8"))
    return {each["name"] for each in report if each["verdict"] != "PASSED"}


CONTESTANTS = {
    contestant.peer.name: contestant
    for contestant in (
        Contestant(
            peers.Peer("mcpgen", (f"-e{ROOT}[test]",), ()),
            ("mcpgen", "test", "--allow-writes", "--format", "json", "--", "{server}"),
            of_mcpgen,
            over_http=False,
        ),
        Contestant(
            peers.Peer("mcp-fuzzer", ("mcp-fuzzer",), ()),
            (
                *("mcp-fuzzer", "--mode", "all", "--phase", "both", "--seed", "42"),
                *("--timeout", "3", "--no-corpus", "--protocol", "http"),
                *("--endpoint", "{url}/mcp", "--output-dir", "reports"),
            ),
            of_fuzzer,
            narrow=("--mode", "tools", "--tool", "{tool}"),
        ),
        Contestant(
            peers.Peer("pytest-mcp-tools", ("pytest-mcp-tools", "pytest"), ()),
            ("pytest", "--mcp-tools={url}", "-p", "no:cacheprovider"),
            of_pytest,
        ),
        Contestant(
            peers.Peer("specmatic", ("specmatic",), (), is_npm=True),
            (
                *("java", "-jar", "{specmatic}", "mcp", "test", "--url", "{url}/mcp"),
                *("--transport-kind", "STREAMABLE_HTTP", "--enable-resiliency-tests"),
            ),
            of_specmatic,
            narrow=("--filter-tools", "{tool}"),
        ),
    )
}


def run(contestant: Contestant, era: str, bugs: list[str]) -> Outcome:
    """Let a tool test a fresh server in an empty folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = folder / "calls.log"
        log.touch()
        server = [sys.executable, SERVER, era, "--log", str(log)]
        server += [word for bug in bugs for word in ("--bug", bug)]
        start = time.perf_counter()
        with _url(server) if contestant.over_http else _no_url() as url:
            output, ending = _ended(_command(contestant, server, url, bugs), folder)
        try:
            verdicts = contestant.verdicts(folder, output)
        except (OSError, ValueError, KeyError) as error:
            ending = ending or f"no report: {error}"
            # What another tool cannot survive is counted as found; ours has to say it.
            verdicts = set() if contestant.peer.name == "mcpgen" else {"it wrote no report"}
        calls = len(log.read_text("utf-8").splitlines())
        first = first_of(output) if contestant.peer.name == "mcpgen" else None
        return Outcome(frozenset(verdicts), calls, time.perf_counter() - start, ending, first)


def _command(contestant: Contestant, server: list[str], url: str, bugs: list[str]) -> list[str]:
    tools = [BUGS[bug].tool for bug in bugs if BUGS[bug].tool in BY_NAME]
    words = [*contestant.command, *(contestant.narrow if tools else ())]
    jar = peers.PLACE / "npm" / "node_modules" / "specmatic" / "specmatic.jar"
    values = {"{url}": url, "{specmatic}": str(jar), "{tool}": "".join(tools[:1])}
    found: list[str] = []
    for word in words:
        for name, value in values.items():
            word = word.replace(name, value)  # noqa: PLW2901 - it is filled in, step by step
        found += server if word == "{server}" else [word]
    path = shutil.which(found[0], path=peers.commands_of(contestant.peer)) or found[0]
    return [path, *found[1:]]


def _ended(command: list[str], folder: Path) -> tuple[str, str]:
    """Return what a command printed, and how it ended if not by itself."""
    with subprocess.Popen(
        command,
        cwd=folder,
        env=peers.CLEAN,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            output = process.communicate(timeout=LIMIT)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            return process.communicate()[0].decode(errors="replace"), "it never ended"
    return output.decode(errors="replace"), ""


@contextmanager
def _url(server: list[str]) -> Iterator[str]:
    with subprocess.Popen(
        [*server, "--http", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()


@contextmanager
def _no_url() -> Iterator[str]:
    yield ""


# What is printed


def main() -> None:
    """Test the twin and each bug by each tool; print one table of tools and one of bugs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", action="append", choices=tuple(CONTESTANTS), default=[])
    parser.add_argument("--bug", action="append", choices=tuple(BUGS), default=[])
    parser.add_argument("--era", choices=("2025", "2026"), default="2025")
    parser.add_argument(
        "--keep", type=Path, help="a file for all verdicts; what it holds is not run again"
    )
    given = parser.parse_args()
    kept: Json = json.loads(given.keep.read_text()) if given.keep and given.keep.exists() else {}
    scores: dict[str, Score] = {}
    for name in given.tool or CONTESTANTS:
        try:
            scores[name] = measured(name, given.era, given.bug or [*BUGS], kept, given.keep)
        except peers.Unusable as error:
            print(f"{name}: {error}", file=sys.stderr)
    print(timing.table([row(name, score) for name, score in scores.items()]), "\n")
    print(timing.table([row_of_bug(bug, scores) for bug in given.bug or BUGS]))


def measured(name: str, era: str, bugs: list[str], kept: Json, file: Path | None) -> Score:
    """Run a tool on the twin and on each bug, or take what was kept of it."""
    contestant = CONTESTANTS[name]
    score = Score(peers.installed(contestant.peer))
    cases = [*([f"twin {n + 1}", list[str]()] for n in range(TWINS)), *([b, [b]] for b in bugs)]
    for case, chosen in cases:
        key = f"{era} {name} {score.version} {case}"
        if key not in kept:
            outcome = run(contestant, era, chosen)
            more = (outcome.seconds, outcome.ending, outcome.first)
            kept[key] = [sorted(outcome.verdicts), outcome.calls, *more]
            if file:
                file.write_text(json.dumps(kept, indent=1))
            print(key, *kept[key][1:], file=sys.stderr)
        verdicts, *rest = kept[key]
        found = Outcome(frozenset(verdicts), *rest)
        if chosen:
            score.bugs[case] = found
        else:
            score.twins.append(found)
    return score


def row(name: str, score: Score) -> timing.Row:
    """Return what was found by one tool."""
    found = [bug for bug in score.bugs if score.new(bug)]
    firsts = [number for bug in found if (number := score.bugs[bug].first) is not None]
    by_kind = {kind: f"{sum(BUGS[b].kind == kind for b in found)}" for kind in KINDS}
    return {
        "tool": f"{name} {score.version}",
        f"found of {len(score.bugs)}": len(found),
        **by_kind,
        "false alarms": max(len(twin.verdicts) for twin in score.twins),
        "calls": median(outcome.calls for outcome in score.twins),
        "to the first": median(firsts) if firsts else "",
        "seconds": median(outcome.seconds for outcome in score.twins),
    }


def row_of_bug(bug: str, scores: dict[str, Score]) -> timing.Row:
    """Return by which tools one bug was found."""
    found = {name: "yes" if score.new(bug) else "" for name, score in scores.items()}
    return {"bug": bug, "of": BUGS[bug].tool, "what": BUGS[bug].what, **found}


if __name__ == "__main__":
    main()
