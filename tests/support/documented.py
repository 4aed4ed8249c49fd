"""The blocks of code in README, CONTRIBUTING and docs/, and the commands in them."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from paths import ROOT

PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("benchmarks/*.md"),
        *ROOT.glob("examples/*/*.md"),
        *ROOT.glob("schema/*.md"),
    ]
)
_FENCE = re.compile(r"^(?P<fence>```+)(?P<language>[\w-]*)\n(?P<text>.*?)^(?P=fence)$", re.M | re.S)


@dataclass(frozen=True)
class Block:
    """A code block: its page relative to the project, its first line and its text."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def is_of_server(self) -> bool:
        """Whether the block is user code of a generated server."""
        return "bookshelf._generated" in self.text or self.page == "docs/server.md"

    @property
    def commands(self) -> list[list[str]]:
        """The simple commands without comments. In a console block, they follow ``$``."""
        lines = self.text.replace("\\\n", " ").splitlines()
        if self.language == "console":
            lines = [line[2:] for line in lines if line.startswith("$ ")]
        args = [shlex.split(line.removeprefix("$ "), comments=True) for line in lines]
        return [command for item in args for command in _simple(item)]

    @property
    def commands_with_output(self) -> list[tuple[str, list[str]]]:
        """The commands of a console block with their shown output."""
        results: list[tuple[str, list[str]]] = []
        for line in self.text.splitlines():
            if line.startswith("$ "):
                results.append((line[2:], []))
            elif results and line.strip():
                results[-1][1].append(line)
        return results


def _simple(args: list[str]) -> Iterator[list[str]]:
    command: list[str] = []
    for token in [*args, "&&"]:
        if token != "&&":
            command.append(token)
        elif command:
            yield command
            command = []


def blocks(*languages: str) -> list[Block]:
    """Return every block in these languages, in all of them by default, page by page."""
    results: list[Block] = []
    for page in PAGES:
        text = page.read_text("utf-8")
        for match in _FENCE.finditer(text):
            line = text.count("\n", 0, match.start()) + 2
            name = page.relative_to(ROOT).as_posix()
            results.append(Block(name, line, match["language"], match["text"]))
    return [block for block in results if not languages or block.language in languages]


def write_modules(folder: Path, preambles: Path, expected: Callable[[Block], bool]) -> None:
    """Write the Python blocks of each page as a module, with one function per block.

    The page's preamble, ``<page>.py``, comes first and defines the names that blocks use.
    """
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    for block in filter(expected, blocks("python")):
        page = Path(block.page).stem.lower().replace("-", "_")
        module = folder / (f"server_of_{page}.py" if block.is_of_server else f"{page}.py")
        if not module.exists():
            preamble = "server.py" if block.is_of_server else module.name
            shutil.copy(preambles / preamble, module)
        body = "".join(f"    {line}".rstrip() + "\n" for line in block.text.splitlines())
        with module.open("a", encoding="utf-8") as file:
            file.write(f"\n\nasync def line_{block.line}() -> None:\n{body}")
