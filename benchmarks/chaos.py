"""Many callers of one client whose server fails: a generated client compared with the SDK's.

The server is killed and restarted, forgets its sessions, responds with an HTTP status, hangs, is
slow or sends garbage, or the client is closed from another task or thread. One tool is safe to
repeat, the other logs each of its calls. Every result must be correct, every error must be one of
the client's own, and every call must end in time. After the client is closed, leftovers are
counted. Each case runs in its own process. The benchmark needs /proc.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import faulthandler
import gc
import importlib
import itertools
import json
import logging
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import chaos_server
import timing
from mcp import Client, MCPError, StdioServerParameters
from mcpgen_runtime import SessionOptions

from mcpgen.codegen.pipeline import Options, generate
from mcpgen.contract.document import Contract
from mcpgen.files import write

CALLERS = 200
TIMEOUT, CONNECT_TIMEOUT = 3.0, 4.0
LIMIT = CONNECT_TIMEOUT + TIMEOUT + 3.0
"""How long a call may take: to be connected, to be answered, and to ask whether one is there."""
EVERY = 5.0
FROZEN = 4.0
STUCK = 60.0
"""How long after its end a row is waited for; then it says where it stands."""
PAUSE = 0.05
"""How long a caller waits after an error."""
DELAYS = (0.0, 0.0, 0.01, 0.3)

STATUSES = ("404", "401", "429", "500", "503")
FAULTS = {
    "http": ("kill", *STATUSES, "freeze", "slow", "garbage", "close"),
    "stdio": ("kill", "freeze", "slow", "garbage", "close"),
}
SERVER = str(Path(chaos_server.__file__))


@dataclass(frozen=True)
class Row:
    """A case: the client, the transport, the era and the fault."""

    who: str
    transport: str
    era: str
    fault: str
    seconds: float
    callers: int
    trust: bool = False


@dataclass
class Seen:
    """The outcomes that callers saw. Many threads append to it."""

    outcomes: deque[tuple[str, str, str]] = field(default_factory=deque)
    """Of each call that ended its tool, its key, and what became of it."""
    turns: Iterator[int] = field(default_factory=itertools.count)
    slowest: float = 0.0
    faults: int = 0
    is_over: bool = False

    def note(self, tool: str, key: str, outcome: str) -> None:
        """Record the outcome of a call."""
        self.outcomes.append((tool, key, outcome))

    def row(self, acted: Counter[str]) -> timing.Row:
        """Return the numbers of the calls, as seen by callers and by the server."""
        kinds = Counter(outcome for _, _, outcome in self.outcomes)
        successes = kinds.pop("done", 0)
        special = {kind: n for kind, n in kinds.items() if kind.isupper() or " " in kind}
        untrue = sum(
            (outcome == "done" and not acted[key])
            or (outcome.endswith(", did not run") and acted[key])
            for tool, key, outcome in self.outcomes
            if tool == "act"
        )
        typed = Counter[str]()
        for kind, n in kinds.items():
            if kind not in special or kind.endswith(", did not run"):
                typed[kind.partition(",")[0]] += n
        untyped = {kind[8:]: n for kind, n in special.items() if kind.startswith("UNTYPED ")}
        return {
            "faults": self.faults,
            "done": successes,
            "typed errors": _counts(typed),
            "wrong": kinds["WRONG"] + int(untrue),
            "untyped": _counts(Counter(untyped)) or "0",
            "hanging": kinds["HANGING"],
            "repeated": sum(n > 1 for n in acted.values()),
            "slowest s": round(self.slowest, 1),
        }


def _counts(kinds: Counter[str]) -> str:
    return ", ".join(f"{n:,} {kind}" for kind, n in kinds.most_common())


Call = Callable[[str, str, float], Awaitable[str]]
"""Calls a tool with a key and a delay, and returns the key of the answer."""


async def caller(
    call: Call, number: int, until: float, observed: Seen, typed: type[Exception]
) -> None:
    """Call until the time is up."""
    while time.monotonic() < until:
        tool, key = random.choice(("echo", "echo", "act")), f"{number}-{next(observed.turns)}"
        began = time.monotonic()
        outcome = "HANGING"
        try:
            with anyio.move_on_after(LIMIT):
                answered = await call(tool, key, random.choice(DELAYS))
                outcome = "done" if answered == key else "WRONG"
        except typed as error:
            outcome = type(error).__name__
            if not getattr(error, "may_have_run", True):
                outcome += ", did not run"
        except asyncio.CancelledError:
            outcome = "UNTYPED CancelledError"
            if not observed.is_over:
                raise
        except Exception as error:
            outcome = f"UNTYPED {type(error).__name__}"
        finally:
            observed.note(tool, key, outcome)
            observed.slowest = max(observed.slowest, time.monotonic() - began)
        if outcome != "done":
            await asyncio.sleep(PAUSE)


# Clients


class Generated:
    """A generated client that all callers share: nine in ten in its loop, the others in threads."""

    def __init__(self, row: Row, package: Any, target: Any) -> None:
        self.row, self.package, self.target = row, package, target
        self.client: Any = None

    async def open(self) -> Any:
        """Open a client."""
        return await self.package.Client.open(
            self.target,
            timeout=TIMEOUT,
            session=SessionOptions(connect_timeout=CONNECT_TIMEOUT),
            trust=self.row.trust,
        )

    async def begin(self) -> None:
        """Open the first client, which may take several attempts on a busy machine."""
        while self.client is None:
            with contextlib.suppress(self.package.ConnectionFailed):
                self.client = await asyncio.create_task(self.open())

    async def call(self, tool: str, key: str, delay: float) -> str:
        """Call a tool by its method."""
        answered = await getattr(self.client, tool)(key=key, delay=delay)
        return str(answered.key)

    async def close(self) -> None:
        """Replace the client and close the one in use, every second time from a thread."""
        old, self.client = self.client, await self.open()
        if random.random() < 0.5:
            await asyncio.create_task(old.aclose())
        else:
            await asyncio.to_thread(lambda: asyncio.run(old.aclose()))

    async def run(self, until: float, observed: Seen) -> None:
        """Run all callers, and close the client in another task than the one that opened it."""
        typed = self.package.ClientError

        def one(number: int) -> Any:
            return caller(self.call, number, until, observed, typed)

        def in_own_loop(number: int) -> None:
            asyncio.run(one(number))

        in_threads = self.row.callers // 10
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(in_threads or 1) as pool:
            await asyncio.gather(
                *(one(number) for number in range(in_threads, self.row.callers)),
                *(loop.run_in_executor(pool, in_own_loop, number) for number in range(in_threads)),
            )
        observed.is_over = True
        await asyncio.create_task(self.client.aclose())


class Plain:
    """The SDK's client on its own, reopened after failures."""

    def __init__(self, row: Row, target: Any) -> None:
        self.row, self.target = row, target
        self.mode = "legacy" if row.era == "2025" else "auto"
        self.client: Any = None

    async def begin(self) -> None:
        """Do nothing: callers open the client."""

    async def call(self, tool: str, key: str, delay: float) -> str:
        """Call a tool by its name."""
        result = await self.client.call_tool(tool, {"key": key, "delay": delay})
        return str(result.structured_content["key"])

    async def close(self) -> None:
        """Close it from another task."""
        await self.client.__aexit__(None, None, None)

    async def run(self, until: float, observed: Seen) -> None:
        """Run all callers within the client's block."""
        while time.monotonic() < until:
            try:
                async with (
                    Client(self.target, mode=self.mode, read_timeout_seconds=TIMEOUT) as sdk,
                    anyio.create_task_group() as tasks,
                ):
                    self.client = sdk
                    for number in range(self.row.callers):
                        tasks.start_soon(caller, self.call, number, until, observed, MCPError)
            except BaseException:  # groups of exceptions from the transport
                await asyncio.sleep(PAUSE)
        observed.is_over = True


# Faults


@dataclass
class Breaking:
    """A server that can be broken and repaired."""

    row: Row
    folder: Path
    port: int
    observations: Seen
    close: Callable[[], Awaitable[None]] = field(init=False)
    process: subprocess.Popen[bytes] | None = None

    @property
    def command(self) -> list[str]:
        """The command that starts the server."""
        where = str(self.port) if self.row.transport == "http" else "stdio"
        return [sys.executable, "-S", SERVER, str(self.folder), self.row.era, where]

    @property
    def target(self) -> Any:
        """The target of clients."""
        if self.row.transport == "http":
            return f"http://127.0.0.1:{self.port}/mcp"
        return StdioServerParameters(command=self.command[0], args=self.command[1:])

    def start(self) -> None:
        """Start the server if the client doesn't."""
        if self.row.transport != "http":
            return
        self.process = subprocess.Popen(self.command)
        while True:
            with socket.socket() as asking:
                if not asking.connect_ex(("127.0.0.1", self.port)):
                    return
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended with {self.process.returncode}")
            time.sleep(0.02)

    def end(self) -> None:
        """Kill the server, frozen or not."""
        if self.process:
            self.process.kill()
            self.process.wait()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the server."""
        for pid in [self.process.pid] if self.process else children():
            with contextlib.suppress(ProcessLookupError):  # the client has already ended it
                os.kill(pid, number)

    async def run(self, until: float) -> None:
        """Break the server repeatedly. After the last time, it works again."""
        every = min(EVERY, self.row.seconds / 2)
        while time.monotonic() + every / 2 < until:
            await asyncio.sleep(every / 2)
            self.observations.faults += 1
            try:
                await self.once(every / 2)
            except Exception as error:
                self.observations.note("", "", f"UNTYPED {type(error).__name__} on closing")

    async def once(self, seconds: float) -> None:
        """Break the server once, for a few seconds at most."""
        fault = self.row.fault
        if fault == "close":
            await self.close()
        elif fault == "kill":
            self.signal(signal.SIGKILL)
            if self.process:
                self.process.wait()
                await asyncio.sleep(0.3)
                await asyncio.to_thread(self.start)
        elif fault == "freeze":
            await self.freeze()
        else:
            (self.folder / "fault").write_text(f"{fault} {self.observations.faults}")
            await asyncio.sleep(seconds)
            (self.folder / "fault").write_text("")

    async def freeze(self) -> None:
        """Freeze the server. It is resumed, or every second time killed and restarted."""
        self.signal(signal.SIGSTOP)
        if not self.process:
            return
        await asyncio.sleep(FROZEN)
        if self.observations.faults % 2:
            self.signal(signal.SIGCONT)
        else:
            self.end()
            await asyncio.to_thread(self.start)


# One row


def run_row(row: Row, target: Path) -> timing.Row:
    """Run one case in this process."""
    logging.disable(logging.CRITICAL)
    faulthandler.dump_traceback_later(row.seconds + STUCK + 30, exit=True)
    with tempfile.TemporaryDirectory() as folder, free_port() as port:
        for name in ("fault", "acted"):
            (Path(folder) / name).touch()
        result = asyncio.run(_measured(row, target, Path(folder), port))
    leaks: Counter[str] = Counter(result.pop("left"))
    leaks += Counter(threads=threading.active_count() - 1, processes=len(children()))
    return {**result, "left": _counts(leaks) or "0"}


async def _measured(row: Row, target: Path, folder: Path, port: int) -> timing.Row:
    observed = Seen()
    breaking = Breaking(row, folder, port, observed)
    client: Generated | Plain
    if row.who == "mcpgen":
        sys.path.insert(0, str(target))
        client = Generated(row, importlib.import_module(f"bench{row.era}"), breaking.target)
    else:
        client = Plain(row, breaking.target)
    breaking.close = client.close
    await asyncio.to_thread(breaking.start)
    sockets = open_sockets()
    await client.begin()
    until = time.monotonic() + row.seconds
    running = asyncio.create_task(client.run(until, observed))
    breaker = asyncio.create_task(breaking.run(until))
    completed, _ = await asyncio.wait([running], timeout=row.seconds + STUCK)
    if not completed:
        for task in asyncio.all_tasks():
            task.print_stack(file=sys.stderr)
    breaker.cancel()
    await asyncio.gather(breaker, return_exceptions=True)
    breaking.end()
    await asyncio.sleep(0.5)
    gc.collect()
    ours = {asyncio.current_task()}
    leaks = {
        "tasks": len(asyncio.all_tasks() - ours),
        "sockets": max(open_sockets() - sockets, 0),
    }
    acted = Counter((folder / "acted").read_text().split())
    await asyncio.gather(*completed, return_exceptions=True)
    for task in completed:
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is not None:
            observed.note("", "", f"UNTYPED {type(error).__name__} out of all")
    result = observed.row(acted)
    if not completed:
        result["hanging"] += row.callers
    return {**result, "left": leaks}


def children() -> list[int]:
    """Return the running child processes."""
    numbers: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                args = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(args[1]) == os.getpid() and args[0] != "Z":
                numbers.append(int(entry.name))
    return numbers


def open_sockets() -> int:
    """Return the number of open sockets of this process."""
    lines = 0
    for entry in Path("/proc/self/fd").iterdir():
        try:
            lines += str(entry.readlink()).startswith("socket:")
        except OSError:
            continue
    return lines


@contextmanager
def free_port() -> Iterator[int]:
    """Return a free port that no other process is given."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", 0))
        yield listener.getsockname()[1]


# All rows


def packages(folder: Path) -> None:
    """Write a client for each era."""
    for era, revision in chaos_server.REVISIONS.items():
        contract = Contract(tools=chaos_server.TOOLS, revision=revision, server={"name": "chaos"})
        name = f"bench{era}"
        write.write(generate(contract, Options(name=name)).files, folder / name)


def in_process(row: Row, folder: Path) -> timing.Row:
    """Run a case in its own process, and return its result."""
    command = [sys.executable, __file__, "--row", json.dumps(vars(row)), str(folder)]
    try:
        completed = subprocess.run(
            command, stdout=subprocess.PIPE, check=True, timeout=row.seconds + STUCK + 60
        )
        return dict(json.loads(completed.stdout))
    except (subprocess.SubprocessError, ValueError) as error:
        empty = {"faults": 0, "done": 0, "typed errors": "", "wrong": 0}
        why = f"it did not end: {type(error).__name__}"
        never = {"untyped": why, "hanging": row.callers, "repeated": 0, "slowest s": 0.0}
        return {**empty, **never, "left": "not known"}


def rows(namespace: argparse.Namespace) -> Iterator[Row]:
    """Yield the requested cases."""
    for transport in namespace.transport or FAULTS:
        for fault in namespace.fault or FAULTS[transport]:
            for era in namespace.era or chaos_server.REVISIONS:
                for who in namespace.client or ("mcpgen", "SDK"):
                    if fault in FAULTS[transport]:
                        measured = namespace.seconds, namespace.callers
                        yield Row(who, transport, era, fault, *measured, namespace.trust)


def main() -> None:
    """Print a table, row by row. Fail if the generated client breaks a promise."""
    if sys.argv[1:2] == ["--row"]:
        print(json.dumps(run_row(Row(**json.loads(sys.argv[2])), Path(sys.argv[3]))))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="of each row")
    parser.add_argument("--callers", type=int, default=CALLERS)
    parser.add_argument("--fault", nargs="+", choices=FAULTS["http"])
    parser.add_argument("--transport", nargs="+", choices=list(FAULTS))
    parser.add_argument("--era", nargs="+", choices=list(chaos_server.REVISIONS))
    parser.add_argument("--client", nargs="+", choices=["mcpgen", "SDK"])
    parser.add_argument("--trust", action="store_true", help="connect(trust=True)")
    namespace = parser.parse_args()
    results: list[timing.Row] = []
    with tempfile.TemporaryDirectory() as temporary:
        packages(folder := Path(temporary))
        for row in rows(namespace):
            result = {"client": row.who, "over": row.transport, "era": row.era, "fault": row.fault}
            results.append({**result, "seconds": row.seconds, **in_process(row, folder)})
            print(json.dumps(results[-1]), file=sys.stderr, flush=True)
    print(timing.table(results))
    broken = [row for row in results if row["client"] == "mcpgen" and breaks_a_promise(row)]
    if broken:
        sys.exit(f"{len(broken)} rows break what docs/promises.md says")


def breaks_a_promise(row: timing.Row) -> bool:
    """Return True if a case shows behavior that a generated client must never have."""
    numbers = row["wrong"] + row["hanging"] + row["repeated"]
    return bool(numbers) or row["untyped"] != "0" or row["left"] != "0"


if __name__ == "__main__":
    main()
