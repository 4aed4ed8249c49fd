"""The first table `[tool.mcpgen.servers.NAME]`, put at the end of pyproject.toml."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from mcpgen.cli.talk import aside, result
from mcpgen.codegen import naming
from mcpgen.errors import UsageError
from mcpgen.files import write as output
from mcpgen.jsontext import is_object
from mcpgen.project import PYPROJECT, read
from mcpgen.project.find import document, parse

_HINT = "mcpgen init --source https://example.org/mcp --client src"


def write(
    name: str, source: str | tuple[str, ...], client: str | None, server: str | None, contract: str
) -> None:
    """Write a server's table; what no option says is asked on a terminal."""
    if isinstance(source, str):
        source = _split(source)
    if sys.stdin.isatty():
        name, source, client = _asked(name, source, client, server, contract)
    if not source and not contract:
        raise UsageError("where is the server?", "--source", _HINT)
    name = name or _name(source, contract)
    file = Path(PYPROJECT)
    text = _table(name, source, client, server, contract)
    before = file.read_bytes().decode() if file.exists() else ""
    whole = before + ("\n" if before and before.endswith("\n") else "\n\n" if before else "") + text
    _refuse_second(file, name)
    _refuse_unreadable(whole, file)
    output.replace(file, whole)
    aside(f"{PYPROJECT}: [tool.mcpgen.servers.{name}] written")
    result(
        {"file": PYPROJECT, "server": name},
        f"mcpgen lock {name}    # records its contract\nmcpgen generate    # writes the code\n",
    )


def _asked(
    name: str,
    source: str | tuple[str, ...],
    client: str | None,
    server: str | None,
    contract: str,
) -> tuple[str, str | tuple[str, ...], str | None]:
    if not source and not contract:
        question = "Where is the server (a URL, file.py:object, a name of .mcp.json, or a command)"
        said: str = click.prompt(question, err=True)
        source = _split(said)
    name = name or click.prompt("What is it called here", _name(source, contract), err=True)
    if client is None and server is None:
        client = click.prompt("Which folder is the client's package written into", "src", err=True)
    return name, source, client


# What a shell would act on, and a command that is started without one would get as a word.
_OPERATORS = re.compile(r"[|&;<>()]+")
_VARIABLE = re.compile(r"\$(?!\{[A-Za-z_]\w*(?::-[^}]*)?\})|`")


def _split(said: str) -> str | tuple[str, ...]:
    """Split a command as a shell would; what is one word, or a file or an address, stays a text."""
    text = said.strip()
    if not re.search(r"\s", text) or "://" in text.split()[0] or Path(text.split(":")[0]).exists():
        return text
    if re.match(r"\S+\.jsonc?:", text):
        return text  # a name with blanks, in a configuration file
    if os.name == "nt" and "\\" in text:
        raise UsageError("a path with backslashes cannot be told from quoting", "--source", _AFTER)
    try:
        lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
        lexer.whitespace_split, lexer.commenters = True, ""
        words = tuple(lexer)
    except ValueError as error:
        raise UsageError(f"the command cannot be split: {error}", "--source", _AFTER) from None
    if operator := next((word for word in words if _OPERATORS.fullmatch(word)), ""):
        raise UsageError(f"a shell would act on {operator!r}, and none is used", "--source", _AFTER)
    if re.match(r"[A-Za-z_]\w*=", words[0]):
        hint = f"write env = [...] into the table, and only the command here: {words[0]}"
        raise UsageError("a command cannot begin with a variable", "--source", hint)
    if any(_VARIABLE.search(word) for word in words):
        hint = "write ${NAME}, in single quotes: it is read when the server is asked"
        raise UsageError("a shell would put in a value here, and none is used", "--source", hint)
    return words


_AFTER = "give its words after --: mcpgen init -- uvx some-server"


def _name(source: str | Sequence[str], contract: str) -> str:
    """Return a name for a server from what says where it is."""
    if contract and not source:
        return naming.snake(Path(contract).name.split(".")[0], "server")
    last = source if isinstance(source, str) else next(_telling(source), "server")
    if re.match(r"https?://", last):
        host = (urlsplit(last).hostname or "").split(".")
        last = next((part for part in host if part not in ("www", "mcp", "api")), "server")
    last = re.sub(r"@[\d.]+$|\.py(:.*)?$", "", last).rpartition("/")[2].rpartition(":")[2]
    return naming.snake(re.sub(r"^(mcp-)?server-|^mcp-|-mcp$|-server$", "", last), "server")


def _telling(words: Sequence[str]) -> Any:
    launchers = {"npx", "uvx", "uv", "run", "python", "python3", "node", "docker", "bunx"}
    return (word for word in words if not word.startswith("-") and word not in launchers)


def _table(
    name: str, source: str | tuple[str, ...], client: str | None, server: str | None, contract: str
) -> str:
    lines = [f"[tool.mcpgen.servers.{name}]"]
    if source:
        lines.append(f"source = {_toml(source)}")
    lines.append(f"contract = {_toml(contract or f'mcp/{name}.contract.json')}")
    if client is not None:
        lines.append(f"client = {{output = {_toml(client)}}}")
    if server is not None:
        lines.append(f"server = {{output = {_toml(server)}}}")
    if any(_is_outside(path) for path in (client, server, contract) if path):
        lines.append("outside = true")
    return "\n".join(lines) + "\n"


def _is_outside(path: str) -> bool:
    """Say whether a folder that was asked for here lies outside of the project's."""
    here = Path.cwd().resolve()
    return not (here / path).resolve().is_relative_to(here)


def _toml(value: str | Sequence[str]) -> str:
    # JSON texts and lists of them are TOML too, save for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _refuse_second(file: Path, name: str) -> None:
    found: Any = document(file) if file.exists() else {}
    for key in ("tool", "mcpgen", "servers", name):
        found = found.get(key) if is_object(found) else None
    if found is not None:
        raise UsageError(
            f"there is a server named {name!r} already", str(file), "choose another --name"
        )


def _refuse_unreadable(text: str, file: Path) -> None:
    """Check the whole before it is written: a table may stand in a form that ends it."""
    try:
        table = parse(text.encode(), str(file))["tool"]["mcpgen"]
    except UsageError as error:
        hint = f"add it by hand: {text.rstrip().rpartition(chr(10) * 2)[2]}"
        raise UsageError("nothing can be added to the file", error.where, hint) from None
    read(table, str(file))
