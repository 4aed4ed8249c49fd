"""Records the sessions that pictures show: `python scripts/record_sessions.py [FOLDER]`.

Runs the commands in an empty folder, and asks pyright-langserver for a hover and an error. The
result goes to docs/images/sessions/ or FOLDER.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = Path(sys.executable).parent
PROJECT = '[project]\nname = "library-app"\nversion = "0.1.0"\n'
DEPENDENCY = 'dependencies = ["mcpgen-runtime>=0.2,<0.3"]\n'
CODE = """\
from bookshelf import BookshelfClient


async def newest(bookshelf: BookshelfClient) -> list[str]:
    result = await bookshelf.search_catalogue(qeury="night", limit=5)
    return [item.title for item in result.items]
"""
METHOD = "search_catalogue"
_LONGEST_HOVER = 15
_WIDTH = 84


def main() -> int:
    """Write the sessions."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images" / "sessions"
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "first.py").write_text(_first(), encoding="utf-8")
        lines = run(folder, "mcpgen client demo", "python first.py")
        (target / "client.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        session = json.dumps(editor_session(folder), indent=1, ensure_ascii=False)
        (target / "editor.json").write_text(session + "\n", encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "pyproject.toml").write_text(PROJECT + DEPENDENCY, encoding="utf-8")
        run(folder, "mcpgen init --name bookshelf --source demo --client src", "mcpgen lock")
        _change_contract(folder / "mcp" / "bookshelf.contract.json")
        run(folder, "mcpgen generate")
        lines = run(folder, "mcpgen check --live")
        (target / "check.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


def _first() -> str:
    """Return the program of README."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    match = re.search(r"```python\n(import asyncio.*?)```", readme, re.DOTALL)
    assert match is not None
    return match[1]


def _change_contract(path: Path) -> None:
    """Make the recorded contract differ from the server, as if the server had changed."""
    from mcpgen.contract.document import read
    from mcpgen.jsontext import loads

    contract = read(loads(path.read_bytes()))
    tool: Any = contract.tools["borrow_item"]
    tool["description"] = "Lend an item to a member."
    tool["inputSchema"]["properties"]["weeks"]["maximum"] = 8
    path.write_text(contract.text(), encoding="utf-8")


def run(folder: Path, *commands: str) -> list[str]:
    """Run commands, and return what a terminal shows."""
    lines: list[str] = []
    path = f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "NO_COLOR": "1", "PYTHONHASHSEED": "0"}
    for command in commands:
        completed = subprocess.run(
            command.split(), cwd=folder, env=env, capture_output=True, text=True, check=False
        )
        # A run prints errors last, and its program after the summary.
        shown = completed.stdout if command.startswith("python") else completed.stderr
        if "check" in command:
            shown = completed.stdout + completed.stderr
        lines += [f"$ {command}", *_without_paths(shown).splitlines()]
    return lines


def _without_paths(text: str) -> str:
    return re.sub(rf"{re.escape(str(SCRIPTS))}/python[\d.]*", "python", text)


def editor_session(folder: Path) -> dict[str, Any]:
    """Return the code of a file, its error, and the hover text of a method."""
    file = folder / "newest.py"
    file.write_text(CODE, encoding="utf-8")
    settings = {"venvPath": str(SCRIPTS.parent.parent), "venv": SCRIPTS.parent.name}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    lines = CODE.splitlines()
    line = next(number for number, text in enumerate(lines) if METHOD in text)
    with LanguageServer(folder) as server:
        diagnostics = server.open(file, CODE)
        hover = server.hover(file, line, lines[line].index(METHOD) + 2)
    error = next(item for item in diagnostics if "qeury" in item["message"])
    signature, _, documentation = hover.partition("---")
    signature_lines = _wrapped(re.sub(r"```\w*", "", signature))
    shown = [*signature_lines, "", *_wrapped(documentation)]
    return {
        "code": lines,
        "error": {
            "line": error["range"]["start"]["line"],
            "start": error["range"]["start"]["character"],
            "end": error["range"]["end"]["character"],
            "message": error["message"],
        },
        "signature_lines": len(signature_lines),
        "hover": shown[:_LONGEST_HOVER],
    }


def _wrapped(text: str) -> list[str]:
    lines = re.sub(r"&nbsp;", " ", text).replace("\\", "").strip().splitlines()
    return [
        part
        for line in lines
        for part in (textwrap.wrap(line, _WIDTH, subsequent_indent="    ") if line else [""])
    ]


class LanguageServer:
    """pyright-langserver, over stdio."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        command = [str(SCRIPTS / "pyright-langserver"), "--stdio"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._id = 0

    def __enter__(self) -> LanguageServer:
        uri = self._folder.as_uri()
        folders = [{"uri": uri, "name": "app"}]
        hover = {"hover": {"contentFormat": ["markdown"]}, "publishDiagnostics": {}}
        capabilities = {"textDocument": hover, "workspace": {"workspaceFolders": True}}
        self._request(
            "initialize",
            {
                "processId": None,
                "rootUri": uri,
                "capabilities": capabilities,
                "workspaceFolders": folders,
            },
        )
        self._send({"method": "initialized", "params": {}})
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def open(self, file: Path, text: str) -> Sequence[Any]:
        """Open a file, and return its diagnostics."""
        document = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": text}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        while True:
            message = self._receive()
            if message.get("method") == "textDocument/publishDiagnostics":
                diagnostics: Sequence[Any] = message["params"]["diagnostics"]
                if diagnostics:
                    return diagnostics

    def hover(self, file: Path, line: int, character: int) -> str:
        """Return the Markdown that an editor shows at a position."""
        params = {
            "textDocument": {"uri": file.as_uri()},
            "position": {"line": line, "character": character},
        }
        text: str = self._request("textDocument/hover", params)["contents"]["value"]
        return text

    def _request(self, method: str, params: Any) -> Any:
        self._id += 1
        self._send({"id": self._id, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == self._id and "method" not in message:
                return message["result"]

    def _receive(self) -> Any:
        """Return the next message. A request of the server gets an empty response."""
        output: IO[bytes] = self._process.stdout  # type: ignore[assignment] # it is a pipe
        length = 0
        while line := output.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        message = json.loads(output.read(length))
        if "id" in message and "method" in message:
            items = message.get("params", {}).get("items", [])
            result = [{} for _ in items] if "configuration" in message["method"] else None
            self._send({"id": message["id"], "result": result})
        return message

    def _send(self, message: Any) -> None:
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stream: IO[bytes] = self._process.stdin  # type: ignore[assignment] # it is a pipe
        stream.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
        stream.flush()


if __name__ == "__main__":
    sys.exit(main())
