"""Third-party servers, installed once from npm and PyPI into the cache.

    python tests/support/installed_servers.py

installs them ahead of the tests, which would otherwise wait for each other.
"""

from __future__ import annotations

import fcntl
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import conforming
import environments
import suite
from paths import CACHE, SUPPORT


def first_servers() -> Path:
    """Return a folder with the servers of a new user's first minute, and a client's environment."""
    folder, pins = CACHE / "first-servers", SUPPORT / "first_servers"
    published = (pins / "pypi.txt").read_text().splitlines()
    with _once(folder, pins, environments.RUNTIME) as is_missing:
        if is_missing:
            # Like uvx, one environment per server: they need different versions of the SDK.
            _together(
                partial(_from_npm, folder, pins),
                partial(environments.create, folder / "client", "--editable", environments.RUNTIME),
                *(
                    partial(
                        environments.create,
                        folder / "python" / requirements.partition("==")[0],
                        *requirements.split(),
                    )
                    for requirements in published
                ),
            )
    return folder


def real_servers() -> Path:
    """Return a folder with the servers that tests call. Its `bin` folders hold their commands."""
    folder, pins = CACHE / "real-servers", SUPPORT / "real_servers"
    with _once(folder, pins) as is_missing:
        if is_missing:
            _together(
                partial(_from_npm, folder, pins),
                partial(environments.create, folder / "python", "-r", str(pins / "pypi.txt")),
            )
    return folder


@contextmanager
def _once(folder: Path, pins: Path, *more: str) -> Iterator[bool]:
    """Yield whether a folder must be filled. Other processes wait for it."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = [(pins / name).read_text() for name in ("npm.txt", "pypi.txt")]
    content = "".join([*texts, sys.version, *more])
    marker = folder / "done"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield not marker.exists() or marker.read_text() != content
        marker.write_text(content)


def _from_npm(folder: Path, pins: Path) -> None:
    npm = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder)]
    environments.run([*npm, *(pins / "npm.txt").read_text().split()])


def _together(*installations: Callable[[], object]) -> None:
    with ThreadPoolExecutor(4) as pool:
        for installation in [pool.submit(item) for item in installations]:
            installation.result()


def main() -> None:
    """Install all servers, and download the official suites."""
    CACHE.mkdir(exist_ok=True)
    for install in (first_servers, real_servers):
        install()
    conforming.install_suite(CACHE)
    suite.fetch(CACHE)


if __name__ == "__main__":
    main()
