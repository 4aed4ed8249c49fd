"""Third-party servers, installed from their registries, recorded, typed and called."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import anyio
import environments
import pytest
import sdk_programs
from checkers import mypy, pyright
from guards import PATIENCE
from installed_servers import real_servers
from mcp import StdioServerParameters
from mcp.types import ElicitResult
from mcpgen_runtime import Callbacks, SessionOptions
from paths import SUPPORT
from skeletons import await_answer, free_port

from mcpgen.cli.app import run
from mcpgen.jsontext import loads
from mcpgen.servers.recording.wire import server_process

pytestmark = [pytest.mark.slow, pytest.mark.network]

HERE = SUPPORT / "real_servers"
Script = Callable[[Any, Any, "Place"], Awaitable[None]]


@dataclass(frozen=True)
class Place:
    """The resources of the servers: a folder, a repository, a web page and a port."""

    folder: Path
    page: str
    port: int

    @property
    def repository(self) -> Path:
        return self.folder / "repository"

    def fill(self, text: str) -> str:
        return text.format(folder=self.folder, repository=self.repository, port=self.port)


@dataclass(frozen=True)
class Real:
    """A server: how it is started, and a script that calls it through its client."""

    command: tuple[str, ...]
    script: Script
    variables: tuple[tuple[str, str], ...] = ()


# The scripts, each with the package, its connected client and the place


async def everything(package: Any, client: Any, location: Place) -> None:
    weather = await client.get_structured_content(location="Chicago")
    assert isinstance(weather, package.GetStructuredContentOutput)
    assert (type(weather.temperature), type(weather.conditions)) == (int, str)
    assert (await client.echo(message="hello")).text == "Echo: hello"
    assert "42" in (await client.get_sum(a=40, b=2)).text
    (image,) = (await client.get_tiny_image()).images
    assert image.data.startswith(b"\x89PNG")
    assert len((await client.get_resource_links(count=3)).resource_links) == 3


async def filesystem(package: Any, client: Any, location: Place) -> None:
    path = str(location.folder / "note.txt")
    written = await client.write_file(path=path, content="one\ntwo\n")
    assert isinstance(written, package.WriteFileOutput)
    first = await client.read_text_file(path=path, head=1)
    assert isinstance(first, package.ReadTextFileOutput)
    assert first.content == "one"
    with pytest.raises(package.ToolError):
        await client.read_text_file(path=str(location.folder.parent / "outside.txt"))


async def memory(package: Any, client: Any, location: Place) -> None:
    entity = {"name": "Ada", "entity_type": "person", "observations": ["writes programs"]}
    arguments = models(package, "create_entities").CreateEntitiesInputEntitiesItem(**entity)
    created = await client.create_entities(entities=[arguments])
    assert created.entities[0].entity_type == "person"
    graph = await client.read_graph()
    assert isinstance(graph, package.ReadGraphOutput)
    assert [item.name for item in graph.entities] == ["Ada"]
    assert package.raw_json(graph)["entities"][0]["entityType"] == "person"


async def thinking(package: Any, client: Any, location: Place) -> None:
    for number in (1, 2):
        result = await client.sequentialthinking(
            thought="So be it.", next_thought_needed=number < 2, thought_number=number,
            total_thoughts=2,
        )  # fmt: skip
        assert isinstance(result, package.SequentialthinkingOutput)
        assert (result.thought_number, result.next_thought_needed) == (number, number < 2)


async def repository(package: Any, client: Any, location: Place) -> None:
    path = str(location.repository)
    log = await client.git_log(repo_path=path)
    assert isinstance(log, package.ToolResult)
    assert "The first commit" in log.text
    (location.repository / "new.txt").write_text("new")
    assert "new.txt" in (await client.git_status(repo_path=path)).text


async def clock(package: Any, client: Any, location: Place) -> None:
    now = await client.get_current_time(timezone="Asia/Tokyo")
    assert isinstance(now, package.GetCurrentTimeOutput)
    assert (now.timezone, now.is_dst) == ("Asia/Tokyo", False)
    converted = await client.convert_time(
        source_timezone="Asia/Tokyo", time="12:00", target_timezone="Asia/Kolkata"
    )
    assert converted.target.datetime[10:16] == "T08:30"


async def fetch(package: Any, client: Any, location: Place) -> None:
    page = await client.fetch(url=location.page)
    assert isinstance(page, package.ToolResult)
    assert "Harbour" in page.text
    assert "<h1>" not in page.text
    assert "<h1>" in (await client.fetch(url=location.page, raw=True)).text


async def weather(package: Any, client: Any, location: Place) -> None:
    result = await client.forecast(city="Oslo")
    assert isinstance(result, package.ForecastOutput)
    assert (result.degrees, result.wind.direction) == (21, "west")
    several = await client.forecasts(cities=["Oslo", "Rome"])
    assert [(item.city, item.wind) for item in several] == [("Oslo", None), ("Rome", None)]
    assert await client.mean(values=[20, 21]) == 20.5


SERVERS = {
    "everything": Real(("mcp-server-everything",), everything),
    "filesystem": Real(("mcp-server-filesystem", "{folder}"), filesystem),
    "memory": Real(
        ("mcp-server-memory",), memory, (("MEMORY_FILE_PATH", "{folder}/memory.jsonl"),)
    ),
    "thinking": Real(("mcp-server-sequential-thinking",), thinking),
    "repository": Real(("mcp-server-git", "--repository", "{repository}"), repository),
    "clock": Real(("mcp-server-time", "--local-timezone", "Europe/Paris"), clock),
    "fetch": Real(("mcp-server-fetch", "--ignore-robots-txt", "--allow-private-ips"), fetch),
    "weather": Real(("http://127.0.0.1:{port}/mcp",), weather),
}


# Where the servers are installed, and their arguments


@pytest.fixture(scope="module")
def installed_servers() -> Path:
    return real_servers()


@pytest.fixture(scope="module")
def location(installed_servers: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("place").resolve()
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    environments.run([*git, "init", "--quiet", str(folder / "repository")])
    commit = ["commit", "--quiet", "--allow-empty", "--message", "The first commit"]
    environments.run([*git, "-C", str(folder / "repository"), *commit])
    (folder / "page.html").write_text("<html><body><h1>Harbour</h1><p>Rain.</p></body></html>")
    with web(folder) as address, fastmcp(installed_servers) as port:
        yield Place(folder, f"{address}/page.html", port)


@contextmanager
def web(folder: Path) -> Iterator[str]:
    """Serve a folder over HTTP, so that nothing is fetched from the internet."""
    handler = partial(Silent, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@contextmanager
def fastmcp(installed_servers: Path) -> Iterator[int]:
    port = free_port()
    command = [
        str(installed_servers / "python" / "bin" / "python"),
        str(HERE / "weather.py"),
        str(port),
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            await_answer(port, server)
            yield port
        finally:
            server.terminate()


# The tests


def test_a_real_server_answers_with_typed_values(
    name: str,
    recorded_server: Path,
    location: Place,
    monkeypatch: pytest.MonkeyPatch,
    installed_servers: Path,
) -> None:
    """`connect()` without arguments finds the server by the contract's origin."""
    for variable, value in environment(name, recorded_server, location, installed_servers).items():
        monkeypatch.setenv(variable, value)
    monkeypatch.syspath_prepend(str(recorded_server))
    package = importlib.import_module(name)

    async def run() -> None:
        async with package.Client.connect(
            verify="error", session=SessionOptions(connect_timeout=PATIENCE)
        ) as client:
            await SERVERS[name].script(package, client, location)

    anyio.run(run)


@pytest.fixture(params=SERVERS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def recorded_server(name: str, location: Place, installed_servers: Path, tmp_path: Path) -> Path:
    """A folder with the package of the server."""
    generate(name, location, installed_servers, tmp_path)
    return tmp_path


def generate(
    name: str, location: Place, installed_servers: Path, folder: Path, *options: str
) -> None:
    """Run the command that a user would, with the exact command of the server."""
    real = SERVERS[name]
    start = [location.fill(part) for part in real.command]
    if start[0].startswith("http"):
        server = start
    else:
        args = [f"--env={key}={location.fill(value)}" for key, value in real.variables]
        server = [*args, "--", str(find_command(start[0], installed_servers)), *start[1:]]
    command = sdk_programs.mcpgen("client", "-o", str(folder), "--name", name)
    environments.run([*command, *options, *server], env=dict(os.environ))


def find_command(command: str, installed_servers: Path) -> Path:
    path = os.pathsep.join(map(str, folders(installed_servers)))
    return Path(shutil.which(command, path=path) or f"{command} was not installed")


def folders(installed_servers: Path) -> list[Path]:
    return [installed_servers / "node_modules" / ".bin", installed_servers / "python" / "bin"]


def environment(
    name: str, recorded_server: Path, location: Place, installed_servers: Path
) -> dict[str, str]:
    """Return the environment of the recorded command: PATH, placeholders and names."""
    real = SERVERS[name]
    origin = loads((recorded_server / name / "contract.json").read_bytes())["origin"]
    if origin["transport"] != "stdio":
        return {}
    path = os.pathsep.join([*map(str, folders(installed_servers)), os.environ["PATH"]])
    result = {"PATH": path, **{key: location.fill(value) for key, value in real.variables}}
    assert sorted(origin.get("env", [])) == sorted(key for key, _ in real.variables)
    for recorded, actual in zip(origin["args"], real.command[1:], strict=True):
        if placeholder := re.fullmatch(r"\$\{(\w+)\}", recorded):
            result[placeholder[1]] = location.fill(actual)
        else:
            assert recorded == actual
    return result


def models(package: Any, method: str) -> Any:
    return importlib.import_module(f"{package.__name__}.models.{method}")


def import_package(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import a package from a folder, even if its name was imported before."""
    for module in [*sys.modules]:
        if module.partition(".")[0] == name:
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.syspath_prepend(str(folder))
    return importlib.import_module(name)


def test_a_real_server_runs_tasks(
    location: Place, installed_servers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate("everything", location, installed_servers, tmp_path)
    command, *_ = SERVERS["everything"].command
    package = import_package("everything", tmp_path, monkeypatch)
    server = StdioServerParameters(command=str(find_command(command, installed_servers)))
    notifications: list[Any] = []

    async def clarify(question: Any) -> ElicitResult:
        accepted: ElicitResult = question.accept(interpretation="snake")
        return accepted

    async def run() -> None:
        async with package.Client.connect(server, elicit=clarify) as client:
            telling = client.with_options(
                on_progress=lambda *progress: notifications.append(progress[2])
            )
            report = await telling.simulate_research_query(topic="python", ambiguous=True)
            assert "python (snake)" in report.text
            assert notifications[0] == "Gathering sources..."
            task = await client.start(client.simulate_research_query, topic="tea")
            assert (await task.status()).state == "working"
            assert (await task.cancel()).state == "cancelled"
            with pytest.raises(package.TaskCancelled):
                await task.result()
            with pytest.raises(package.TaskUnsupported):
                await client.start(client.echo, message="hello")

    anyio.run(run)
    with package.Client.sync.connect(server) as client:
        task = client.start(client.simulate_research_query, topic="coffee")
        same = client.resume(client.simulate_research_query, task.to_text())
        assert "Research Report: coffee" in same.result().text


@pytest.mark.parametrize("over", ["stdio", "the SDK"])
def test_task_tool_is_callable_from_the_shell(
    over: str,
    installed_servers: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command, *arguments = SERVERS["everything"].command
    server = [str(find_command(command, installed_servers)), *arguments]
    monkeypatch.setattr(server_process, "IS_USED", over == "stdio")
    assert run(["call", "simulate-research-query", "--topic", "tea", "--", *server]) == 0
    assert "# Research Report: tea" in capfd.readouterr().out


CAN = "elicitation,roots,sampling"


class Answers:
    """A client that answers every request of this server, and records notifications."""

    def __init__(self, root: Path) -> None:
        self.logged: list[Any] = []
        self.updated: list[str] = []
        self.options: dict[str, Any] = {
            "elicit": self.elicit,
            "sampling": self.sample,
            "roots": {"work": root},
            "callbacks": Callbacks(
                on_log=lambda *log: self.logged.append(log[1]),
                log_level="debug",
                on_resource_updated=self.updated.append,
            ),
            "verify": "error",
        }

    def elicit(self, question: Any) -> Any:
        names = [field.name for field in question.fields]
        return question.accept(name="Ada") if "name" in names else question.accept()

    def sample(self, request: Any) -> str:
        (block,) = request.messages[-1].content_as_list
        return f"Heard: {block.text}"


def test_a_real_server_asks_and_tells(
    location: Place, installed_servers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate("everything", location, installed_servers, tmp_path, "--capability", CAN)
    package = import_package("everything", tmp_path, monkeypatch)
    command = str(find_command(SERVERS["everything"].command[0], installed_servers))
    server = StdioServerParameters(command=command)
    note = "demo://resource/dynamic/text/1"

    def check(texts: list[str]) -> None:
        sampled, sent_requests, visited, listed = texts
        assert "Heard: Resource trigger-sampling-request context: hello" in sampled
        assert "Name: Ada" in sent_requests
        assert "Favorite Integer: 42" in sent_requests  # the form's own default
        assert "URL: https://example.org/pay" in visited
        assert location.folder.as_uri() in listed

    async def run() -> None:
        answers, notifications = Answers(location.folder), list[float]()
        async with package.Client.connect(server, **answers.options) as client:
            results = [
                await client.trigger_sampling_request(prompt="hello"),
                await client.trigger_elicitation_request(),
                await client.trigger_url_elicitation(url="https://example.org/pay"),
                await client.get_roots_list(),
            ]
            check([result.text for result in results])
            await client.toggle_simulated_logging()
            await client.resources.subscribe(note)
            await client.toggle_subscriber_updates()
            telling = client.with_options(on_progress=lambda total, *_: notifications.append(total))
            await telling.trigger_long_running_operation(duration=1, steps=2)
            assert notifications == [1, 2]
            with anyio.fail_after(PATIENCE):  # it logs and updates every five seconds
                while not (answers.logged and answers.updated):
                    await anyio.sleep(0.05)
            assert set(answers.updated) == {note}

    anyio.run(run)
    answers = Answers(location.folder)
    with package.Client.sync.connect(server, **answers.options) as client:
        results = [
            client.trigger_sampling_request(prompt="hello"),
            client.trigger_elicitation_request(),
            client.trigger_url_elicitation(url="https://example.org/pay"),
            client.get_roots_list(),
        ]
        check([result.text for result in results])
        client.resources.subscribe(note)
        client.toggle_subscriber_updates()
        started = time.monotonic()
        while not answers.updated and time.monotonic() - started < PATIENCE:
            time.sleep(0.05)
        assert set(answers.updated) == {note}
    with package.Client.sync.connect(server, verify="error") as client:
        assert client.echo(message="hello").text == "Echo: hello"
        with pytest.raises(package.MissingCapability):
            client.get_roots_list()


def test_type_checkers_are_silent_on_every_real_server(
    location: Place, installed_servers: Path, tmp_path: Path
) -> None:
    for name in SERVERS:
        generate(name, location, installed_servers, tmp_path)
    assert pyright(tmp_path) == []
    assert mypy(tmp_path, *SERVERS) == []
