"""Nothing is written through a link or outside the project unless the user requested it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from projects import BOTH, call, files, project

from mcpgen.codegen import user_code
from mcpgen.codegen.user_code import MissingMethods, Stub
from mcpgen.errors import UsageError
from mcpgen.files import journal, swap, write
from mcpgen.files.write import HEADER

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")


ONE = {"__init__.py": f"{HEADER}\n", "models/a.py": f"{HEADER}\n# one\n"}


TWO = {"__init__.py": f"{HEADER}\n", "models/a.py": f"{HEADER}\n# two\n"}


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder with files that mcpgen wrote elsewhere."""
    write.write(ONE, tmp_path / "outside")
    return tmp_path / "outside"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write.write(ONE, tmp_path / "in" / "package")
    return tmp_path / "in" / "package"


def replace_with_link(folder: Path, target: Path, *, relative: bool) -> None:
    """Replace a file or folder by a link."""
    folder.rename(folder.with_name(f".{folder.name}.moved"))
    folder.symlink_to(os.path.relpath(target, folder.parent) if relative else target)


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("path", ["models", "models/a.py"])
def test_link_in_a_package_is_rejected_and_not_followed(
    path: str, relative: bool, folder: Path, outside: Path
) -> None:
    replace_with_link(folder / path, outside / path, relative=relative)
    for files_of in (ONE, TWO):
        with pytest.raises(UsageError, match="a symbolic link is in place of the file to write"):
            write.write(files_of, folder)
    assert files(outside) == ONE
    assert (folder / path).is_symlink()


def test_dangling_link_is_rejected(folder: Path, tmp_path: Path) -> None:
    replace_with_link(folder / "models", tmp_path / "nothing", relative=False)
    with pytest.raises(UsageError, match="a symbolic link is in place"):
        write.write(TWO, folder)
    assert not (tmp_path / "nothing").exists()


def test_link_created_while_staging_is_not_followed(
    folder: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = swap.stage

    def late(*arguments: object) -> object:
        replace_with_link(folder / "models", outside / "models", relative=False)
        return stage(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(swap, "stage", late)
    with pytest.raises(UsageError, match="a symbolic link is in place"):
        write.write(TWO | {"new.py": f"{HEADER}\n"}, folder)
    assert files(outside) == ONE


def test_link_does_not_count_as_a_generated_file(folder: Path, outside: Path) -> None:
    (folder / "old.py").symlink_to(outside / "__init__.py")
    write.write(TWO, folder)
    assert (folder / "old.py").is_symlink()


def test_recovery_does_not_follow_links(folder: Path, outside: Path) -> None:
    (outside / "old").mkdir()
    (outside / "old" / "theirs").write_text("theirs")
    (folder.parent / ".other.mcpgen-x").symlink_to(outside)
    journal.recover(folder.parent / "other", is_alone=True)
    assert (outside / "old" / "theirs").read_text() == "theirs"
    assert not (folder.parent / "other").exists()


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("path", ["src", "src/bookshelf_server", "src/bookshelf_server/_generated"])
def test_a_link_in_a_servers_project_is_refused(path: str, tmp_path: Path) -> None:
    root = project(tmp_path / "project", BOTH)
    call(root, "generate")
    inside = root / "servers" / "bookshelf_server" / path
    inside.rename(root / "elsewhere")
    inside.symlink_to(root / "elsewhere")
    before = files(root / "elsewhere")
    ended = call(root, "generate", "--no-cache")
    assert (ended.returncode, "a symbolic link is in place" in ended.stderr) == (2, True)
    again = call(
        root, "server", "mcp/bookshelf.contract.json", "-o", "servers", "--name", "bookshelf_server"
    )
    assert (again.returncode, "a symbolic link is in place" in again.stderr) == (2, True)
    assert files(root / "elsewhere") == before


def test_user_code_outside_the_project_is_not_extended(tmp_path: Path) -> None:
    package = tmp_path / "project" / "src" / "shop"
    package.mkdir(parents=True)
    theirs = tmp_path / "theirs.py"
    theirs.write_text("class Mine(ShopTools):\n    x = 1\n")
    (package / "tools.py").symlink_to(theirs)
    missing = MissingMethods(
        Stub("src/shop/tools.py", "ShopTools", "", ("buy",)), package / "tools.py", "Mine", ("buy",)
    )
    with pytest.raises(UsageError, match="a link out of the project"):
        user_code.add(missing, tmp_path / "project")
    assert theirs.read_text() == "class Mine(ShopTools):\n    x = 1\n"
