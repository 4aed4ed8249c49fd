"""Several workers serve as one server, are replaced when they die, and stop together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from guarded import post
from guards import PATIENCE, until
from programs import redis
from replicated import Replicas, open_session, write_shop
from skeletons import free_port

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(sys.platform == "win32", reason="workers need POSIX"),
]
COUNT = 3


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with redis(tmp_path_factory.mktemp("redis")) as url:
        yield url


@pytest.fixture
def shop(store: str, tmp_path: Path) -> Iterator[Replicas]:
    write_shop(tmp_path)
    shop = Replicas(tmp_path, store, options=("--workers", str(COUNT)), ports=[free_port()])
    with shop.replica(shop.ports[0]) as process:
        shop.processes.append(process)
        yield shop


async def pids(url: str) -> set[int]:
    """Return the processes that answer, each on a connection of its own."""
    found: set[int] = set()
    for _ in range(60):
        async with httpx2.AsyncClient(timeout=PATIENCE) as http:
            answer = await post(http, None, params={"name": "who", "arguments": {}}, path=url)
            found.add(int(answer.json()["result"]["content"][0]["text"]))
        if len(found) == COUNT:
            break
    return found


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"


def test_workers_share_the_port_and_the_sessions(shop: Replicas) -> None:
    async def check() -> None:
        async with open_session(shop.urls[0]) as session:
            found: set[Any] = set()
            for _ in range(60):
                async with httpx2.AsyncClient(timeout=PATIENCE) as http:
                    session.http = http
                    found.add(await session.call(shop.urls[0], "who"))
            assert len(found) > 1

    anyio.run(check)


def test_killed_worker_is_replaced(shop: Replicas) -> None:
    first = anyio.run(pids, shop.urls[0])
    os.kill(min(first), signal.SIGKILL)
    time.sleep(0.5)
    until(lambda: min(first) not in anyio.run(pids, shop.urls[0]))
    until(lambda: len(anyio.run(pids, shop.urls[0])) >= 2)
    assert shop.processes[0].poll() is None


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)], ids=["SIGTERM", "SIGINT"]
)
def test_signal_drains_all_workers(shop: Replicas, number: signal.Signals, code: int) -> None:
    url = shop.urls[0]
    workers = anyio.run(pids, url)
    answers: list[str] = []

    async def check() -> None:
        async def call() -> None:
            async with httpx2.AsyncClient(timeout=PATIENCE) as http:
                params = {"name": "slow", "arguments": {"marker": "drain", "seconds": 1}}
                answers.append((await post(http, None, params=params, path=url)).text)

        async with anyio.create_task_group() as group:
            for _ in range(6):
                group.start_soon(call)
            while not (shop.folder / "drain.begun").exists():
                await anyio.sleep(0.02)
            await anyio.sleep(0.3)
            shop.processes[0].send_signal(number)

    anyio.run(check)
    assert ['"done"' in answer for answer in answers] == [True] * 6
    assert shop.processes[0].wait(timeout=PATIENCE) == code
    assert not any(is_running(pid) for pid in workers)


def test_workers_end_with_a_killed_parent(shop: Replicas) -> None:
    workers = anyio.run(pids, shop.urls[0])
    shop.processes[0].kill()
    until(lambda: not any(is_running(pid) for pid in workers))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--workers", "2"], "--workers needs --http"),
        (["--http", "1", "--workers", "0"], "not a positive integer"),
    ],
)
def test_workers_without_http_are_refused(
    tmp_path: Path, store: str, options: list[str], reason: str
) -> None:
    write_shop(tmp_path)
    completed = subprocess.run(
        [sys.executable, "-m", "shop", *options],
        env=Replicas(tmp_path, store).variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 2
    assert reason in completed.stderr


def test_workers_without_a_shared_store_are_refused(tmp_path: Path) -> None:
    write_shop(tmp_path)
    server = tmp_path / "shop/src/shop/server.py"
    lines = server.read_text().splitlines(keepends=True)
    server.write_text("".join(line for line in lines if "store=" not in line))
    completed = subprocess.run(
        [sys.executable, "-m", "shop", "--http", "1", "--workers", "2"],
        env=Replicas(tmp_path, "").variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 2
    assert "--workers needs a shared store" in completed.stderr


def test_metrics_are_the_sum_of_all_workers(store: str, tmp_path: Path) -> None:
    write_shop(tmp_path)
    port = free_port()
    options = ("--workers", str(COUNT), "--metrics", str(port))
    shop = Replicas(tmp_path, store, options=options, ports=[free_port()])
    with shop.replica(shop.ports[0]):
        asked = 30

        async def check() -> None:
            for _ in range(asked):
                async with httpx2.AsyncClient(timeout=PATIENCE) as http:
                    params = {"name": "who", "arguments": {}}
                    await post(http, None, params=params, path=shop.urls[0])

        anyio.run(check)
        text = httpx2.get(f"http://127.0.0.1:{port}/metrics").text
        lines = [line for line in text.splitlines() if "duration_seconds_count" in line]
        assert sum(float(line.rpartition(" ")[2]) for line in lines) == asked
