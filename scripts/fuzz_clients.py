"""Calls generated clients of hostile servers and checks how each call ends.

    python scripts/fuzz_clients.py --seconds 60 --seed 1

A call must end with a result or a ``ClientError`` of the package. Findings are other exceptions,
calls without end, warnings and leftover tasks. The servers return valid or mutated results for
the golden contracts and, if present, the corpus. They mutate values and bytes, over both protocols
and every transport. ``--case N`` repeats one case of a seed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import importlib
import logging
import random
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from framing import Site, memory
from fuzz import _seed, _seeds
from hostile import LEGACY, MODERN, Hostile, example
from httpcore2 import _ssl
from mcp import types
from mcpgen_runtime import SessionOptions

from mcpgen.codegen.pipeline import STYLES, Options, generate
from mcpgen.contract.document import Contract, read
from mcpgen.errors import McpgenError

AT_ONCE = 12
BATCH = 96
PACKAGES = 15
LIMIT = 1.0
"""How long a call may take: as long as a case waits for an answer that is not given."""
HANGS = 60.0


class Fuzzer:
    """The findings, and the state shared by cases."""

    def __init__(self, seed: int, site: Site, folder: Path) -> None:
        self.seed, self.site, self.folder = seed, site, folder
        self.findings: dict[str, str] = {}
        self.counts: Counter[str] = Counter()
        self.packages: list[tuple[Any, Contract]] = []
        self.seeds = _seeds()
        self.is_loud = False

    def report(self, text: str, case: int, detail: str = "") -> None:
        """Print a finding, once per kind."""
        if text not in self.findings:
            self.findings[text] = f"--seed {self.seed} --case {case}"
            print(f"finding: {text}\n  {self.findings[text]}\n{detail}", flush=True)

    def package(self, case: int) -> tuple[Any, Contract]:
        """Return the package of a case. Many cases share one."""
        number = case % PACKAGES
        while len(self.packages) <= number:
            self.packages.append(self._build_package(len(self.packages)))
        return self.packages[number]

    def _build_package(self, number: int) -> tuple[Any, Contract]:
        chance = random.Random(self.seed * 1000 + number)
        while True:
            try:
                revision = MODERN if number % 2 else LEGACY
                contract = replace(read(_seed(chance, self.seeds)), revision=revision)
                options = Options(name=f"fuzzed_{number}", style=STYLES[number % 3])
                package = generate(contract, options)
            except McpgenError:
                continue
            for name, text in package.files.items():
                file = self.folder / package.package / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(text.encode())
            importlib.invalidate_caches()
            return importlib.import_module(package.package), contract

    async def case(self, number: int) -> None:
        """Connect, make calls, and check their outcomes."""
        chance = random.Random(f"{self.seed} {number}")
        package, contract = self.package(number)
        is_modern = contract.revision == MODERN and chance.random() < 0.8
        hostile = Hostile(contract, chance, is_modern=is_modern)
        name = f"c{number}"
        self.site.cases[name] = hostile
        way = chance.choice(["memory", "memory", "stdio", "http", "http", "http", "sse"])
        if way == "sse":
            hostile.is_modern = False
        self.counts["modern" if hostile.is_modern else "legacy"] += 1
        target = {
            "memory": lambda: memory(hostile),
            "stdio": lambda: self.site.command(name),
            "http": lambda: self.site.url(name),
            "sse": lambda: self.site.url(name, is_sse=True),
        }[way]()
        is_sync = chance.random() < 0.2
        self.counts[way] += 1
        act = Case(self, number, package, contract, chance)
        try:
            if is_sync:
                await _in_a_thread(lambda: act.wait(target))
            else:
                await asyncio.wait_for(act.go(target), HANGS)
        except (asyncio.TimeoutError, TimeoutError):
            self.report(f"{way}: a case does not end", number, act.doing)
        except BaseException as error:
            act.judge(error)
        self.site.forget(name)


async def _in_a_thread(do: Callable[[], None]) -> None:
    """Run in a new thread, because the pool has few."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[BaseException | None] = loop.create_future()

    def run() -> None:
        failure: BaseException | None = None
        try:
            do()
        except BaseException as error:
            failure = error
        loop.call_soon_threadsafe(ended.cancelled() or ended.set_result, failure)

    threading.Thread(target=run, daemon=True).start()
    failure = await asyncio.wait_for(ended, HANGS)
    if failure is not None:
        raise failure


class Case:
    """A connection: its calls, and the check of their outcomes."""

    def __init__(
        self, fuzzer: Fuzzer, number: int, package: Any, contract: Contract, chance: random.Random
    ) -> None:
        self.fuzzer, self.number, self.package = fuzzer, number, package
        # Its own, since the server's is used at the same time.
        self.contract, self.chance = contract, random.Random(chance.random())
        self.doing = "connecting"

    def options(self) -> dict[str, Any]:
        """Choose how to connect."""
        chance = self.chance
        elicit = chance.choice([None, lambda *_: types.ElicitResult(action="accept", content={})])
        return {
            "verify": chance.choice(["warn", "error", "off"]),
            "timeout": LIMIT,
            "session": SessionOptions(connect_timeout=5.0),
            "elicit": elicit,
        }

    async def go(self, target: Any) -> None:
        """Make all calls with the async client."""
        async with self.package.Client.connect(target, **self.options()) as client:
            for _ in range(self.chance.randint(1, 3)):
                calls = [self.ask(client) for _ in range(self.chance.choice([1, 1, 1, 3]))]
                await asyncio.gather(*(self._run_call(*call) for call in calls))
        self.doing = "disconnecting"

    async def _run_call(self, doing: str, ask: Callable[[], Any]) -> None:
        self.doing = doing
        try:
            self.look(await ask())
        except BaseException as error:
            self.judge(error)

    def wait(self, target: Any) -> None:
        """Make all calls with the sync client."""
        with self.package.Client.sync.connect(target, **self.options()) as client:
            for _ in range(self.chance.randint(1, 4)):
                self.doing, ask = self.ask(client)
                try:
                    self.look(ask())
                except BaseException as error:
                    self.judge(error)

    def ask(self, client: Any) -> tuple[str, Callable[[], Any]]:
        """Choose a call."""
        chance = self.chance
        if chance.random() < 0.3:
            client = client.with_options(on_progress=lambda *_: None)
        kind = chance.choice(["tool", "tool", "tool", "response", "prompt", "resource"])
        names = sorted(self.contract.tools)
        if kind in ("tool", "response") and names:
            name = chance.choice(names)
            arguments = example(self.contract.tools[name].get("inputSchema") or {})
            arguments = arguments if isinstance(arguments, dict) else {}
            if kind == "tool":
                return name, lambda: client.call(name, arguments)
            return name, lambda: client.response(client.call, name, arguments)
        if kind == "prompt" and hasattr(client, "prompts"):
            method = getattr(client.prompts, _methods(client.prompts)[0])
            return "prompt", lambda: method(**_strings(method))
        if hasattr(client, "resources"):
            return "resource", lambda: client.resources.read("a://b")
        if names and chance.random() < 0.8:
            arguments = example(self.contract.tools[names[0]].get("inputSchema") or {})
            return names[0], lambda: client.call(
                names[0], arguments if isinstance(arguments, dict) else {}
            )
        return "nothing", lambda: client.call("no such tool", {})

    def look(self, result: Any) -> None:
        """Access everything in a result."""
        self.fuzzer.counts["results"] += 1
        repr(result)
        for name in ("text", "images", "audio", "resources", "resource_links", "blobs", "content"):
            getattr(result, name, None)
        if type(result).__name__ in ("ToolResult", "ResourceResult"):
            with contextlib.suppress(ValueError):  # documented exception
                result.json()

    def judge(self, error: BaseException) -> None:
        """Report an exception that no caller should see."""
        if isinstance(error, self.package.ClientError):
            self.fuzzer.counts[type(error).__name__] += 1
            str(error), repr(error)
            if self.fuzzer.is_loud:
                print(f"{self.doing}: {type(error).__name__}: {error}"[:300])
            return
        at = traceback.extract_tb(error.__traceback__)
        last = at[-1]
        output = f"{type(error).__name__} at {Path(last.filename).name}:{last.name} ({self.doing})"
        short = f"{type(error).__name__} at {Path(last.filename).name}:{last.name}"
        detail = "".join(traceback.format_exception(error))[-3000:]
        self.fuzzer.report(short, self.number, f"{output}\n{detail}")


def _methods(view: Any) -> list[str]:
    own = ("with_options", "asynchronous", "portal")
    return [name for name in dir(type(view)) if not name.startswith("_") and name not in own]


def _strings(method: Any) -> dict[str, Any]:
    import inspect

    return dict.fromkeys(inspect.signature(method).parameters, "x")


async def run(namespace: argparse.Namespace, fuzzer: Fuzzer) -> None:
    """Run cases in batches, and check for leftovers after each batch."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(
        lambda _, context: fuzzer.report(f"loop: {context.get('message')}", -1, repr(context))
    )
    start, case = time.monotonic(), 0
    while time.monotonic() - start < namespace.seconds:
        numbers = [namespace.case] if namespace.case >= 0 else range(case, case + BATCH)
        before = asyncio.all_tasks()
        turn = asyncio.Semaphore(AT_ONCE)
        await asyncio.gather(*(_in_turn(fuzzer, number, turn) for number in numbers))
        fuzzer.counts["cases"] += len(numbers)
        case += BATCH
        await _nothing_left(fuzzer, before, case)
        if namespace.case >= 0:
            break


async def _in_turn(fuzzer: Fuzzer, number: int, turn: asyncio.Semaphore) -> None:
    async with turn:
        await fuzzer.case(number)


async def _nothing_left(fuzzer: Fuzzer, before: set[Any], case: int) -> None:
    for _ in range(300):
        remaining = [t for t in asyncio.all_tasks() - before if "Site._served" not in repr(t)]
        if not remaining:
            break
        await asyncio.sleep(0.01)
    for task in remaining:
        fuzzer.report(f"a task is left: {task.get_coro().__qualname__}", case, repr(task))
    gc.collect()


async def main() -> int:
    """Run for some seconds and print each finding once, by the place that it comes from."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int, default=-1)
    parser.add_argument("--loud", action="store_true", help="show each allowed error")
    namespace = parser.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("error")
    start = time.monotonic()
    # Reading the certificates takes longer than all the rest of a case.
    _ssl.default_ssl_context = cache(_ssl.default_ssl_context)
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        async with Site().open() as site:
            fuzzer = Fuzzer(namespace.seed, site, Path(folder))
            fuzzer.is_loud = namespace.loud
            sys.unraisablehook = lambda caught: fuzzer.report(
                f"unraisable: {caught.exc_value!r}"[:200], -1, repr(caught.object)
            )
            await run(namespace, fuzzer)
            gc.collect()
    took = time.monotonic() - start
    counts = ", ".join(f"{name} {count}" for name, count in sorted(fuzzer.counts.items()))
    print(f"{took:.0f} s: {counts}; {len(fuzzer.findings)} findings (seed {namespace.seed})")
    return bool(fuzzer.findings)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
