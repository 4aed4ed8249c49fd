"""Options and folders that several tests share."""

from __future__ import annotations

import gc
import os
import signal
from collections import defaultdict
from collections.abc import Iterator
from functools import cache as cache_of
from pathlib import Path
from typing import Any

import httpcore2
import pytest
import sdk_programs
from hypothesis import settings
from mcpgen_runtime.redaction.credentials import CREDENTIALS
from paths import CACHE, USUAL
from shared_texts import share_texts_in

from mcpgen import isolation

# A background job may ignore Ctrl-C, and processes started by the tests would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

gc.disable()  # until all tests are collected: they stay in memory
settings.register_profile("usual", USUAL)
settings.register_profile("long", USUAL, max_examples=2000, derandomize=False)
settings.load_profile("usual")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to collect in another place in each worker.

    After a clone, pytest compiles each test file when it imports it, which takes longer than
    everything else before the first test. So the workers share this work.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    is_whole = config.args == config.getini("testpaths") and not config.getoption("ignore")
    if worker and is_whole:  # a named file is not ignored
        files = sorted(map(str, Path(__file__).parent.rglob("test_*.py")))
        start = len(files) * int(worker[2:]) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        config.args[:] = [*files[start:], *files[:start]]


def pytest_collection_finish() -> None:
    """Take the tests themselves out of garbage collection, and collect more rarely.

    A worker holds some 100,000 objects of theirs, and would walk them again and again.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the cases of a test that ``sampled(count)`` leaves out of the default run as slow.

    The remaining cases are evenly spaced among all cases.
    """
    items.sort(key=lambda item: item.path)  # all workers must have the same order
    cases: defaultdict[tuple[str, int], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if (mark := item.get_closest_marker("sampled")) is not None:
            cases[item.nodeid.partition("[")[0], mark.args[0]].append(item)
    for (_, count), group in cases.items():
        default = {index * len(group) // count for index in range(count)}
        for index, item in enumerate(group):
            if index not in default:
                item.add_marker(pytest.mark.slow)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite golden/*/expected and stderr.txt, then compare as always",
    )


@pytest.fixture(autouse=True)
def no_fault_of_ours(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test in which mcpgen failed for a definition. Users would only lose that
    definition.
    """
    faults: list[Exception] = []
    noted = isolation._Search._note

    def note(self: Any, item: object, other: object, error: Exception) -> None:
        faults.extend([error] if isolation.is_ours(error) else [])
        noted(self, item, other, error)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(isolation._Search, "_note", note)
        yield
    if not request.module.__name__.endswith("test_isolation"):
        assert faults == []


@pytest.fixture(autouse=True)
def own_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the credentials of other tests, as each would be a process of its own."""
    monkeypatch.setattr(CREDENTIALS, "_instead", {})


@pytest.fixture(scope="session", autouse=True)
def shared_certificates() -> Iterator[None]:
    """Read the certificates of this machine once, and not for each HTTP client."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpcore2, "default_ssl_context", cache_of(httpcore2.default_ssl_context))
        yield


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Isolate commands from the cache, settings and logins of the person who runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MCPGEN_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        patch.setenv("MCPGEN_LOGINS", str(tmp_path_factory.mktemp("logins")))
        yield


@pytest.fixture(scope="session", autouse=True)
def forked_demo() -> Iterator[None]:
    """Start the demo server without importing the SDK again."""
    with sdk_programs.forked_demo():
        yield


@pytest.fixture(scope="session", autouse=True)
def shared_texts(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Set the folder for texts that all workers of a run share."""
    folder = tmp_path_factory.getbasetemp()
    share_texts_in(folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder)


@pytest.fixture(scope="session")
def update_golden(pytestconfig: pytest.Config) -> bool:
    return bool(pytestconfig.getoption("--update-golden"))


@pytest.fixture(scope="session")
def cache() -> Path:
    """The folder for shared installations. It can be deleted."""
    CACHE.mkdir(exist_ok=True)
    return CACHE
