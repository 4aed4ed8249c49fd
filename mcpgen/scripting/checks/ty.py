"""Checks scripts with ty: once with its command, or repeatedly with its language server.

ty is an optional dependency. It is pinned because its messages are parsed here.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from mcpgen import installing
from mcpgen.errors import UsageError

SCRIPT = "script.py"
VERSION = "3.12"
"""The Python version of scripts."""

_SETTINGS = f"""\
[environment]
python-version = "{VERSION}"
python-platform = "all"
python = "nothing"
root = ["."]

[rules]
unused-awaitable = "error"
possibly-unresolved-reference = "error"
redundant-condition = "ignore"
redundant-condition-strict = "warn"
unused-ignore-comment = "ignore"
unused-type-ignore-comment = "ignore"

[analysis]
respect-type-ignore-comments = false
"""
_LINE = re.compile(
    r"(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): "
    r"(?P<severity>\w+)\[(?P<rule>[\w-]+)\] (?P<message>.*)"
)
_SHOWN = (1, 2)  # errors and warnings


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A diagnostic of ty: its line and column, counted from one."""

    line: int
    column: int
    rule: str
    message: str


def command() -> str:
    """Return the path of ty."""
    scripts = [sysconfig.get_path("scripts"), str(Path(sys.executable).parent), None]
    result = next((path for script in scripts if (path := shutil.which("ty", path=script))), None)
    if result is None:
        raise UsageError("checking scripts requires ty", hint=installing.extra_hint("scripts"))
    return result


def lay_out(folder: Path, stubs: dict[str, str]) -> None:
    """Write the settings of ty and the stub of each server."""
    (folder / "ty.toml").write_text(_SETTINGS, "utf-8")
    # An environment without packages, because scripts may only import the standard library.
    packages = folder / "nothing" / "lib" / f"python{VERSION}" / "site-packages"
    packages.mkdir(parents=True)
    (folder / "nothing" / "Lib" / "site-packages").mkdir(parents=True)
    (folder / "nothing" / "pyvenv.cfg").write_text(f"home = {packages.parent}\n", "utf-8")
    for name, text in stubs.items():
        (folder / f"{name}.pyi").write_text(text, "utf-8")


def _environment() -> dict[str, str]:
    """Return an environment in which ty finds no other project's settings or packages."""
    hidden = ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH")
    variables = {name: value for name, value in os.environ.items() if name not in hidden}
    return {name: value for name, value in variables.items() if not name.startswith("TY_")}


def check_once(folder: Path, text: str) -> list[Diagnostic]:
    """Return the command's diagnostics for a script."""
    (folder / SCRIPT).write_text(text, "utf-8", newline="\n")
    args = [command(), "check", "--output-format", "concise", "--no-progress", "--color", "never"]
    run = subprocess.run(  # noqa: S603 - our own words
        [*args, SCRIPT],
        cwd=folder,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
        encoding="utf-8",
    )
    if run.returncode > 1:
        raise UsageError(f"ty failed: {(run.stderr or run.stdout).strip()[-300:]}")
    matches = map(_LINE.fullmatch, run.stdout.splitlines())
    return [
        Diagnostic(int(match["line"]), int(match["column"]), match["rule"], match["message"])
        for match in matches
        if match
    ]


class Server:
    """A running language server of ty. It handles one request at a time."""

    def __init__(self, folder: Path) -> None:
        self._uri = (folder / SCRIPT).as_uri()
        self._count = 0
        self._version = 0
        (folder / SCRIPT).write_text("", "utf-8")
        self._process = subprocess.Popen(  # noqa: S603 - our own words
            [command(), "server"],
            cwd=folder,
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        workspace = {"uri": folder.as_uri(), "name": folder.name}
        self._ask(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": folder.as_uri(),
                "capabilities": {
                    "general": {"positionEncodings": ["utf-16"]},
                    "textDocument": {"diagnostic": {}},
                },
                "workspaceFolders": [workspace],
            },
        )
        self._send({"method": "initialized", "params": {}})

    def check(self, text: str) -> list[Diagnostic]:
        """Return the language server's diagnostics for a script."""
        self._version += 1
        document = {"uri": self._uri, "version": self._version}
        if self._version == 1:
            opened = {**document, "languageId": "python", "text": text}
            self._send({"method": "textDocument/didOpen", "params": {"textDocument": opened}})
        else:
            changed = {"textDocument": document, "contentChanges": [{"text": text}]}
            self._send({"method": "textDocument/didChange", "params": changed})
        answer = self._ask("textDocument/diagnostic", {"textDocument": {"uri": self._uri}})
        lines = text.split("\n")
        return [
            _diagnostic(item, lines)
            for item in answer["items"]
            if item.get("severity", 1) in _SHOWN
        ]

    def close(self) -> None:
        """End the server."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):  # unwritten data for a process that has exited
                stream.close() if stream else None

    def _ask(self, method: str, params: dict[str, Any]) -> Any:
        self._count += 1
        self._send({"id": self._count, "method": method, "params": params})
        while True:
            message = self._receive()
            if "method" in message:
                self._answer(message)
            elif message.get("id") == self._count:
                if "error" in message:
                    raise UsageError(f"ty failed: {message['error'].get('message')}")
                return message["result"]

    def _answer(self, message: dict[str, Any]) -> None:
        """Respond to the server's requests: its settings file is its only configuration."""
        if "id" in message:
            items: list[Any] = message.get("params", {}).get("items", [])
            is_configuration = message["method"] == "workspace/configuration"
            self._send({"id": message["id"], "result": [{} for _ in items] or None})
            assert is_configuration or not items

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stream = self._stream(self._process.stdin)
        stream.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        stream.flush()

    def _receive(self) -> dict[str, Any]:
        stream = self._stream(self._process.stdout)
        size = 0
        while line := stream.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                size = int(value)
        if not size:
            raise UsageError("ty ended")
        message: dict[str, Any] = json.loads(stream.read(size))
        return message

    @staticmethod
    def _stream(stream: IO[bytes] | None) -> IO[bytes]:
        assert stream is not None
        return stream


def _diagnostic(raw: dict[str, Any], lines: list[str]) -> Diagnostic:
    start = raw["range"]["start"]
    line: int = start["line"]
    text = lines[line] if line < len(lines) else ""
    column: int = start["character"]
    if not text.isascii():  # the protocol counts UTF-16 code units, Python counts code points
        column = len(text.encode("utf-16-le")[: 2 * column].decode("utf-16-le", "ignore"))
    return Diagnostic(line + 1, column + 1, str(raw.get("code", "")), raw["message"])
