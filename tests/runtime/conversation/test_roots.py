"""Roots: their forms, and notifications about changes."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from runtime.asking_server import AskingServer, contract
from runtime.packages import import_client

REVISIONS: list[Any] = ["2025-11-25", "2026-07-28"]
MADE = {
    revision: import_client(contract(revision), f"roots_{revision[:4]}") for revision in REVISIONS
}


def list_roots(roots: Any, revision: str = "2025-11-25") -> Any:
    async def inside() -> Any:
        async with MADE[revision].Client.connect(AskingServer().server, roots=roots) as client:
            return json.loads((await client.ask(method="roots/list", params={})).text)

    return anyio.run(inside)


@pytest.mark.parametrize("revision", REVISIONS)
def test_roots_are_paths_and_addresses(revision: str, tmp_path: Path) -> None:
    roots = list_roots([tmp_path, str(tmp_path / "a b"), "file:///x/y%20z"], revision)
    assert [root["uri"] for root in roots["roots"]] == [
        tmp_path.as_uri(),
        (tmp_path / "a b").as_uri(),
        "file:///x/y%20z",
    ]


def test_one_root_needs_no_list(tmp_path: Path) -> None:
    assert (
        list_roots(tmp_path) == list_roots(str(tmp_path)) == {"roots": [{"uri": tmp_path.as_uri()}]}
    )


def test_roots_may_have_names(tmp_path: Path) -> None:
    roots = list_roots({"Notes": tmp_path})
    assert roots == {"roots": [{"uri": tmp_path.as_uri(), "name": "Notes"}]}


def test_paths_are_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setenv("USERPROFILE", "/home/ada")
    results = [root["uri"] for root in list_roots(["a", "./b", "c/../d", "~/e"])["roots"]]
    current = tmp_path.as_uri()
    assert results == [
        f"{current}/a",
        f"{current}/b",
        f"{current}/d",
        Path("/home/ada/e").absolute().as_uri(),
    ]


async def later(roots: Any) -> Any:
    return roots


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("roots", [lambda: "/a", lambda: later(["/a"])], ids=["plain", "async"])
def test_roots_may_be_asked_for_each_time(roots: Any, revision: str) -> None:
    assert [root["uri"] for root in list_roots(roots, revision)["roots"]] == [Path("/a").as_uri()]


@pytest.mark.parametrize("roots", ["https://a.example", ["/a", "git://x"], {"x": "http://y"}])
def test_invalid_root_is_rejected_at_once(roots: Any) -> None:
    with pytest.raises(ValueError, match="a root is a path"):
        MADE["2026-07-28"].Client.connect(AskingServer().server, roots=roots)


def fails() -> Any:
    raise KeyError("x")


@pytest.mark.parametrize("roots", [fails, lambda: "https://a.example", lambda: 5])
def test_failing_roots_callable_is_logged(
    roots: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        assert list_roots(roots)["error"]["code"] == -32603
    assert [record.message for record in caplog.records] == ["the callback of roots failed"]


# Changes


@pytest.mark.parametrize(("revision", "count"), [("2025-11-25", 1), ("2026-07-28", 0)])
def test_a_server_hears_of_changes_where_it_can(revision: str, count: int) -> None:
    server = AskingServer()

    async def inside() -> Any:
        folders = ["/a"]
        async with MADE[revision].Client.connect(server.server, roots=lambda: folders) as client:
            folders.append("/b")
            await client.roots_changed()
            assert (await client.news()).text == str(count)
            return json.loads((await client.ask(method="roots/list", params={})).text)

    assert len(anyio.run(inside)["roots"]) == 2


def test_sync_client_notifies_about_changed_roots() -> None:
    with MADE["2025-11-25"].Client.sync.connect(AskingServer().server, roots="/a") as client:
        client.roots_changed()
        assert client.news().text == "1"


def test_without_roots_there_is_nothing_to_tell() -> None:
    async def inside() -> None:
        async with MADE["2025-11-25"].Client.connect(AskingServer().server) as client:
            with pytest.raises(TypeError, match="without roots"):
                await client.roots_changed()

    anyio.run(inside)


def test_a_closed_client_tells_nothing() -> None:
    package = MADE["2025-11-25"]

    async def inside() -> None:
        client = await package.Client.open(AskingServer().server, roots="/a")
        await client.aclose()
        with pytest.raises(package.ConnectionLost):
            await client.roots_changed()

    anyio.run(inside)
