"""Callers of two replicas behind nginx, while replicas are killed and Redis is stopped.

Each call must end in its own result or in a typed error. An error needs a cause: a replica that
had just been killed or was draining, or Redis that didn't answer.
"""

from __future__ import annotations

import importlib
import math
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx2
from guards import PATIENCE
from programs import await_text, find, started
from replicated import CONTRACT, Replicas, Session, open_session, write_shop
from skeletons import await_answer, free_port

from mcpgen.codegen.pipeline import Options, generate
from mcpgen.files import write

NGINX = """\
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx-error.log;
daemon off;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  upstream replicas {{
    {servers}
    keepalive 64;
  }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://replicas;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_buffering off;
      proxy_read_timeout 300s;
    }}
  }}
}}
"""
TIMEOUT = 10.0
"""Seconds that a call may take."""
LIMIT = TIMEOUT + 10.0
"""Seconds after which a call, with a new connection, must have ended."""
AFTER = 5.0
"""Seconds in which the effect of a fault may be seen."""
UPDATE = 2.0
"""Seconds in which an update must arrive on an open stream."""


@dataclass(frozen=True)
class Fault:
    """An interference with the servers, with its start and end."""

    kind: str
    start: float
    end: float


@dataclass(frozen=True)
class Outcome:
    """The outcome of a call."""

    kind: str
    start: float
    end: float
    message: str = ""


@dataclass
class Report:
    """All outcomes and faults of a run."""

    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    faults: list[Fault] = field(default_factory=list[Fault])
    wrong: list[str] = field(default_factory=list[str])
    unexplained: list[str] = field(default_factory=list[str])
    idle: int = 0
    idle_served: int = 0
    updates: int = 0
    arrived: int = 0
    late: list[str] = field(default_factory=list[str])
    reread: int = 0
    in_window: int = 0
    slowest: float = 0.0

    def counts(self) -> dict[str, int]:
        """Return how many calls ended in each way."""
        return dict(sorted(Counter(outcome.kind for outcome in self.outcomes).items()))

    def judge(self) -> None:
        """Return the errors without a cause."""
        for outcome in self.outcomes:
            self.slowest = max(self.slowest, outcome.end - outcome.start)
            if outcome.kind == "ok":
                continue
            causes = CAUSES.get(outcome.kind, ())
            if not any(
                fault.kind in causes
                and outcome.start <= fault.end + AFTER
                and outcome.end >= fault.start
                for fault in self.faults
            ):
                self.unexplained.append(f"{outcome.kind} at {outcome.end:.1f}: {outcome.message}")

    def __str__(self) -> str:
        faults = Counter(fault.kind for fault in self.faults)
        facts = {
            "calls": f"{len(self.outcomes)}, {self.counts()}",
            "wrong": len(self.wrong),
            "unexplained": self.unexplained[:5],
            "slowest call in seconds": f"{self.slowest:.1f}",
            "faults": dict(faults),
            "idle sessions served": f"{self.idle_served} of {self.idle}",
            "updates on open streams": f"{self.arrived} of {self.updates}",
            "late updates": self.late[:5],
            "resources read again": self.reread,
            "calls in one window": self.in_window,
        }
        return "\n".join(f"{name}: {fact}" for name, fact in facts.items())


CAUSES = {
    "ConnectionLost": ("kill", "drain"),
    # A client opened a new session, and the replica ended before its response was complete.
    "ConnectionFailed": ("kill", "drain"),
    "HTTP 502": ("kill", "drain"),
    "HTTP 504": ("kill", "drain"),
    "HTTP 503": ("drain", "redis"),
    # The store failed while a call ran, whose response had begun.
    "ProtocolError": ("redis",),
}


@dataclass
class World:
    """Two replicas, nginx and Redis."""

    shop: Replicas
    url: str
    redis: subprocess.Popen[str]
    stack: ExitStack
    report: Report
    begin: float

    def now(self) -> float:
        return time.monotonic() - self.begin

    async def replace(self, index: int, kind: str) -> None:
        """Kill or drain a replica, and start it again a second later."""
        process, start = self.shop.processes[index], self.now()
        process.send_signal(signal.SIGKILL if kind == "kill" else signal.SIGTERM)
        await anyio.to_thread.run_sync(process.wait)
        end = self.now()
        self.report.faults.append(Fault(kind, start, end))
        if kind == "drain" and process.returncode != 0:
            self.report.wrong.append(f"SIGTERM ended with {process.returncode}")
        await anyio.sleep(1)
        port = self.shop.ports[index]
        log = (self.shop.folder / f"again-{port}-{start:.0f}.log").open("w")
        again = subprocess.Popen(
            self.shop.command(port), env=self.shop.variables, stderr=log, stdout=log, text=True
        )
        log.close()
        self.stack.callback(_end, again)
        self.shop.processes[index] = again
        await anyio.to_thread.run_sync(await_answer, port, again)

    async def stop_redis(self, seconds: float) -> None:
        start = self.now()
        self.redis.send_signal(signal.SIGSTOP)
        await anyio.sleep(seconds)
        self.redis.send_signal(signal.SIGCONT)
        self.report.faults.append(Fault("redis", start, self.now()))


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()


@contextmanager
def world(folder: Path) -> Iterator[World]:
    """Start everything."""
    write_shop(folder)
    redis_port, port = free_port(), free_port()
    shop = Replicas(folder, f"redis://127.0.0.1:{redis_port}", {"RATE": "100"})
    shop.ports = [free_port(), free_port()]
    with ExitStack() as stack:
        command = [find("redis-server"), "--port", str(redis_port), "--save", ""]
        redis = stack.enter_context(started(command, folder / "redis.log"))
        await_text(folder / "redis.log", "Ready to accept connections", redis)
        for each in shop.ports:
            shop.processes.append(stack.enter_context(shop.replica(each)))
        servers = "\n    ".join(
            f"server 127.0.0.1:{each} max_fails=1 fail_timeout=1s;" for each in shop.ports
        )
        configuration = folder / "nginx.conf"
        configuration.write_text(NGINX.format(folder=folder, servers=servers, port=port))
        command = [find("nginx"), "-c", str(configuration), "-e", str(folder / "start.log")]
        nginx = stack.enter_context(started(command, folder / "nginx.log"))
        await_answer(port, nginx)
        url = f"http://127.0.0.1:{port}/mcp"
        yield World(shop, url, redis, stack, Report(), time.monotonic())


def client_package(folder: Path) -> Any:
    """Generate and import a client of the server."""
    generated = generate(CONTRACT, Options(name="shop_client"))
    write.write_all([write.Folder(folder / "client" / "shop_client", generated.files)])
    sys.path.insert(0, str(folder / "client"))
    importlib.invalidate_caches()
    package = importlib.import_module("shop_client")
    package.Client = getattr(package, generated.client)  # type: ignore[attr-defined]
    return package


async def run(world: World, package: Any, callers: int, seconds: float, every: float) -> Report:
    """Let callers work while replicas are killed at this interval, in seconds."""
    report = world.report
    report.in_window = await count_window(world, package)
    async with AsyncExitStack() as stack:
        idle = [await stack.enter_async_context(open_session(world.url)) for _ in range(50)]
        report.idle = len(idle)
        world.begin = time.monotonic()
        async with anyio.create_task_group() as group:
            for number in range(callers):
                era = "legacy" if number % 2 else "modern"
                group.start_soon(_call_often, world, package, era, number, seconds)
            watchers = [Watcher(world, era) for era in ("legacy", "modern") * 5]
            for watcher in watchers:
                group.start_soon(watcher.run, package, seconds)
            group.start_soon(_update, world, watchers, seconds)
            group.start_soon(_break, world, seconds, every)
        for session in idle:
            report.idle_served += await _is_served(world, session)
    report.judge()
    return report


async def _break(world: World, seconds: float, every: float) -> None:
    """Kill replicas at regular intervals. In between, drain one and stop Redis, once each."""
    count = math.ceil(seconds / every) - 1
    for number in range(1, count + 1):
        await _until(world, number * every)
        await world.replace(number % 2, "kill")
        if number == max(1, count // 3):
            await _until(world, (number + 0.5) * every)
            await world.replace(number % 2, "drain")
        elif number == max(2, 2 * count // 3):
            await _until(world, (number + 0.4) * every)
            await world.stop_redis(5.0)


async def _until(world: World, moment: float) -> None:
    await anyio.sleep(max(0.0, moment - world.now()))


async def _call_often(world: World, package: Any, era: str, number: int, seconds: float) -> None:
    """Call again and again with different arguments, and note how each call ends."""
    chance = random.Random(number)
    await anyio.sleep(chance.random() * 2)
    while world.now() < seconds:
        with anyio.move_on_after(LIMIT) as connecting:
            try:
                async with connect(world, package, era) as shop:
                    connecting.deadline = math.inf
                    await _calls(world, shop, number, chance, seconds)
            except package.ClientError as error:
                # Of the connection; a call has its own.
                world.report.outcomes.append(_failed(error, world.now(), world.now()))
        if connecting.cancelled_caught:
            world.report.wrong.append(f"caller {number} hung until {world.now():.1f}")


async def _calls(
    world: World, shop: Any, number: int, chance: random.Random, seconds: float
) -> None:
    turn = 0
    with anyio.CancelScope() as scope:
        while world.now() < seconds:
            scope.deadline = anyio.current_time() + LIMIT
            turn += 1
            start, mark = world.now(), f"{number}-{turn}-{chance.random()}"
            try:
                result = await shop.order(number=mark)
            except shop_errors(shop) as error:
                world.report.outcomes.append(_failed(error, start, world.now()))
            else:
                world.report.outcomes.append(Outcome("ok", start, world.now()))
                text = result.text
                if text != mark:
                    world.report.wrong.append(f"{text} instead of {mark}")
            await anyio.sleep(0.5 + chance.random())
    if scope.cancelled_caught:
        world.report.wrong.append(f"a call of caller {number} hung until {world.now():.1f}")


def shop_errors(shop: Any) -> type[Exception]:
    error: type[Exception] = sys.modules["shop_client"].ClientError
    return error


def _failed(error: Any, start: float, end: float) -> Outcome:
    # An error of connecting holds the HTTP error that caused it.
    status = getattr(getattr(error, "http", None) or error, "status", None)
    kind = f"HTTP {status}" if status else type(error).__name__
    return Outcome(kind, start, end, str(error))


@asynccontextmanager
async def connect(world: World, package: Any, era: str, **options: Any) -> AsyncIterator[Any]:
    session = package.SessionOptions(era="legacy" if era == "legacy" else "auto")
    connecting = package.Client.connect(world.url, session=session, timeout=TIMEOUT, **options)
    async with connecting as shop:
        yield shop


async def _is_served(world: World, session: Session) -> bool:
    """Return True if a session answers without a new ``initialize``."""
    try:
        return (await session.call(world.url, "who")).isdecimal()
    except AssertionError as error:
        world.report.wrong.append(f"an idle session: {error}")
        return False


async def count_window(world: World, package: Any) -> int:
    """Return how many of 200 calls run in one window, where 100 are allowed."""
    answers: list[str] = []

    async def call() -> None:
        async with connect(world, package, "modern") as shop:
            try:
                answers.append(str(await shop.limited()))
            except package.ToolError as error:
                answers.append(str(error))

    async with anyio.create_task_group() as group:
        for _ in range(200):
            group.start_soon(call)
    assert len(answers) == 200
    return sum("allowed" in answer for answer in answers)


@dataclass
class Watcher:
    """A client that subscribes to the resource that changes."""

    world: World
    era: str
    seen: list[float] = field(default_factory=list[float])
    is_connected: bool = False

    async def run(self, package: Any, seconds: float) -> None:
        callbacks = package.Callbacks(on_resource_updated=self._note)
        while self.world.now() < seconds:
            try:
                options = {"callbacks": callbacks}
                async with connect(self.world, package, self.era, **options) as shop:
                    await shop.resources.subscribe("shop://stock")
                    self.is_connected = True
                    while self.world.now() < seconds:
                        await anyio.sleep(0.2)
            except package.ClientError:
                await anyio.sleep(0.2)
            self.is_connected = False

    def _note(self, uri: str) -> None:
        del uri
        self.seen.append(self.world.now())


async def _update(world: World, watchers: list[Watcher], seconds: float) -> None:
    """Change the resource, and check which watchers are notified in time."""
    report = world.report
    await anyio.sleep(3)
    while world.now() < seconds - 4:
        start = world.now()
        connected = [watcher for watcher in watchers if watcher.is_connected]
        try:
            async with httpx2.AsyncClient(timeout=PATIENCE) as http:
                from guarded import post

                response = await post(http, None, params=_CHANGE, path=world.url)
        except httpx2.HTTPError:
            await anyio.sleep(1)
            continue
        await anyio.sleep(UPDATE)
        is_calm = not any(
            fault.start - UPDATE - 1 <= start <= fault.end + AFTER for fault in report.faults
        ) and all(process.poll() is None for process in world.shop.processes)
        if response.status_code == 200 and "changed" in response.text and is_calm:
            for watcher in connected:
                report.updates += 1
                is_seen = any(start <= moment <= start + UPDATE for moment in watcher.seen)
                report.arrived += is_seen
                if not is_seen:
                    report.late.append(f"{watcher.era} at {start:.1f}")
        await anyio.sleep(1)
    report.reread = sum(
        any(fault.end <= moment <= fault.end + 2 * AFTER for moment in watcher.seen)
        for watcher in watchers
        for fault in report.faults
        if fault.kind == "kill"
    )


_CHANGE: dict[str, Any] = {"name": "change", "arguments": {}}
