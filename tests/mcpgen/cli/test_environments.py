"""Commands on machines that lack something: UTF-8, a home folder, disk space, a working folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from mcpgen_runtime.auth.store import Store
from mcpgen_runtime.shell import streams
from paths import ROOT

from mcpgen.cli import app
from mcpgen.codegen import naming
from mcpgen.files import signing_key, swap, write

TOOL = '{"name": "t", "description": "caf\\u00e9 \\u4e2d", "inputSchema": {"type": "object"}}'
UNICODE = f'{{"tools": [{TOOL}]}}'


def run(*args: str, **options: object) -> subprocess.CompletedProcess[str]:
    """Run mcpgen in a process."""
    command = [sys.executable, "-m", "mcpgen", *args]
    defaults: dict[str, object] = {"capture_output": True, "text": True, "timeout": 60}
    return subprocess.run(command, check=False, **(defaults | options))  # type: ignore[call-overload,no-any-return]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
@pytest.mark.parametrize("command", ["list", "budget", "lint"])
def test_output_escapes_unencodable_characters(encoding: str, command: str, tmp_path: Path) -> None:
    (tmp_path / "uni.json").write_text(UNICODE)
    env = {**os.environ, "PYTHONIOENCODING": encoding}
    completed = run(command, "uni.json", cwd=tmp_path, env=env, encoding="utf-8", errors="replace")
    assert completed.returncode in (0, 1)
    assert "Traceback" not in completed.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("args", [["--version"], ["list", "uni.json"], ["explain"]])
def test_full_disk_ends_with_its_own_exit_code(args: list[str], tmp_path: Path) -> None:
    (tmp_path / "uni.json").write_text(UNICODE)
    with Path("/dev/full").open("w") as full:
        completed = run(
            *args, cwd=tmp_path, capture_output=False, stdout=full, stderr=subprocess.PIPE
        )
    assert completed.returncode == streams.OUTPUT_FAILED
    assert completed.stderr.startswith("error: cannot write to stdout: No space left on device\n")


@pytest.mark.skipif(os.name != "posix", reason="closes a descriptor in a shell")
@pytest.mark.parametrize("command", ["--version", "list uni.json"])
def test_closed_stdout_ends_with_its_own_exit_code(command: str, tmp_path: Path) -> None:
    (tmp_path / "uni.json").write_text(UNICODE)
    completed = subprocess.run(
        ["sh", "-c", f"'{sys.executable}' -m mcpgen {command} >&-"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert completed.returncode == streams.OUTPUT_FAILED
    assert completed.stderr.startswith("error: cannot write to stdout: ")


@pytest.mark.skipif(os.name != "posix", reason="elsewhere the current folder can't be deleted")
def test_deleted_working_folder_is_a_clear_error(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    code = f"import os, sys; os.rmdir({str(gone)!r}); from mcpgen.cli import main; main()"
    completed = subprocess.run(
        [sys.executable, "-c", code, "client", "demo"],
        cwd=gone,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (completed.returncode, "Traceback" in completed.stderr) == (2, False)
    assert "the current folder no longer exists" in completed.stderr


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_signal_ends_the_started_server(name: str, tmp_path: Path) -> None:
    server = tmp_path / "deaf.py"
    server.write_text(
        "import os, pathlib, signal, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "pathlib.Path('pid').write_text(str(os.getpid()))\n"
        "time.sleep(60)\n"
    )
    number = getattr(signal, name)
    unignored = (  # nohup has SIGHUP ignored
        f"import os, signal, sys; signal.signal({number:d}, signal.SIG_DFL);"
        " os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    )
    record = ["-m", "mcpgen", "record", "--", sys.executable, "deaf.py"]
    command = [sys.executable, "-c", unignored, *record]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL) as recording:
        pid = wait_for_pid(tmp_path / "pid")
        recording.send_signal(number)
        assert recording.wait(30) == 128 + number
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def wait_for_pid(file: Path) -> int:
    """Wait until a server has written its process ID."""
    for _ in range(600):
        if file.is_file() and (text := file.read_text()):
            time.sleep(0.2)
            return int(text)
        time.sleep(0.05)
    raise AssertionError("the server didn't start")


def test_user_without_home_has_no_cache_and_no_logins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_home(*_: object, **__: object) -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "MCPGEN_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("MCPGEN_LOGINS", raising=False)
    monkeypatch.setattr(Path, "expanduser", no_home)
    monkeypatch.setattr("platformdirs.user_cache_path", no_home)
    monkeypatch.setattr("platformdirs.user_config_path", no_home)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "uni.json").write_text(UNICODE)
    assert app.run(["client", "uni.json", "--name", "package"]) == 0
    assert capsys.readouterr().err.count("the cache is not used") == 1
    assert app.run(["list", "uni.json"]) == 0
    assert app.run(["doctor"]) == 1
    assert "cache: not used: this user has no home folder" in capsys.readouterr().out
    assert [*Store().names()] == []
    assert Store().find("https://example.org/mcp") is None


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_new_files_follow_the_umask(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from mcpgen.files import write\n"
        "write.write({'a.py': '# Code generated by mcpgen\\n', 'b.json': '{}'}, Path('p'))\n"
        "write.replace(Path('c.json'), '{}')"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, umask=0o077)
    modes = {(tmp_path / item).stat().st_mode & 0o777 for item in ("p/a.py", "p/b.json", "c.json")}
    assert modes == {0o600}


def test_full_disk_leaves_no_staging_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space"):
        swap.stage(tmp_path / "package", {"a.py": ""}, ())
    assert [*tmp_path.iterdir()] == []


def test_line_endings_of_a_checkout_do_not_count(tmp_path: Path) -> None:
    text = "# Code generated by mcpgen\nx = 1\n"
    write.write({"a.py": text}, tmp_path / "package")
    (tmp_path / "package" / "a.py").write_bytes(text.replace("\n", "\r\n").encode())
    differs = write.difference({"a.py": text}, tmp_path / "package")
    assert (differs.changed, differs.stale) == ((), ())
    (tmp_path / "package" / "a.py").write_bytes(b"# Code generated by mcpgen\r\nx = 2\r\n")
    assert write.difference({"a.py": text}, tmp_path / "package").changed == ("a.py",)


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_cache_below_a_folder_open_to_others_is_distrusted(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    assert signing_key.distrust(shared / "cache" / "made") == f"others may write into {shared}"
    shared.chmod(0o1777)  # as of /tmp
    assert signing_key.distrust(shared / "cache" / "made") == ""


@pytest.mark.parametrize("variable", ["PYTHONPATH", "PYTHONUSERBASE"])
def test_demo_starts_from_an_unusual_installation(variable: str, tmp_path: Path) -> None:
    """Run mcpgen where its package is found only through an environment variable."""
    folder = tmp_path / "target"
    if variable == "PYTHONUSERBASE":
        folder = folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
        folder = folder / "site-packages"
    folder.mkdir(parents=True)
    (folder / "only_there.py").write_text("from mcpgen.demo import *")
    value = str(tmp_path / "target")
    from mcpgen.servers.recording.wire import server_process

    env = {**os.environ, variable: value}
    code = (
        "import sys; from mcpgen.servers.recording.wire import server_process\n"
        "print(server_process.python_path([sys.executable]), server_process.python_path(['node']))"
    )
    completed = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert f"'{variable}': '{value}'" in completed.stdout
    assert completed.stdout.endswith("{}\n")
    assert server_process.python_path(["node"]) == {}


def test_package_name_has_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "uni.json").write_text(UNICODE)
    assert app.run(["client", "uni.json", "--name", "n" * 300]) == 2
    assert "a package name has at most 80 characters" in capsys.readouterr().err


def test_line_break_in_output_folder_stays_in_its_comment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "uni.json").write_text(UNICODE)
    assert app.run(["client", "uni.json", "--name", "package", "-o", "a\nimport os"]) == 0
    assert "\nimport os\n" not in capsys.readouterr().out


def test_doctor_reports_a_version_outside_the_declared_range(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from importlib import metadata

    installed = metadata.version
    monkeypatch.setattr(metadata, "version", lambda n: "2.0.1" if n == "mcp" else installed(n))
    monkeypatch.chdir(tmp_path)
    assert app.run(["doctor"]) == 1
    assert "bad  mcp: 2.0.1, but mcpgen needs mcp<3,>=2.3" in capsys.readouterr().out


@pytest.mark.parametrize("method", ["com1", "lpt9", "con", "aux", "nul"])
def test_module_names_avoid_windows_devices(method: str) -> None:
    assert naming.module(method) == f"{method}_"


@pytest.mark.parametrize("method", ["straße", "日本語", "café"])
def test_module_names_are_ascii(method: str) -> None:
    module = naming.module(method)
    assert module.isascii()
    assert module.isidentifier()
    assert module != naming.module(f"{method}e")


@pytest.mark.slow
def test_snippet_of_the_example_server_names_its_requirement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert app.run(["client", "demo"]) == 0
    assert (
        "# The example server is part of mcpgen, which must be installed" in capsys.readouterr().out
    )
