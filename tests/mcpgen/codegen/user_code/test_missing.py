"""Missing methods are reported and added, and all other bytes remain unchanged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from checkers import tree
from mcp import Client
from server_projects import mcpgen
from skeletons import import_server


@pytest.mark.slow
def test_new_tools_are_reported(folder: Path) -> None:
    completed = mcpgen("server", "./new.json", cwd=folder.parent)
    message = "bookshelf/src/bookshelf/tools.py: lacks renew_loan (--add-missing adds it)"
    assert message in completed.stderr.splitlines()


MINE = '''\
"""Mine."""
import os
from ._generated import BookshelfTools   # base
class Mine( BookshelfTools ) :
  """My   layout."""
  async def borrow_item(self, arguments, context): return   os.sep
  # the end of the class

# after it
x = { 'a':1 }
'''


def add_missing(folder: Path, text: str, newline: str = "\n") -> tuple[str, str]:
    """Return the author's file before and after stubs were added."""
    file = folder / "src/bookshelf/tools.py"
    before = text.replace("\n", newline)
    file.write_bytes(before.encode())
    mcpgen("server", "./new.json", "--add-missing", cwd=folder.parent)
    return before, file.read_bytes().decode()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_stubs_are_added_and_every_other_byte_stays(folder: Path, newline: str) -> None:
    before, after = add_missing(folder, MINE, newline)
    lines = after.split(newline)
    stored = [line for line in before.split(newline) if line]
    rest = iter(lines)
    assert all(line in rest for line in stored)
    assert after.count("\n") == after.count(newline)
    assert f"  async def renew_loan({newline}" in after or "  async def renew_loan(self" in after
    assert "from ._generated import Context" in lines
    assert "from ._generated.models.renew_loan import RenewLoanInput, RenewLoanOutput" in lines
    compile(after, "tools.py", "exec")


@pytest.mark.slow
def test_added_stubs_answer(folder: Path) -> None:
    mcpgen("server", "./new.json", "--add-missing", cwd=folder.parent)
    text = (folder / "src/bookshelf/tools.py").read_text()
    cover = "from ._generated.models.show_cover import ShowCoverInput\n"
    (folder / "src/bookshelf/tools.py").write_text(text.replace(cover, ""))
    for kind in ("prompts", "resources"):  # the new contract has neither
        (folder / f"src/bookshelf/{kind}.py").unlink()
    server = folder / "src/bookshelf/server.py"
    lines = [line for line in server.read_text().splitlines() if "import Pro" not in line]
    text = "\n".join(line for line in lines if "import Res" not in line)
    server.write_text(text.replace("Prompts(), Resources(), ", "") + "\n")
    with import_server(folder) as module:

        async def call() -> Any:
            async with Client(module.server) as client:
                return await client.call_tool("renew_loan", {"loan": "L-1"})

        assert anyio.run(call).content[0].text == "The tool renew_loan is not implemented yet."


@pytest.mark.slow
def test_nothing_is_added_twice(folder: Path) -> None:
    add_missing(folder, MINE)
    before = tree(folder)
    mcpgen("server", "./new.json", "--add-missing", cwd=folder.parent)
    assert tree(folder) == before
