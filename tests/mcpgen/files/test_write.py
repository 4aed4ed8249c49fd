"""Nothing is written through a link or outside the project unless the user requested it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from projects import BOTH, call, files, project, project_with_server

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


# Outside of the project

CLIENT = """\
[tool.mcpgen.servers.bookshelf]
contract = "mcp/bookshelf.contract.json"
client = {output = OUTPUT}
"""


@pytest.mark.parametrize("way", ["../other", "absolute", "link", "src/../../other", "link/below"])
def test_output_outside_the_project_needs_permission_in_its_table(way: str, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    output_ = str(other) if way == "absolute" else way
    root = project(tmp_path / "project", CLIENT.replace("OUTPUT", repr(output_)))
    (root / "src").mkdir()
    (root / "link").symlink_to(other)
    ended = call(root, "generate")
    assert ended.returncode == 2
    assert "lies outside of the project's folder" in ended.stderr
    assert "at   tool.mcpgen.servers.bookshelf.client" in ended.stderr
    assert "[tool.mcpgen.servers.bookshelf]: outside = true" in ended.stderr
    assert list(other.iterdir()) == []
    assert call(root, "check").returncode == 2
    table = root / "pyproject.toml"
    table.write_text(f"{table.read_text()}outside = true\n")
    assert call(root, "generate").returncode == 0
    assert [path.parent.name for path in other.rglob("client.py")] != []


def test_init_permits_the_given_outside_folder(tmp_path: Path) -> None:
    root = project(tmp_path / "project", "")
    args = ("init", "--contract", "mcp/bookshelf.contract.json", "--client")
    assert call(root, *args, "../other", "--name", "one").returncode == 0
    assert call(root, *args, "src", "--name", "two").returncode == 0
    assert (root / "pyproject.toml").read_text().count("outside = true") == 1
    assert call(root, "generate").returncode == 0
    assert (tmp_path / "other" / "one" / "client.py").exists()


def test_links_inside_and_to_the_project_are_allowed(
    tmp_path: Path,
) -> None:
    real = project(tmp_path / "real", CLIENT.replace("OUTPUT", "'link'"))
    (real / "code").mkdir()
    (real / "link").symlink_to("code")
    (tmp_path / "project").symlink_to(real)
    assert call(tmp_path / "project", "generate").returncode == 0
    assert (real / "code" / "bookshelf" / "client.py").exists()
    assert (real / "link").is_symlink()


def test_contract_is_not_recorded_outside_the_project_unasked(tmp_path: Path) -> None:
    root = project_with_server(tmp_path / "project", read={})
    (tmp_path / "other").mkdir()
    (root / "mcp").symlink_to(tmp_path / "other")
    ended = call(root, "lock")
    assert (ended.returncode, "outside = true" in ended.stderr) == (2, True)
    assert list((tmp_path / "other").iterdir()) == []
    table = root / "pyproject.toml"
    table.write_text(f"{table.read_text()}outside = true\n")
    assert call(root, "lock").returncode == 0
    assert (tmp_path / "other" / "files.contract.json").exists()
