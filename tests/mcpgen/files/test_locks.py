"""With either kind of lock, two runs never write to a folder at the same time. A killed run
releases its lock. The lock for Windows works on other systems too, and is tested wherever filelock
is installed.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mcpgen.errors import UsageError
from mcpgen.files import locks

Lock = Callable[[Path, contextlib.ExitStack], bool]
KINDS = [
    pytest.param(
        locks.lock_folder,
        marks=pytest.mark.skipif(sys.platform == "win32", reason="Windows locks no folders"),
    ),
    locks.lock_by_file,
]

HOLDER = """
import contextlib, sys, time
from pathlib import Path
from mcpgen.files import locks
with contextlib.ExitStack() as stack:
    print(getattr(locks, sys.argv[1])(Path(sys.argv[2]), stack), flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("lock", KINDS)
def test_lock_waits_for_another_process_and_ends_with_it(
    lock: Lock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "PATIENCE", 0.2)
    command = [sys.executable, "-c", HOLDER, lock.__name__, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout
            assert holder.stdout.readline() == "True\n"
            with contextlib.ExitStack() as stack, pytest.raises(UsageError) as caught:
                lock(tmp_path, stack)
        finally:
            holder.kill()
    assert caught.value.problem == "another mcpgen is writing here"
    assert caught.value.where == str(tmp_path)
    for _ in range(2):
        with contextlib.ExitStack() as stack:
            assert lock(tmp_path, stack)


def test_the_lock_of_a_folder_leaves_nothing_behind(tmp_path: Path) -> None:
    with locks.lock_folders([tmp_path]) as is_sure:
        assert is_sure
        if sys.platform != "win32":
            assert list(tmp_path.iterdir()) == []
    assert list(tmp_path.iterdir()) == []


def test_folder_without_lock_support_is_written_unlocked(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with contextlib.ExitStack() as stack:
        assert not locks.lock_by_file(tmp_path / "file", stack)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right of their own there")
def test_link_at_the_lock_path_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("kept")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / locks.LOCK_FILE).symlink_to(precious)
    with contextlib.ExitStack() as stack:
        assert not locks.lock_by_file(folder, stack)
    assert precious.read_text() == "kept"
