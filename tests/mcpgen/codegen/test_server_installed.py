"""A new project is installed and started as its README, `.mcp.json` and Dockerfile describe."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import anyio
import environments
import httpx2
import pytest
import yaml
from guards import PATIENCE
from mcp import Client, StdioServerParameters
from programs import find, started
from skeletons import await_answer, demo, free_port, write_all

from mcpgen.codegen.server_pipeline import ServerOptions, generate_server

pytestmark = [pytest.mark.network, pytest.mark.slow]


UV = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project as written by the command with --docker."""
    project = generate_server(demo(), ServerOptions(docker=True))
    return write_all(project, tmp_path_factory.mktemp("project"))


async def tools(server: Any) -> set[str]:
    async with Client(server) as client:
        return {tool.name for tool in (await client.list_tools()).tools}


def without_python() -> dict[str, str]:
    """An environment in which nothing of ours can be imported."""
    return {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}


def test_it_runs_by_uv_as_clients_are_told(folder: Path) -> None:
    if UV is None:
        pytest.skip("uv is not installed")
    entry = json.loads((folder / ".mcp.json").read_text())["mcpServers"]["bookshelf"]
    assert entry["command"] == "uv"
    output = environments.run([UV, "run", "--quiet", "pytest", "-q"], cwd=folder)
    assert "3 passed" in output
    server = StdioServerParameters(
        command=UV, args=entry["args"], cwd=str(folder), env=without_python()
    )
    assert anyio.run(tools, server) == set(demo().tools)


# The Dockerfile, line by line, in a folder that stands for the image


@dataclass
class Image:
    """The state of an image after the Dockerfile lines executed so far."""

    root: Path
    python: Path
    folder: str = "/"
    base: str = ""
    users: list[str] = field(default_factory=list[str])
    user: str = "root"
    port: str = ""
    command: list[str] = field(default_factory=list[str])
    health: list[str] = field(default_factory=list[str])
    variables: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def here(self) -> Path:
        return self.root / self.folder.lstrip("/")

    def environment(self) -> Mapping[str, str]:
        """Return an environment that finds only the image's Python and shell."""
        binaries = f"{self.root / 'bin'}{os.pathsep}{self.python.parent}{os.pathsep}/usr/bin:/bin"
        return {**without_python(), "PATH": binaries, **self.variables}


def build_image(folder: Path, image: Image) -> Image:
    """Execute each line of the Dockerfile with the project's files only."""
    text = (folder / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    for line in lines:
        arg, _, rest = line.partition(" ")
        if arg == "FROM":
            image.base = rest
        elif arg == "WORKDIR":
            image.folder = str(PurePosixPath(image.folder) / rest)
            image.here.mkdir(parents=True, exist_ok=True)
        elif arg == "COPY":
            copy(folder, rest.split(), image)
        elif arg == "RUN":
            shell(rest, image)
        elif arg == "USER":
            assert rest in image.users
            image.user = rest
        elif arg == "ENV":
            name, _, value = rest.partition("=")
            image.variables[name] = value
        elif arg == "HEALTHCHECK":
            image.health = json.loads(rest.partition("CMD ")[2])
        elif arg == "EXPOSE":
            image.port = rest
        elif arg == "CMD":
            image.command = json.loads(rest)
        else:
            pytest.fail(f"{arg} can't be parsed")
    return image


def copy(folder: Path, args: list[str], image: Image) -> None:
    """Copy like Docker: a folder's content, and several sources only into a folder."""
    *sources, target = args
    assert len(sources) == 1 or target.endswith("/")
    for source in sources:
        into = image.here / target
        if (folder / source).is_dir():
            shutil.copytree(folder / source, into, dirs_exist_ok=True)
        else:
            shutil.copy(folder / source, into)


def shell(command: str, image: Image) -> None:
    """Run a shell command. A `useradd` stub records the user."""
    added = image.root / "added"
    stub(image, "useradd", f'echo "$@" >> {shlex.quote(str(added))}')
    if UV is not None:  # uv installs from its cache
        python = shlex.quote(str(image.python))
        stub(image, "pip", f'shift 2; exec {shlex.quote(UV)} pip install -q --python {python} "$@"')
    completed = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=image.here,
        env=image.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    image.users += [line.split()[-1] for line in added.read_text().splitlines()]


def stub(image: Image, name: str, text: str) -> None:
    file = image.root / "bin" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)


@contextmanager
def running(image: Image, port: int) -> Iterator[str]:
    """Start the image's CMD on a free port."""
    program, *arguments = [token.replace(image.port, str(port)) for token in image.command]
    result = shutil.which(program, path=image.environment()["PATH"])
    assert result is not None, f"{program} is not installed"
    process = subprocess.Popen(
        [result, *arguments], cwd=image.here, env=image.environment(), stderr=subprocess.PIPE
    )
    try:
        await_answer(port, process)
        yield f"http://localhost:{port}/mcp"
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)
    assert process.returncode in (0, -15), "it does not end when Docker stops it"


@pytest.mark.skipif(sys.platform == "win32", reason="the image is of Linux")
def test_its_dockerfile_makes_a_server(folder: Path, tmp_path: Path) -> None:
    tomllib = pytest.importorskip("tomllib")
    # The image has pip. If uv replaces it here, the Dockerfile must still name pip.
    assert "RUN pip install --no-cache-dir . && " in (folder / "Dockerfile").read_text()
    python = environments.create(tmp_path / "venv", "pip")
    image = build_image(folder, Image(tmp_path / "image", python))
    described = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    least = described["requires-python"].removeprefix(">=").split(".")
    args = image.base.partition(":")[2].partition("-")[0].split(".")
    assert [int(part) for part in args] >= [int(part) for part in least]
    assert image.user != "root"
    shutil.rmtree(image.here / "src")  # the server runs from the installation
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with running(image, port) as url:
        assert anyio.run(tools, url) == set(demo().tools)
        check = [token.replace(image.port, str(port)) for token in image.health]
        assert subprocess.run([str(image.python), *check[1:]], check=False).returncode == 0


@pytest.mark.services
def test_written_nginx_configuration_reaches_the_server(folder: Path, tmp_path: Path) -> None:
    port, proxy = free_port(), free_port()
    text = (folder / "nginx.conf").read_text()
    text = text.replace("http://server:8000", f"http://127.0.0.1:{port}")
    text = text.replace("listen 8080", f"listen 127.0.0.1:{proxy}")
    temporary = "".join(
        f"{kind}_temp_path {tmp_path}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    head = f"daemon off;\npid {tmp_path}/nginx.pid;\nerror_log {tmp_path}/error.log;\n"
    configuration = tmp_path / "nginx.conf"
    configuration.write_text(f"{head}events {{}}\nhttp {{\naccess_log off;\n{temporary}{text}}}\n")
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
    serve = [sys.executable, "-m", "bookshelf", "--http", str(port)]
    with (
        started(serve, tmp_path / "server.log", env=environment) as server,
        started([find("nginx"), "-c", str(configuration)], tmp_path / "nginx.log") as nginx,
    ):
        await_answer(port, server)
        await_answer(proxy, nginx)
        assert anyio.run(tools, f"http://localhost:{proxy}/mcp") == set(demo().tools)
        url = f"http://127.0.0.1:{proxy}/healthz"
        assert httpx2.get(url).status_code == 200
        accepted = {"accept": "application/json, text/event-stream"}
        foreign = {**accepted, "content-type": "application/json", "host": "evil.example"}
        response = httpx2.post(f"http://127.0.0.1:{proxy}/mcp", content="{}", headers=foreign)
        assert response.status_code == 421


def test_project_passes_its_own_checks_in_a_fresh_clone(folder: Path, tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "First"]):
        subprocess.run([*git, *arguments], cwd=folder, check=True)
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(folder), str(clone)], check=True)
    group = ("--group", f"{clone}/pyproject.toml:dev")
    python = environments.create(tmp_path / "venv", "--editable", str(clone), *group)
    workflow = yaml.safe_load((clone / ".github/workflows/ci.yml").read_text())
    steps = [step["run"] for step in workflow["jobs"]["check"]["steps"] if "run" in step]
    assert steps == ["uv run pytest", "uv run mypy src tests"]
    for step in steps:
        module, *arguments = step.split()[2:]
        output = environments.run([str(python), "-m", module, *arguments], clone)
        assert " failed" not in output
    clean = subprocess.run(
        ["git", "status", "--porcelain"], cwd=clone, capture_output=True, text=True, check=True
    )
    assert clean.stdout == ""
