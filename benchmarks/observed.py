"""Measures how well result types are observed, on servers that start without an account.

The calls are in ``observed_calls.yaml``, the servers below ``--servers``: ``py/PACKAGE`` is a
virtual environment, ``npm/FOLDER`` a prefix of npm. ``--install`` installs missing servers.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import zlib
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from mcpgen.contract import yaml_reader
from mcpgen.contract.lists import LISTINGS
from mcpgen.contract.observation import samples as reading
from mcpgen.contract.observation.document import Observed
from mcpgen.contract.observation.observe import Call, Definition, observe
from mcpgen.contract.observation.places import places
from mcpgen.contract.observation.schema_detail import tells
from mcpgen.errors import McpgenError
from mcpgen.jsontext import canonical
from mcpgen.schemas.validation import schemas
from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.servers.recording.follow_up import FollowUpRequest, RequestPlan
from mcpgen.servers.recording.raw_responses import Answers, ErrorAnswer
from mcpgen.servers.shell.exchange import call_tool, listed_definitions
from mcpgen.servers.shell.servers import Server

HERE = Path(__file__).parent
CACHE = HERE.parent / ".cache" / "real-servers"
HASH = "0" * 16
SECONDS = 240.0
MOST_CHOICES = 4
HELD = (1, 2, 3, 4, 5)
DOT = (
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR4nGP4z8AARAxg8j8AG/ID/fPnS7EAAAAASUVO"
    "RK5CYII="
)
FONT = (
    "eNpdkEFKA0EQRV93xhBl0Fm4cBUUXIgYBBfiIgsXkgO4FkITxwwyY4JEiDsP4LE8gx5BLyC4EMbf5Sijv/hV1b+riqJw"
    "QI8HOjCpwpyUEbhU6sG0vL/C4IbRFXm4HBSDC+WP4nEhgXUZPIm7RbVYkll9Ty4pZ5PQ9J/EdxWWc7wM3sTtm1Dl/nBt"
    "R/+neh8RdxFXnl+uxxvDd+1k0173PvbbsUHHJvHdQ1p/ymctpQ33M7uB5z+yX12XYFPeWUzYMt066tr4d7qnH6uTVeld"
    "64+51126nDFjwTk5U+4oCdzCF7ZrJqw="
)


@dataclass
class Ran:
    """A server that was called: its tools, and each tool's calls with results."""

    name: str
    tools: dict[str, Any] = field(default_factory=dict[str, Any])
    results: dict[str, list[Any]] = field(default_factory=dict[str, "list[Any]"])
    problem: str = ""


# Calling


def ran_of(name: str, server: Mapping[str, Any], servers: Path, web: str) -> Ran:
    """Start a server in a scratch folder, and make its calls."""
    ran = Ran(name)
    command = found(server, servers)
    if command is None:
        ran.problem = "not installed"
        return ran
    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name).resolve()
        furnish(folder)

        values = {"folder": str(folder), "web": web, "dot": DOT}
        filled = partial(fill, values)

        args = (str(command), *filled(server["command"][1:]))
        env = tuple(f"{key}={value}" for key, value in filled(server.get("env", {})).items())
        cwd = filled(server.get("cwd", "{folder}"))
        arguments = ServerArguments(command=args, env=env, cwd=cwd, timeout=SECONDS)

        def further(answers: Answers) -> Generator[FollowUpRequest, Any, None]:
            ran.tools = dict(listed_definitions(answers, LISTINGS[0]))
            for tool, item in calls_of(server["calls"]):
                result: Any = {"isError": True}
                with contextlib.suppress(ErrorAnswer):
                    definition = ran.tools.get(tool, {"name": tool})
                    result = yield from call_tool(definition, filled(item), answers.revision)
                ran.results.setdefault(tool, []).append(result)
                values.update(seen(server.get("seen", {}), result))

        plan = RequestPlan(frozenset({"tools"}), further)
        try:
            Server(arguments, lambda _: None, "observed").fulfil(plan, None)
        except McpgenError as error:
            ran.problem = error.problem
    return ran


def fill(values: Mapping[str, str], value: Any) -> Any:
    """Replace ``{name}`` by known values. A lone number remains a number."""
    text = json.dumps(value)
    for name, token in values.items():
        placeholder = f"{{{name}}}"
        text = text.replace(f'"{placeholder}"', token) if token.isdigit() else text
        text = text.replace(placeholder, json.dumps(token)[1:-1])
    return json.loads(text)


def seen(patterns: Mapping[str, str], result: Any) -> Iterator[tuple[str, str]]:
    """Find values for later calls in a result, such as IDs that the server generated."""
    text = json.dumps(result, ensure_ascii=False)
    for name, pattern in patterns.items():
        if match := re.search(pattern, text):
            yield name, match[1]


def calls_of(calls: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Any]]:
    for call in calls:
        for tool, several in call.items():
            yield from ((tool, item) for item in several)


def furnish(folder: Path) -> None:
    """Create the files that the calls use in the scratch folder."""
    (folder / "conf.json").write_text('{"name": "bookshelf", "port": 80}')
    (folder / "data.csv").write_text("id,name\n1,ada\n2,bob\n")
    (folder / "a.js").write_text("let a = 1;\n")
    (folder / "b.js").write_text("var b = 1\nif (b == 2) { console.log(c) }\n")
    (folder / "c.js").write_text("let =\n")
    (folder / "eslint.config.mjs").write_text(
        'export default [{rules: {"no-var": "error", eqeqeq: "warn", "no-undef": "error"}}];\n'
    )
    (folder / "dot.png").write_bytes(base64.b64decode(DOT))
    (folder / "dot.ttf").write_bytes(zlib.decompress(base64.b64decode(FONT)))
    (folder / "notes").mkdir()
    repo = folder / "repo"
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    run([*git, "init", "--quiet", str(repo)])
    for number in (1, 2):
        (repo / "a.txt").write_text(f"{number}\n")
        run([*git, "-C", str(repo), "add", "a.txt"])
        run([*git, "-C", str(repo), "commit", "--quiet", "--message", f"Number {number}"])
    (repo / "new.txt").write_text("new\n")
    for key, value in (("user.name", "Ada"), ("user.email", "ada@example.org")):
        run(["git", "-C", str(repo), "config", key, value])


def run(command: Sequence[str], **options: Any) -> None:
    subprocess.run(command, check=True, capture_output=True, **options)


@contextmanager
def web() -> Generator[str]:
    """Serve two pages, so that no call fetches anything from the internet."""

    class Silent(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "page.html").write_text(
            "<html><body><h1>Tea</h1><p>Rain.</p></body></html>"
        )
        (Path(folder) / "conf.json").write_text('{"name": "bookshelf"}')
        handler = partial(Silent, directory=folder)
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{server.server_port}"
            server.shutdown()


# Where servers are


def found(server: Mapping[str, Any], servers: Path) -> Path | None:
    """Return the command of a server, or None if it isn't installed."""
    name = str(server["command"][0])
    if "pypi" in server:
        folders = [servers / "py" / server["pypi"] / "bin", CACHE / "python" / "bin"]
    else:
        folder = servers / "npm" / folder_of(server["npm"]) / "node_modules"
        folders = [folder / ".bin", CACHE / "node_modules" / ".bin"]
    path = shutil.which(name, path=os.pathsep.join(map(str, folders)))
    return Path(path) if path else None


def folder_of(package: str) -> str:
    return package.replace("@", "_").replace("/", "_")


def install(server: Mapping[str, Any], servers: Path) -> None:
    """Install a server from PyPI or npm by its entry. Older servers need an older SDK."""
    if found(server, servers) is not None:
        return
    if "npm" in server:
        prefix = servers / "npm" / folder_of(server["npm"])
        prefix.mkdir(parents=True, exist_ok=True)
        env = {**os.environ, "PUPPETEER_SKIP_DOWNLOAD": "1"}
        npm = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(prefix)]
        run([*npm, server["npm"]], env=env)
        return
    folder = servers / "py" / server["pypi"]
    run([sys.executable, "-m", "venv", str(folder)])
    run([str(folder / "bin" / "pip"), "install", "-q", server["pypi"], *server.get("with", [])])


# Judging


@dataclass
class Judged:
    """The outcome for a tool that returned results and has no useful output schema."""

    server: str
    tool: str
    is_json: bool
    source: str
    is_typed: bool
    answers: int
    refused: int
    positions: int
    known_positions: int
    held_out: dict[int, list[bool]]


def judged(ran: Ran) -> Iterator[Judged]:
    for tool, results in ran.results.items():
        if tool not in ran.tools or tells(ran.tools[tool].get("outputSchema")):
            continue
        good = [result for result in results if is_success(result)]
        if good:
            yield of_tool(ran.name, tool, good)


def of_tool(server: str, tool: str, results: list[Any]) -> Judged:
    definitions = {tool: Definition(HASH, tells=False)}
    calls = [Call(tool, result, HASH) for result in results]
    learned = observe(calls, definitions, Observed()).observed.tools.get(tool)
    schema = None if learned is None or learned.schema is None else dict(learned.schema)
    types = places(schema) if schema is not None else {}
    anything = sum(type_name.startswith("anything") for type_name in types.values())
    return Judged(
        server,
        tool,
        is_json=all(map(is_json, results)),
        source=learned.source if learned else "",
        is_typed=schema is not None,
        answers=len(different(results)),
        refused=sum(not fits(schema, results, result) for result in results) if schema else 0,
        positions=len(types),
        known_positions=len(types) - anything,
        held_out=held(tool, different(results)) if schema else {},
    )


def is_success(result: Any) -> bool:
    answer = reading.read(result)
    return answer is not None and answer.is_success


def is_json(result: Any) -> bool:
    """Return True if a whole result is JSON, decided without the measured code."""
    structured = result.get("structuredContent")
    if structured is not None:
        inner = structured.get("result") if list(structured) == ["result"] else structured
        return not isinstance(inner, str) or is_data(inner)
    blocks = result.get("content", [])
    return len(blocks) == 1 and blocks[0].get("type") == "text" and is_data(blocks[0]["text"])


def is_data(text: str) -> bool:
    try:
        return isinstance(json.loads(text), (dict, list, int, float))
    except ValueError:
        return False


def different(results: Sequence[Any]) -> list[Any]:
    data = {
        canonical(result.get("structuredContent") or result.get("content")): result
        for result in results
    }
    return list(data.values())


def fits(schema: dict[str, Any], other_results: Sequence[Any], result: Any) -> bool:
    """Return True if a schema observed from other results accepts a result."""
    samples = reading.one_form(
        [a for others_ in (*other_results, result) if (a := reading.read(others_))]
    )
    if isinstance(samples, str) or not samples.values:
        return False
    return not list(schemas.validator(schema).iter_errors(samples.values[-1]))


def held(tool: str, results: list[Any]) -> dict[int, list[bool]]:
    """Hold back each result in turn, and check whether it fits the type observed from others."""
    verdicts: dict[int, list[bool]] = {}
    definitions = {tool: Definition(HASH, tells=False)}
    for count in HELD:
        for number, result in enumerate(results):
            other_results = results[:number] + results[number + 1 :]
            for few in itertools.islice(itertools.combinations(other_results, count), MOST_CHOICES):
                calls = [Call(tool, item, HASH) for item in few]
                learned = observe(calls, definitions, Observed()).observed.tools.get(tool)
                if learned is not None and learned.schema is not None:
                    verdict = fits(dict(learned.schema), few, result)
                    verdicts.setdefault(count, []).append(verdict)
    return verdicts


# The tables


def tables(all_ran: Sequence[Ran]) -> None:
    tools = [item for ran in all_ran for item in judged(ran)]
    heads = ["tools", "tell", "answered, of the rest", "JSON on every call", "as data", "as text"]
    print("| server | " + " | ".join(heads) + " |\n|---|" + "---:|" * len(heads))
    for ran in all_ran:
        own = [item for item in tools if item.server == ran.name]
        telling = sum(tells(tool.get("outputSchema")) for tool in ran.tools.values())
        counts = (len(ran.tools), telling, len(own), *map(count, columns(own)))
        print(f"| {ran.name} | " + " | ".join(map(str, counts)) + " |")
    listed_tools = sum(len(ran.tools) for ran in all_ran)
    telling = sum(tells(t.get("outputSchema")) for ran in all_ran for t in ran.tools.values())
    total = (listed_tools, telling, len(tools), *map(count, columns(tools)))
    print("| **all** | " + " | ".join(map(str, total)) + " |\n")
    bars(tools, listed_tools, telling)
    for item in tools:
        wrong = [n for n, verdicts in item.held_out.items() if not all(verdicts)]
        if item.refused or wrong or (item.is_json and not item.is_typed):
            note = f"refused {item.refused}" if item.refused else f"held back: {wrong}"
            note = note if item.is_typed else "not typed"
            print(f"{item.server}: {item.tool}: {note}", file=sys.stderr)


def columns(tools: Sequence[Judged]) -> tuple[list[Judged], list[Judged], list[Judged]]:
    return (
        [tool for tool in tools if tool.is_json],
        [tool for tool in tools if tool.is_typed],
        [tool for tool in tools if tool.source == "text"],
    )


def bars(tools: Sequence[Judged], listed_tools: int, telling: int) -> None:
    json_tools, typed, texts = columns(tools)
    print("| bar | reached |\n|---|---:|")
    print(f"| JSON on every call, and typed | {share(count(json_tools, typed), len(json_tools))} |")
    answers = sum(item.answers for item in typed)
    print(f"| answers refused by their own schema | {sum(t.refused for t in typed)} of {answers} |")
    false = [item for item in typed if not item.is_json]
    print(f"| typed as data, but JSON on some calls only | {len(false)} of {len(typed)} |")
    known_total, all_places = (
        sum(item.known_positions for item in typed),
        sum(item.positions for item in typed),
    )
    print(f"| places with a type | {share(known_total, all_places)} |")
    for number in HELD:
        verdicts = [v for item in typed for v in item.held_out.get(number, ())]
        complete = [item.held_out[number] for item in typed if number in item.held_out]
        note = f"{number} other{'s' if number > 1 else ''}"
        all_of = f"all of {sum(map(all, complete))} of {len(complete)} tools"
        fit = share(sum(verdicts), len(verdicts))
        print(f"| held-back answers that fit what {note} show | {fit}; {all_of} |")
    from_three = [v for item in typed for n in HELD if n >= 3 for v in item.held_out.get(n, ())]
    print(f"| the same from three on | {share(sum(from_three), len(from_three))} |")
    print(f"| all tools with a useful result type, before | {share(telling, listed_tools)} |")
    print(f"| after | {share(telling + len(typed), listed_tools)} |")
    print(f"| after, with text | {share(telling + len(typed) + len(texts), listed_tools)} |")
    total = telling + len(tools)
    print(f"| of those that tell or answered: before | {share(telling, total)} |")
    print(f"| after | {share(telling + len(typed), total)} |")
    print(f"| after, with text | {share(telling + len(typed) + len(texts), total)} |")


def count(tools: Sequence[Judged], rest: Sequence[Judged] | None = None) -> int:
    return len(tools) if rest is None else sum(any(t is o for o in rest) for t in tools)


def share(part: int, whole: int) -> str:
    return f"{part / whole:.1%} ({part} of {whole})" if whole else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--servers", type=Path, default=CACHE, help="where servers are installed")
    parser.add_argument("--install", action="store_true", help="install what is missing there")
    parser.add_argument("--only", nargs="*", default=[], help="call these servers alone")
    parser.add_argument(
        "--keep", type=Path, help="keep answers here, and read those that are there"
    )
    options = parser.parse_args()
    servers = options.servers.absolute()  # servers are started in another folder
    text = (HERE / "observed_calls.yaml").read_bytes()
    entries: dict[str, Any] = yaml_reader.loads(text, "observed_calls.yaml")
    summary: dict[str, Any] = {}
    if options.keep and options.keep.exists():
        summary = json.loads(options.keep.read_bytes())
    with web() as address:
        for name, server in entries.items():
            if (options.only and name not in options.only) or name in summary:
                continue
            if options.install:
                install(server, servers)
            ran = ran_of(name, server, servers, address)
            if ran.problem or not ran.tools:
                print(f"{name}: {ran.problem or 'no tools'}", file=sys.stderr)
            if ran.tools:
                summary[name] = {"tools": ran.tools, "results": ran.results}
            if options.keep:
                options.keep.write_text(json.dumps(summary))
    tables([Ran(name, item["tools"], item["results"]) for name, item in summary.items()])


if __name__ == "__main__":
    main()
