"""Generate, import, call: the shortest proof that the installed mcpgen works on this Python."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import platform
import subprocess
import sys
import tempfile
import time
import typing
from pathlib import Path
from typing import Any


def main() -> None:
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        snippet = generate(folder)
        run(["-W", "error", "-c", snippet], folder)
        sys.path.insert(0, folder)
        bookshelf: Any = importlib.import_module("bookshelf")
        look(bookshelf)
        call(bookshelf)
        asyncio.run(call_async(bookshelf))
        call_over_http(bookshelf, folder)
        refuse_usage(folder)
    seconds = time.perf_counter() - started
    print(f"CPython {platform.python_version()}: generated, imported and called in {seconds:.1f} s")


def generate(folder: str) -> str:
    """Write the package of the example server and return the printed snippet."""
    snippet = run(["-m", "mcpgen", "client", "demo"], folder)
    assert sorted(path.name for path in Path(folder).iterdir()) == ["bookshelf"]
    return snippet


def run(arguments: list[str], folder: str) -> str:
    completed = subprocess.run(
        [sys.executable, *arguments], cwd=folder, stdout=subprocess.PIPE, text=True, check=True
    )
    return completed.stdout


def look(bookshelf: Any) -> None:
    """Resolve the type annotations of a method as frameworks do."""
    for client in (bookshelf.Client, bookshelf.Client.sync):
        hints = typing.get_type_hints(client.search_catalogue)
        assert hints["return"] is bookshelf.SearchCatalogueOutput
        assert bookshelf.MISSING in typing.get_args(hints["limit"])
        signature = inspect.signature(client.search_catalogue, eval_str=True)
        assert signature.return_annotation is bookshelf.SearchCatalogueOutput
    assert {*bookshelf.__all__} == {*dir(bookshelf)}


def call(bookshelf: Any) -> None:
    with bookshelf.Client.sync.connect(verify="error") as client:
        result = client.get_item(id="B-2")
        assert (result.lent, result.item.creator.name) == (True, "Tomas Lind")
        assert bookshelf.raw_json(result)["item"]["added"] == "2024-05-17T14:00:00Z"
        try:
            client.get_item(id="nonsense")
        except bookshelf.InvalidArguments:
            return
        raise AssertionError("an argument against its schema was sent")


async def call_async(bookshelf: Any) -> None:
    async with bookshelf.Client.connect(verify="error") as client:
        result = await client.search_catalogue(query="night")
        assert [item.id for item in result.items] == ["B-2"]
        cover = await client.show_cover(id="B-1")
        assert cover.images[0].mime_type == "image/png"


def call_over_http(bookshelf: Any, folder: str) -> None:
    """Call a mock of the same contract over Streamable HTTP."""
    command = ["-m", "mcpgen", "mock", "bookshelf/contract.json", "--http", "0", "--json"]
    with subprocess.Popen(
        [sys.executable, *command], cwd=folder, stdout=subprocess.PIPE, text=True
    ) as served:
        assert served.stdout is not None
        document = ""
        while not document.endswith("}\n"):
            document += served.stdout.readline()
        try:
            with bookshelf.Client.sync.connect(json.loads(document)["url"]) as client:
                assert client.get_item(id="B-2").item is not None
        finally:
            served.terminate()


def refuse_usage(folder: str) -> None:
    """Expect one line with a hint for an unknown command."""
    completed = subprocess.run(
        [sys.executable, "-m", "mcpgen", "nonsense"],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert completed.returncode == 2, completed
    assert completed.stderr.startswith("error: "), completed


if __name__ == "__main__":
    main()
