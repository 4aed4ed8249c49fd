"""A lock has one holder at a time, is waited for briefly, and is released when its holder dies."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from guards import PATIENCE
from mcpgen_runtime.auth.locks import StillHeld, hold_lock

HOLDER = """
import sys, time, anyio
from pathlib import Path
from mcpgen_runtime.auth.locks import hold_lock

async def main():
    async with hold_lock(Path(sys.argv[1])):
        print("held", flush=True)
        await anyio.sleep(600)

anyio.run(main)
"""


def test_another_task_waits(tmp_path: Path) -> None:
    order: list[str] = []

    async def hold(name: str) -> None:
        async with hold_lock(tmp_path / "lock"):
            order.append(name)
            await anyio.sleep(0.05)
            order.append(name)

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            for name in "abc":
                tasks.start_soon(hold, name)

    anyio.run(main)
    assert order[::2] == order[1::2]


def test_waiting_too_long_for_the_lock_raises(tmp_path: Path) -> None:
    async def main() -> None:
        async with hold_lock(tmp_path / "lock"):
            with pytest.raises(StillHeld):
                async with hold_lock(tmp_path / "lock", 0.1):
                    pass

    anyio.run(main)


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(lock)], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline().strip() == b"held"

        async def expect_lock_held() -> None:
            with pytest.raises(StillHeld):
                async with hold_lock(lock, 0.1):
                    pass

        anyio.run(expect_lock_held)
        holder.kill()
        holder.wait(PATIENCE)

        async def taken() -> bool:
            async with hold_lock(lock, PATIENCE):
                return True

        assert anyio.run(taken)
    finally:
        holder.kill()
        holder.wait(PATIENCE)
        holder.stdout.close()


def test_a_cancelled_holder_gives_it_back(tmp_path: Path) -> None:
    async def main() -> bool:
        with anyio.move_on_after(0.05):
            async with hold_lock(tmp_path / "lock"):
                await anyio.sleep(60)
        async with hold_lock(tmp_path / "lock", 1.0):
            return True

    assert anyio.run(main)
