"""After any interruption, a generated folder is the old or the new one, never a mixture."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from paths import SUPPORT
from projects import files, isolated_environment, many, project, run

from mcpgen.errors import UsageError
from mcpgen.files import journal, locks, swap
from mcpgen.files import write as output
from mcpgen.files.write import HEADER, Folder

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and modes are others there")

TABLE = """\
[tool.mcpgen.servers.bookshelf]
contract = "mcp/bookshelf.contract.json"
client = {output = "src"}
"""
OLD, NEW = many(12), many(9, seed=1)

# Kills this process before disk change number N. Without a number, it prints all changes. Python
# reports them to an audit hook.
NOTING = """
import json, os, sys
ending, moment = int(sys.argv[1]), int(sys.argv[2])
CHANGES = "ctypes.dlopen os.chmod os.link os.mkdir os.remove os.rename os.rmdir os.symlink".split()
changes = []
def note(event, given):
    is_written = event == "open" and given[2] & (os.O_WRONLY | os.O_RDWR)
    if event in CHANGES or is_written:
        changes.append(event)
        if len(changes) == moment:
            os.kill(os.getpid(), ending)
sys.addaudithook(note)
"""
# Writes a tree into some folders.
WRITER = f"""{NOTING}
from pathlib import Path
from mcpgen.files import write as output
tree = json.loads(Path(sys.argv[3]).read_text())
output.write_all([output.Folder(Path(place), tree) for place in sys.argv[4:]])
print(json.dumps(changes))
"""
GENERATE = f"""{NOTING}
from mcpgen.cli import main
try:
    main(["generate"])
finally:
    print(json.dumps(changes))
"""


def tree(kind: str) -> dict[str, str]:
    """Return a tree of files. Some of its names also occur in other trees."""
    tree_files = {f"models/{kind}_{n}.py": f"{HEADER}\n# {kind} {n}\n" for n in range(30)}
    tree_files |= {f"both_{n}.py": f"{HEADER}\n# {kind} {n}\n" + "x = 1\n" * 200 for n in range(30)}
    return tree_files | {"same.py": f"{HEADER}\n", "contract.json": f'{{"kind": "{kind}"}}\n'}


ONE, OTHER = tree("one"), tree("other")
FEW, OTHERS = (dict([*item.items()][25:36]) for item in (ONE, OTHER))


def leftovers(folder: Path) -> list[Path]:
    return sorted(folder.glob(".*mcpgen-*"))


def write_tree(expected: dict[str, str], paths: list[Path], moment: int = 0) -> list[str]:
    """Write a tree and return the disk changes, or an empty list if the process was killed."""
    trees = paths[0].parent.parent / "tree.json"
    trees.write_text(json.dumps(expected))
    command = [sys.executable, "-c", WRITER, str(int(signal.SIGKILL)), str(moment), str(trees)]
    completed = subprocess.run([*command, *map(str, paths)], stdout=subprocess.PIPE, check=False)
    assert completed.returncode == (-signal.SIGKILL if moment else 0)
    return json.loads(completed.stdout or "[]")


def moments(changes: list[str], count: int) -> list[int]:
    """Choose changes at equal distances, and all changes near a folder swap."""
    swaps = [n for n, change in enumerate(changes, 1) if change in ("ctypes.dlopen", "os.rename")]
    near = {n + beside for n in swaps for beside in (-1, 0, 1)}
    spread = {1 + n * (len(changes) - 1) // (count - 1) for n in range(count)}
    return sorted(n for n in spread | near if 1 <= n <= len(changes))


@pytest.mark.slow
@posix
def test_killed_write_leaves_the_old_or_new_folder(tmp_path: Path) -> None:
    folder = tmp_path / "src" / "package"
    output.write(ONE, folder)
    mine = folder / "mine.py"
    mine.write_text("# nobody else's\n")
    changes = write_tree(OTHER, [folder])
    calls: list[dict[str, str]] = []
    for moment in moments(changes, 20):
        output.write(ONE, folder)
        assert leftovers(folder.parent) == []
        write_tree(OTHER, [folder], moment)
        result = files(folder)
        assert result.pop("mine.py") == "# nobody else's\n"
        calls.append(result)
    assert all(item in (ONE, OTHER) for item in calls)
    assert (calls[0], calls[-1]) == (ONE, OTHER)
    output.write(ONE, folder)
    assert leftovers(folder.parent) == []
    assert files(folder) == {**ONE, "mine.py": "# nobody else's\n"}


@pytest.mark.slow
@posix
def test_killed_write_of_several_folders_is_all_or_nothing(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("src/client", "src/other", "servers/server")]
    output.write_all([Folder(path, FEW) for path in paths])
    (paths[1] / "mine.py").write_text("# nobody else's\n")
    changes = write_tree(OTHERS, paths)
    between = 0
    ends: list[bool] = []
    for turn, moment in enumerate(moments(changes, 20)):
        output.write_all([Folder(path, FEW) for path in paths])
        write_tree(OTHERS, paths, moment)
        results = [files(path) for path in paths]
        results[1].pop("mine.py")
        assert all(item in (FEW, OTHERS) for item in results)
        if len({item == FEW for item in results}) == 2:
            between += 1
            assert all(journal.is_unfinished(path) for path in paths)
        # Edits made before the next run survive it.
        (paths[1] / "mine.py").write_text("# edited since\n")
        # The next run that writes any one of them puts right all of them, before it begins.
        with locks.lock_folders(path.parent for path in paths):
            journal.recover(paths[turn % 3], is_alone=True)
        results = [files(path) for path in paths]
        assert results[1].pop("mine.py") == "# edited since\n"
        assert results in ([FEW] * 3, [OTHERS] * 3)
        ends.append(results[0] == FEW)
        assert not any(journal.is_unfinished(path) for path in paths)
    assert between >= 2
    assert (ends[0], ends[-1]) == (True, False)
    output.write_all([Folder(path, FEW) for path in paths])
    assert [leftovers(tmp_path / name) for name in ("src", "servers")] == [[], []]


@pytest.fixture
def three(tmp_path: Path) -> list[Path]:
    """Three packages: two existing ones and a new one."""
    paths = [tmp_path / name for name in ("src/a", "src/b", "servers/c")]
    output.write_all([Folder(path, FEW) for path in paths[:2]])
    return paths


@pytest.mark.parametrize("can_exchange", [True, False])
@pytest.mark.parametrize("step", [0, 1, 2])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()])
def test_failed_commit_rolls_back_all_packages(
    three: list[Path],
    step: int,
    can_exchange: bool,
    error: BaseException,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not can_exchange:
        monkeypatch.setattr("mcpgen.files.swap.exchange", lambda *_: False)
    real = swap.Staged.commit

    def commit(staged: swap.Staged) -> None:
        if staged.location == three[step]:
            raise error
        real(staged)

    monkeypatch.setattr(swap.Staged, "commit", commit)
    with pytest.raises((UsageError, KeyboardInterrupt)):
        output.write_all([Folder(path, OTHERS) for path in three])
    assert [files(path) for path in three[:2]] == [FEW, FEW]
    assert not three[2].exists()
    assert [leftovers(path.parent) for path in three] == [[], [], []]


def test_failed_rollback_is_completed_by_the_next_run(
    three: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = swap.Staged.commit

    def commit(staged: swap.Staged) -> None:
        if staged.location == three[1]:
            raise OSError(errno.EROFS, "Read-only file system")
        real(staged)

    def undo(_: swap.Staged) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    with monkeypatch.context() as patched:
        patched.setattr(swap.Staged, "commit", commit)
        patched.setattr(swap.Staged, "undo", undo)
        with pytest.raises(UsageError, match="Read-only file system"):
            output.write_all([Folder(path, OTHERS) for path in three])
    assert [files(path) for path in three[:2]] == [OTHERS, FEW]
    assert output.write(OTHERS, three[2]) == []
    assert [files(path) for path in three] == [OTHERS] * 3
    assert [leftovers(path.parent) for path in three] == [[], [], []]


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_read_only_folder_leaves_all_packages_unchanged(
    three: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    output.write(FEW, three[2])
    begun = journal._begin

    def meanwhile(staged: list[swap.Staged]) -> Path:
        three[2].parent.chmod(0o555)
        return begun(staged)

    monkeypatch.setattr(journal, "_begin", meanwhile)
    try:
        with pytest.raises(UsageError, match="Permission denied"):
            output.write_all([Folder(path, OTHERS) for path in three])
    finally:
        three[2].parent.chmod(0o755)
    assert [files(path) for path in three] == [FEW] * 3


def test_a_journal_is_believed_only_about_its_own_folders(three: list[Path]) -> None:
    staged = [swap.stage(path, OTHERS, []) for path in three[:2]]
    begun = journal._begin(staged)
    document = json.loads(begun.read_text())
    elsewhere = three[0].parent.parent / "elsewhere"
    document[0]["place"] = str(elsewhere)
    document[1]["changed"].append("../outside.py")
    begun.write_text(json.dumps(document))
    assert not journal.is_unfinished(three[1])
    journal.recover(three[0], is_alone=True)
    assert not elsewhere.exists()
    assert [files(path) for path in three[:2]] == [FEW, FEW]


@pytest.mark.slow
def test_check_reports_an_interrupted_run(tmp_path: Path) -> None:
    root = project(tmp_path / "project")
    run(root, "generate")
    folder = root / "src" / "bookshelf"
    stored = files(folder)
    place_of_server = root / "servers/bookshelf_server/src/bookshelf_server/_generated"
    staged = [swap.stage(path, FEW, []) for path in (folder, place_of_server)]
    journal._begin(staged)
    ended = run(root, "check")
    assert "src/bookshelf: a run was cut off between folders; mcpgen generate completes it" in (
        ended.stderr
    )
    assert json.loads(run(root, "check", "--json").stdout)["unfinished"][0] == "src/bookshelf"
    assert files(folder) == stored
    assert "mcpgen generate completes the interrupted write" in run(root, "doctor").stdout
    assert run(root, "generate").returncode == 0
    assert run(root, "check").returncode == 0
    assert leftovers(folder.parent) == []


@pytest.mark.slow
@posix
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_interrupted_command_leaves_old_or_new_package(tmp_path: Path, end: signal.Signals) -> None:
    root = project(tmp_path / "project", TABLE, NEW)
    folder = root / "src" / "bookshelf"
    run(root, "generate")
    new = files(folder)
    project(root, TABLE, OLD)
    run(root, "generate")
    old = files(folder)
    project(root, TABLE, NEW)
    command = [sys.executable, "-c", GENERATE, str(int(end))]
    env = {**os.environ, **isolated_environment(root)}
    whole = subprocess.run([*command, "0"], cwd=root, env=env, capture_output=True, check=True)
    for moment in moments(json.loads(whole.stdout.splitlines()[-1]), 4):
        project(root, TABLE, OLD)
        run(root, "generate")
        project(root, TABLE, NEW)
        ended = subprocess.run(
            [*command, str(moment)], cwd=root, env=env, capture_output=True, check=False
        )
        assert ended.returncode == {signal.SIGINT: 130}.get(end, -end)
        assert b"Traceback" not in ended.stderr
        assert files(folder) in (old, new)
    run(root, "generate")
    assert files(folder) == new
    assert leftovers(folder.parent) == []


@pytest.mark.slow
@posix
def test_two_runs_at_once_leave_one_whole_tree(tmp_path: Path) -> None:
    folder = tmp_path / "src" / "package"
    trees = [tmp_path / f"{n}.json" for n in range(2)]
    for file, item in zip(trees, (ONE, OTHER), strict=True):
        file.write_text(json.dumps(item))
    for _ in range(5):
        both = [
            subprocess.Popen([sys.executable, "-c", WRITER, "9", "0", f, folder]) for f in trees
        ]
        assert [process.wait() for process in both] == [0, 0]
        assert files(folder) in (ONE, OTHER)
        assert leftovers(folder.parent) == []


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Path]:
    """A package with one tree, which must be unchanged at the end."""
    folder = tmp_path / "src" / "package"
    output.write(ONE, folder)
    yield folder
    assert files(folder) == ONE


@pytest.mark.slow
@posix
def test_a_full_disk_leaves_the_old_tree(old: Path) -> None:
    # A limit on the size of a file ends a write as a full disk does.
    code = (
        "import resource, sys; from pathlib import Path; from mcpgen.files import write\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))\n"
        "sys.path[:0] = sys.argv[3:]; from test_swap import OTHER\n"
        "from mcpgen.errors import UsageError\n"
        "try: write.write(OTHER, Path(sys.argv[2]))\n"
        "except UsageError as error: print(error)"
    )
    tests = [str(Path(__file__).parent), str(SUPPORT)]
    command = [sys.executable, "-B", "-c", code, "", str(old), *tests]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "cannot write the files: File too large" in ended.stdout, ended.stderr
    assert leftovers(old.parent) == []


def test_full_disk_leaves_the_old_tree(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = swap._create
    for step in (0, 1, 17, 45):
        remaining = [step]

        def create(tree: Path, path: str, content: bytes, rest: list[int] = remaining) -> None:
            rest[0] -= 1
            if rest[0] < 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            real(tree, path, content)

        monkeypatch.setattr(swap, "_create", create)
        with pytest.raises(UsageError, match="No space left on device"):
            output.write(OTHER, old)
        assert leftovers(old.parent) == []


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_leaves_the_old_tree(old: Path) -> None:
    old.parent.chmod(0o555)
    try:
        with pytest.raises(UsageError, match="Permission denied"):
            output.write(OTHER, old)
    finally:
        old.parent.chmod(0o755)


def test_unwritable_folder_leaves_the_old_tree(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> str:
        raise PermissionError(errno.EACCES, "Permission denied", str(old.parent))

    monkeypatch.setattr("mcpgen.files.swap.tempfile.mkdtemp", refuse)
    with pytest.raises(UsageError) as caught:
        output.write(OTHER, old)
    assert caught.value.problem == "cannot write the files: Permission denied"


def test_packages_stay_untouched_until_all_are_staged(old: Path) -> None:
    blocked = old.parent / "file"
    blocked.write_text("")
    with pytest.raises(UsageError):
        output.write_all([Folder(old, OTHER), Folder(blocked / "package", OTHER)])


def test_swap_without_exchange_uses_two_recoverable_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "package"
    output.write(ONE, folder)
    monkeypatch.setattr("mcpgen.files.swap.exchange", lambda *_: False)
    output.write(OTHER, folder)
    assert files(folder) == OTHER
    # The state after a run is killed between the two steps.
    staged = swap.stage(folder, ONE, [])
    folder.rename(staged.container / "old")
    journal.recover(folder, is_alone=False)
    assert not folder.exists()
    journal.recover(folder, is_alone=True)
    assert files(folder) == OTHER
    output.write(ONE, folder)
    assert (files(folder), leftovers(tmp_path)) == (ONE, [])


def test_failed_swap_is_rolled_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "package"
    output.write(ONE, folder)
    monkeypatch.setattr("mcpgen.files.swap.exchange", lambda *_: False)
    staged = swap.stage(folder, OTHER, [])
    shutil.rmtree(staged.container / "tree")
    with pytest.raises(OSError, match="No such file"):
        staged.commit()
    assert files(folder) == ONE


def test_a_mount_point_is_written_file_by_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> bool:
        raise OSError(errno.EBUSY, "Device or resource busy")

    folder = tmp_path / "package"
    output.write(ONE, folder)
    monkeypatch.setattr("mcpgen.files.swap.exchange", refuse)
    output.write(OTHER, folder)
    assert (files(folder), leftovers(tmp_path)) == (OTHER, [])


@posix
def test_a_run_waits_for_another_and_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "PATIENCE", 0.1)
    with (
        locks.lock_folders([tmp_path]),
        pytest.raises(UsageError, match="another mcpgen is writing"),
    ):
        output.write(ONE, tmp_path / "package")
    assert output.write(ONE, tmp_path / "package")


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "elsewhere" / "package"
    output.write(ONE, real)
    link = tmp_path / "package"
    link.symlink_to(real)
    output.write(OTHER, link)
    assert link.is_symlink()
    assert files(real) == OTHER
