"""Compares what contract tests find in a server with forty seeded bugs and in its correct twin.

Runs ``mcpgen test`` and similar tools, with one bug at a time. The first run needs the network, npm
and Java, because each tool is installed as in ``peers.py``. Run it by hand.

A bug counts as found if the report on its server has a failure that no report on the twin has.
Failures of the twin are false alarms. The server counts all calls. Two of the tools take minutes
for a whole server and test each of its tools separately, so they only see the tool with the bug.
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
    """A tool that tests servers: its command, and a function that reads its report."""

    peer: peers.Peer
    command: tuple[str, ...]
    verdicts: Callable[[Path, str], set[str]]
    over_http: bool = True
    narrow: tuple[str, ...] = ()
    """What it is told besides, to test one tool alone."""


@dataclass(frozen=True)
class Outcome:
    """The failures that one run reported, and its costs."""

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
        """Return the failures of a bug's server that its twin doesn't have."""
        verdicts = frozenset[str]().union(*(twin.verdicts for twin in self.twins))
        return self.bugs[bug].verdicts - verdicts


# What each report holds


def of_mcpgen(_: Path, output: str) -> set[str]:
    """Read the report of ``mcpgen test --format json``."""
    report = json.loads(output)
    return {
        f"{failure['level']} {failure['name']} {failure['subject']}"
        for failure in report["failures"]
    }


def first_of(output: str) -> int | None:
    """Return the number of calls before the first failure that ``mcpgen test`` found."""
    try:
        return min((load["calls"] for load in json.loads(output)["failures"]), default=None)
    except ValueError:
        return None


def of_fuzzer(folder: Path, output: str) -> set[str]:
    """Read the findings of mcp-fuzzer, each about a tool or a kind of request."""
    report = json.loads((folder / "reports" / "findings.json").read_text("utf-8"))
    findings = {f"{finding['category']} {finding['target']}" for finding in report["findings"]}
    for line in output.splitlines():
        if match := re.search(r"([1-9]\d*) (transport/protocol anomalies|crashes)", line):
            findings.add(match[2])
    return findings


def of_pytest(_: Path, output: str) -> set[str]:
    """Read the names of the tests that failed."""
    return set(re.findall(r"^(?:FAILED|ERROR) (\S+)", output, re.MULTILINE))


def of_specmatic(folder: Path, _: str) -> set[str]:
    """Read the names of the scenarios that failed."""
    path = folder / "build" / "reports" / "specmatic" / "mcp" / "mcp_test_report.json"
    report = json.loads(path.read_text("utf-8"))
    return {finding["name"] for finding in report if finding["verdict"] != "PASSED"}


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
    """Run a tool on a fresh server in an empty folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = folder / "calls.log"
        log.touch()
        server = [sys.executable, SERVER, era, "--log", str(log)]
        server += [token for bug in bugs for token in ("--bug", bug)]
        start = time.perf_counter()
        with _url(server) if contestant.over_http else _no_url() as url:
            output, ending = _ended(_command(contestant, server, url, bugs), folder)
        try:
            verdicts = contestant.verdicts(folder, output)
        except (OSError, ValueError, KeyError) as error:
            ending = ending or f"no report: {error}"
            # A bug that another tool can't survive counts as found. mcpgen has to report it.
            verdicts = set() if contestant.peer.name == "mcpgen" else {"it wrote no report"}
        calls = len(log.read_text("utf-8").splitlines())
        first = first_of(output) if contestant.peer.name == "mcpgen" else None
        return Outcome(frozenset(verdicts), calls, time.perf_counter() - start, ending, first)


def _command(contestant: Contestant, server: list[str], url: str, bugs: list[str]) -> list[str]:
    tools = [BUGS[bug].tool for bug in bugs if BUGS[bug].tool in BY_NAME]
    args = [*contestant.command, *(contestant.narrow if tools else ())]
    jar = peers.PLACE / "npm" / "node_modules" / "specmatic" / "specmatic.jar"
    values = {"{url}": url, "{specmatic}": str(jar), "{tool}": "".join(tools[:1])}
    names: list[str] = []
    for token in args:
        for name, value in values.items():
            token = token.replace(name, value)  # noqa: PLW2901 - it is filled in, step by step
        names += server if token == "{server}" else [token]
    path = shutil.which(names[0], path=peers.commands_of(contestant.peer)) or names[0]
    return [path, *names[1:]]


def _ended(command: list[str], folder: Path) -> tuple[str, str]:
    """Return the output of a command, and how it ended if not by itself."""
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
    """Run each tool on the twin and on each bug. Prints a table of tools and one of bugs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", action="append", choices=tuple(CONTESTANTS), default=[])
    parser.add_argument("--bug", action="append", choices=tuple(BUGS), default=[])
    parser.add_argument("--era", choices=("2025", "2026"), default="2025")
    parser.add_argument(
        "--keep", type=Path, help="a file for all verdicts; what it holds is not run again"
    )
    namespace = parser.parse_args()
    stored: Json = (
        json.loads(namespace.keep.read_text()) if namespace.keep and namespace.keep.exists() else {}
    )
    scores: dict[str, Score] = {}
    for name in namespace.tool or CONTESTANTS:
        try:
            scores[name] = measured(
                name, namespace.era, namespace.bug or [*BUGS], stored, namespace.keep
            )
        except peers.Unusable as error:
            print(f"{name}: {error}", file=sys.stderr)
    print(timing.table([row(name, score) for name, score in scores.items()]), "\n")
    print(timing.table([row_of_bug(bug, scores) for bug in namespace.bug or BUGS]))


def measured(name: str, era: str, bugs: list[str], stored: Json, file: Path | None) -> Score:
    """Run a tool on the twin and on each bug, or load its stored outcomes."""
    contestant = CONTESTANTS[name]
    score = Score(peers.installed(contestant.peer))
    cases = [*([f"twin {n + 1}", list[str]()] for n in range(TWINS)), *([b, [b]] for b in bugs)]
    for case, chosen in cases:
        key = f"{era} {name} {score.version} {case}"
        if key not in stored:
            outcome = run(contestant, era, chosen)
            more = (outcome.seconds, outcome.ending, outcome.first)
            stored[key] = [sorted(outcome.verdicts), outcome.calls, *more]
            if file:
                file.write_text(json.dumps(stored, indent=1))
            print(key, *stored[key][1:], file=sys.stderr)
        verdicts, *rest = stored[key]
        result = Outcome(frozenset(verdicts), *rest)
        if chosen:
            score.bugs[case] = result
        else:
            score.twins.append(result)
    return score


def row(name: str, score: Score) -> timing.Row:
    """Return the row of one tool."""
    names = [bug for bug in score.bugs if score.new(bug)]
    firsts = [number for bug in names if (number := score.bugs[bug].first) is not None]
    by_kind = {kind: f"{sum(BUGS[b].kind == kind for b in names)}" for kind in KINDS}
    return {
        "tool": f"{name} {score.version}",
        f"found of {len(score.bugs)}": len(names),
        **by_kind,
        "false alarms": max(len(twin.verdicts) for twin in score.twins),
        "calls": median(outcome.calls for outcome in score.twins),
        "to the first": median(firsts) if firsts else "",
        "seconds": median(outcome.seconds for outcome in score.twins),
    }


def row_of_bug(bug: str, scores: dict[str, Score]) -> timing.Row:
    """Return the row of one bug, with the tools that found it."""
    new_bugs = {name: "yes" if score.new(bug) else "" for name, score in scores.items()}
    return {"bug": bug, "of": BUGS[bug].tool, "what": BUGS[bug].what, **new_bugs}


if __name__ == "__main__":
    main()
