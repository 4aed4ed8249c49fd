"""Generates the first program of a new client, and lists its requirements."""

from __future__ import annotations

import keyword
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mcpgen import installing
from mcpgen.codegen import environment, escaping
from mcpgen.codegen.pipeline import Generated
from mcpgen.codegen.plan import Example
from mcpgen.installing import RUNTIME
from mcpgen.jsontext import Json
from mcpgen.project.dependencies import lacks_runtime
from mcpgen.servers.endpoint.launchers import DEMO
from mcpgen.servers.endpoint.origin import COMMAND, TARGET
from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.servers.recording.build_contract import Recorded

_SNIPPET = """\
{comments}{imports}
from {package} import {names}
{server}

async def main() -> None:
    async with {client}.connect({target}) as {variable}:
{statement}


asyncio.run(main())
"""
_TRIED = """\
try:
    {}
except ClientError as error:
    print("The call failed:", error)"""
_INDENT = " " * 8
_OF_DEMO = Example('search_catalogue(query="night")')


@dataclass(frozen=True, slots=True)
class Needed:
    """A variable that must be set later, with its meaning or current value."""

    variable: str
    what: str

    def __str__(self) -> str:
        set_note = ", which is set here" if self.variable in os.environ else ""
        return f"{self.variable}, {self.what}{set_note}"


def requirements(recorded: Recorded, package: str, arguments: ServerArguments) -> list[Needed]:
    """Return the variables that the snippet and other clients of the server need."""
    origin = recorded.contract.origin
    needs = [
        Needed(need.variable, _what(need, recorded.paths))
        for need in environment.needs(origin, package)
        if not need.optional or _is_missed(need.variable, recorded.paths)
    ]
    if origin.get("transport") == "in-process":
        names = dict.fromkeys(item.partition("=")[0] for item in arguments.env)
        needs += [Needed(name, "given to the server") for name in names]
    return needs


def _what(need: environment.Need, paths: Mapping[str, str]) -> str:
    path = paths.get(need.variable)
    return need.what if path is None else f'was "{_from_home(path)}"'


def _from_home(path: str) -> str:
    home = str(Path.home())
    return f"~{path[len(home) :]}" if path.startswith(home + os.sep) else path


def _is_missed(variable: str, paths: Mapping[str, str]) -> bool:
    """Return True if a program can't be found by its name."""
    path = paths.get(variable)
    if not variable.endswith(COMMAND.removeprefix("MCP")) or path is None:
        return False
    program = shutil.which(re.sub(r"\.(?:exe|cmd|bat)$", "", Path(path).name))
    return program is None or Path(program).resolve() != Path(path).resolve()


def snippet(
    generated: Generated, recorded: Recorded, arguments: ServerArguments, folder: str
) -> str:
    """Return a program that connects to the server and shows one result."""
    imports, server, target = _server(recorded, generated.package)
    variable = "client" if target in (generated.package, "server") else generated.package
    path = escaping.plain(folder)
    is_demo = arguments.server == DEMO
    comments = [f"# Run it in {path}, or with PYTHONPATH={path}."] if folder != "." else []
    if "_runtime/__init__.py" not in generated.files and lacks_runtime(Path(folder)):
        comments.append(f"# Your pyproject.toml lacks {RUNTIME}: {installing.runtime_hint()}.")
    if is_demo:
        comments.append(
            "# The example server is part of mcpgen, which must be installed where you run this."
        )
    example = _OF_DEMO if is_demo else generated.example
    # The server may reject generated arguments.
    may_fail = not is_demo and example is not None and not example.call.endswith("()")
    statement = _statement(example, variable)
    needs = requirements(recorded, generated.package, arguments)
    comments += ["# Set in the environment before:"] if needs else []
    comments += [f"#   {escaping.plain(str(need))}" for need in needs]
    return _SNIPPET.format(
        comments="".join(f"{line}\n" for line in comments),
        imports="".join(f"import {name}\n" for name in sorted({"asyncio", *imports})),
        package=generated.package,
        client=generated.client,
        names=", ".join(sorted({generated.client, *(["ClientError"] if may_fail else [])})),
        server=server,
        target=target,
        variable=variable,
        statement=textwrap.indent(_TRIED.format(statement) if may_fail else statement, _INDENT),
    )


def _statement(example: Example | None, variable: str) -> str:
    if example is None:
        return f"print(list({variable}.tools))"
    call = f"await {variable}.{example.call}"
    return f"print(({call}).{example.attribute})" if example.attribute else f"print({call})"


def _server(recorded: Recorded, package: str) -> tuple[Sequence[str], str, str]:
    """Return imports, lines that create the server, and the argument of ``connect``."""
    origin: Mapping[str, Json] = recorded.contract.origin
    path, _, name = str(recorded.paths.get(TARGET, origin.get("target", ""))).rpartition(":")
    if not origin:
        return (), "", '"http://127.0.0.1:8000/mcp"'
    if not path.endswith(".py") or not name.isidentifier():
        return (), "", ""
    return _of_file(PurePosixPath(path), name, package)


def _of_file(path: PurePosixPath, name: str, package: str) -> tuple[Sequence[str], str, str]:
    """Import a server from its file, with the file's folder on the import path."""
    stem, folder = path.stem, str(path.parent)
    is_taken = stem == package or stem in sys.stdlib_module_names or stem in ("mcp", "pydantic")
    if folder == "." and stem.isidentifier() and not (is_taken or keyword.iskeyword(stem)):
        return (), f"from {stem} import {name}\n", name
    modules: tuple[str, ...] = ()
    lines = ""
    if folder != ".":
        modules, lines = ("sys",), f"sys.path.insert(0, {escaping.string(folder)})\n"
    if is_taken:
        loaded = f"runpy.run_path({escaping.string(str(path))})[{escaping.string(name)}]"
        return (*modules, "runpy"), f"\n{lines}server = {loaded}\n", "server"
    loaded = f"importlib.import_module({escaping.string(stem)}).{name}"
    return (*modules, "importlib"), f"\n{lines}server = {loaded}\n", "server"
