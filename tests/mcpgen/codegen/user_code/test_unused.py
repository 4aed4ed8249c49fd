"""Methods of removed tools are reported and kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from server_projects import mcpgen
from skeletons import DEMO


@pytest.mark.slow
def test_methods_of_removed_tools_are_reported_and_kept(folder: Path) -> None:
    before = (folder / "src/bookshelf/tools.py").read_bytes()
    tools = "bookshelf/src/bookshelf/tools.py"
    for _ in range(2):  # the second run reports them again
        messages = mcpgen("server", "./new.json", cwd=folder.parent).stderr.splitlines()
        gone = f"{tools}: show_cover is no longer in the contract, so it isn't called"
        assert gone in messages
        home = "_generated.models.show_cover"
        missing = f"{tools}: imports ShowCoverInput of {home}, which is no longer generated"
        assert f"{missing}; remove the import" in messages
        assert any("imports BookshelfPrompts of _generated, which" in line for line in messages)
    assert (folder / "src/bookshelf/tools.py").read_bytes() == before
    document = json.loads(mcpgen("server", "./new.json", "--json", cwd=folder.parent).stdout)
    assert "show_cover" in document["unused"]


@pytest.mark.slow
def test_the_authors_other_methods_are_never_called_unused(folder: Path) -> None:
    file = folder / "src/bookshelf/tools.py"
    more = "\n    async def helper(self):\n        return None\n"
    other = "\n\nclass Shelf:\n    async def show_cover(self):\n        return None\n"
    head, stub, tail = file.read_text().partition("    @override\n    async def show_cover(")
    tail = tail[tail.index("    @override") :]
    imported = "from ._generated.models.show_cover import ShowCoverInput\n"
    file.write_text(head.replace(imported, "") + tail + more + other)
    output = mcpgen("server", "./new.json", cwd=folder.parent).stderr
    assert stub
    assert "helper" not in output
    assert "show_cover" not in output


@pytest.mark.slow
def test_unused_method_without_override_is_reported(folder: Path) -> None:
    file = folder / "src/bookshelf/tools.py"
    file.write_text(file.read_text().replace("    @override\n", ""))
    output = mcpgen("server", "./new.json", cwd=folder.parent).stderr
    assert "show_cover is no longer in the contract" in output


@pytest.mark.slow
def test_nothing_is_unused_where_nothing_is_gone(folder: Path) -> None:
    output = mcpgen("server", str(DEMO), cwd=folder.parent).stderr
    assert "no longer" not in output
