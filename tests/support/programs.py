"""Starts real programs on free ports: Redis, nginx and others."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from guards import PATIENCE
from skeletons import free_port

REQUIRED = "MCPGEN_TEST_SERVICES"
"""If this variable is set, as in CI, a missing program is a failure."""


def find(program: str) -> str:
    """Return the path of a program. Without it the test is skipped, or fails in CI."""
    path = shutil.which(program, path=f"{os.environ['PATH']}{os.pathsep}/usr/sbin")
    if path is None and os.environ.get(REQUIRED):
        pytest.fail(f"{program} is not installed")
    if path is None:
        pytest.skip(f"{program} is not installed")
    return path


def require(module: str) -> Any:
    """Import a library. Without it the test is skipped, or fails in CI."""
    try:
        return importlib.import_module(module)
    except ImportError:
        if os.environ.get(REQUIRED):
            pytest.fail(f"{module} is not installed")
        pytest.skip(f"{module} is not installed")


@contextmanager
def started(
    command: Sequence[str], log: Path, **options: object
) -> Iterator[subprocess.Popen[str]]:
    """Run a program with its output in a file, and stop it at the end."""
    with log.open("w") as output:
        process: subprocess.Popen[str] = subprocess.Popen(
            command,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            **options,  # type: ignore[call-overload]
        )
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def await_text(log: Path, text: str, process: subprocess.Popen[str]) -> None:
    """Wait until a program has written a text."""
    ends = time.monotonic() + PATIENCE
    while text not in log.read_text():
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < ends, log.read_text()
        time.sleep(0.05)


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    """Start Redis and yield its URL."""
    port = free_port()
    command = [find("redis-server"), "--port", str(port), "--save", "", "--dir", str(folder)]
    log = folder / "redis.log"
    with started(command, log) as process:
        await_text(log, "Ready to accept connections", process)
        yield f"redis://127.0.0.1:{port}"
