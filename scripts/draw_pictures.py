"""Draws the pictures of the documentation as SVG: `python scripts/draw_pictures.py`.

The output depends only on docs/images/sessions/ and the tables of benchmarks/README.md, so it is
the same on every machine. record_sessions.py records the sessions. A picture needs no font file,
follows the reader's light or dark mode, and contains its text as text.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
SESSIONS = IMAGES / "sessions"
CHARACTER, LINE, SIZE = 8.4, 21, 14
"""Width and height of a character cell, and the font size, in pixels."""
MARGIN = 20
STYLE = """\
:root { --back: #ffffff; --panel: #f5f7f9; --line: #d5dbe1; --text: #1c2128; --soft: #57606a;
  --accent: #0b5cad; --good: #1a6b34; --bad: #b3261e; --warn: #8a4600; --bar: #9db8d6; }
@media (prefers-color-scheme: dark) { :root { --back: #14181d; --panel: #1c2229; --line: #36404b;
  --text: #e3e8ee; --soft: #a3adb8; --accent: #7ab8f5; --good: #7fd69a; --bad: #ff8f85;
  --warn: #f0b35b; --bar: #41586f; } }
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: var(--text); }
.sans { font-family: system-ui, sans-serif; }
.bold { font-weight: 600; }
.back { fill: var(--back); stroke: var(--line); }
.panel { fill: var(--panel); stroke: var(--line); }
.soft { fill: var(--soft); } .accent { fill: var(--accent); } .good { fill: var(--good); }
.bad { fill: var(--bad); } .warn { fill: var(--warn); } .bar { fill: var(--bar); }
.arrow { stroke: var(--soft); stroke-width: 1.5; fill: none; }
.wave { stroke: var(--bad); stroke-width: 1.5; fill: none; }"""


@dataclass
class Drawing:
    """An SVG picture under construction. ``title`` is its text for screen readers."""

    title: str
    width: int
    height: int = 0
    parts: list[str] = field(default_factory=list[str])

    def rectangle(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        size = f'width="{width:g}" height="{height:g}" rx="6"'
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" {size} class="{kind}"/>')

    def text(self, x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> None:
        """Write a line. Text in the monospaced font has the width of its character cells."""
        if not text.strip():
            return
        is_mono = "sans" not in kind
        shown = text.lstrip(" ") if is_mono else text
        x += (len(text) - len(shown)) * CHARACTER if is_mono else 0
        length = f' textLength="{len(shown) * CHARACTER:g}"' if is_mono and len(shown) > 1 else ""
        anchored = "" if anchor == "start" else f' text-anchor="{anchor}"'
        named = f' class="{kind}"' if kind else ""
        attributes = f'x="{x:g}" y="{y:g}"{named}{anchored}{length}'
        self.parts.append(f'<text {attributes} xml:space="preserve">{escape(shown)}</text>')

    def path(self, data: str, kind: str) -> None:
        self.parts.append(f'<path d="{data}" class="{kind}"/>')

    def svg(self) -> str:
        """Return the file."""
        title = escape(self.title)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}"'
            f' viewBox="0 0 {self.width} {self.height}" role="img" aria-label="{title}">\n'
            f"<title>{title}</title>\n<style>{STYLE}</style>\n"
            + "\n".join(self.parts)
            + "\n</svg>\n"
        )


def terminal(title: str, lines: Sequence[str]) -> str:
    """Draw a terminal session. Lines that start with ``$`` are commands."""
    columns = max(map(len, lines))
    drawing = Drawing(title, int(columns * CHARACTER + 2 * MARGIN))
    drawing.height = len(lines) * LINE + 2 * MARGIN
    drawing.rectangle(0.5, 0.5, drawing.width - 1, drawing.height - 1, "panel")
    for number, line in enumerate(lines):
        drawing.text(MARGIN, MARGIN + number * LINE + SIZE, line, _terminal_kind(line))
    return drawing.svg()


def _terminal_kind(line: str) -> str:
    kinds = {"$ ": "bold", "error:": "bad", "hint:": "soft", "starting:": "soft"}
    kinds |= {"  breaking": "bad", "  security": "bad", "  compatible": "good"}
    stripped = line.lstrip()
    if stripped.startswith("+ "):
        return "good"
    if stripped.startswith("- "):
        return "bad"
    return next((kind for start, kind in kinds.items() if line.startswith(start)), "")


def editor(session: dict[str, Any]) -> str:
    """Draw a file in an editor, with an error and the hover text of a method."""
    code: list[str] = session["code"]
    hover: list[str] = session["hover"]
    error = session["error"]
    columns = max(map(len, [*code, *hover, f"  {error['message']}"])) + 6
    drawing = Drawing("An editor shows a misspelled argument and a method's types", 0)
    drawing.width = int(columns * CHARACTER + 2 * MARGIN)
    drawing.height = int((len(code) + len(hover) + 1.5) * LINE + 3 * MARGIN)
    drawing.rectangle(0.5, 0.5, drawing.width - 1, drawing.height - 1, "back")
    y = MARGIN
    for number, line in enumerate(code):
        drawing.text(MARGIN, y + SIZE, f"{number + 1:2}", "soft")
        drawing.text(MARGIN + 4 * CHARACTER, y + SIZE, line)
        if number == error["line"]:
            start = MARGIN + (4 + error["start"]) * CHARACTER
            drawing.path(_wave(start, y + SIZE + 4, error["end"] - error["start"]), "wave")
            y += LINE
            drawing.text(start, y + SIZE, f"└ {error['message']}", "bad")
        y += LINE
    y += LINE // 2
    drawing.rectangle(MARGIN, y, drawing.width - 2 * MARGIN, len(hover) * LINE + MARGIN, "panel")
    for number, line in enumerate(hover):
        kind = "accent" if number < session["signature_lines"] else ""
        drawing.text(2 * MARGIN, y + MARGIN / 2 + number * LINE + SIZE, line, kind)
    return drawing.svg()


def _wave(x: float, y: float, characters: int) -> str:
    return f"M{x:g} {y:g}" + "l2 3l2 -3" * int(characters * CHARACTER / 4)


def pull_request(lines: Sequence[str]) -> str:
    """Draw the comparison of a contract as shown in a code review."""
    columns = max(map(len, lines))
    drawing = Drawing("A changed tool in a pull request", int(columns * CHARACTER + 2 * MARGIN))
    drawing.height = (len(lines) + 2) * LINE + 2 * MARGIN
    drawing.rectangle(0.5, 0.5, drawing.width - 1, drawing.height - 1, "back")
    drawing.text(MARGIN, MARGIN + SIZE, "mcpgen / check", "sans bold")
    drawing.text(MARGIN + 130, MARGIN + SIZE, "failed", "sans bad")
    drawing.path(f"M0 {MARGIN + LINE + 6}H{drawing.width}", "arrow")
    for number, line in enumerate(lines):
        drawing.text(MARGIN, MARGIN + (number + 2) * LINE + SIZE, line, _terminal_kind(line))
    return drawing.svg()


def bars(title: str, unit: str, values: Sequence[tuple[str, float]]) -> str:
    """Draw a bar chart. The first bar is ours."""
    drawing = Drawing(f"{title}, {unit}", 720, len(values) * 34 + 70)
    drawing.rectangle(0.5, 0.5, drawing.width - 1, drawing.height - 1, "back")
    drawing.text(MARGIN, 30, title, "sans bold")
    drawing.text(MARGIN, 50, unit, "sans soft")
    longest = max(value for _, value in values)
    for number, (name, value) in enumerate(values):
        y = 64 + number * 34
        width = max(value / longest * 380, 2)
        drawing.text(210, y + 17, name, "sans", "end")
        drawing.rectangle(222, y, width, 24, "accent" if number == 0 else "bar")
        drawing.text(230 + width, y + 17, f"{value:,.4g}", "sans soft")
    return drawing.svg()


def flow() -> str:
    """Draw the flow of data from servers to packages and reports."""
    drawing = Drawing("From a server to packages and reports", 860, 290)
    drawing.rectangle(0.5, 0.5, 859, 289, "back")
    boxes = {
        "MCP server": (30, 40, "running"),
        "YAML or tools/list": (30, 190, "a file"),
        "contract.json": (260, 115, "reviewed, in git"),
        "inferred types": (470, 40, "named, planned"),
        "comparison": (470, 190, "judged by rules"),
        "client package": (670, 20, "mcpgen client"),
        "server project": (670, 90, "mcpgen server"),
        "lock, check, diff": (670, 190, "reports"),
    }
    for name, (x, y, note) in boxes.items():
        drawing.rectangle(x, y, 165, 56, "panel")
        drawing.text(x + 82.5, y + 24, name, "sans bold", "middle")
        drawing.text(x + 82.5, y + 44, note, "sans soft", "middle")
    arrows = [
        ("MCP server", "contract.json"),
        ("YAML or tools/list", "contract.json"),
        ("contract.json", "inferred types"),
        ("contract.json", "comparison"),
        ("inferred types", "client package"),
        ("inferred types", "server project"),
        ("comparison", "lock, check, diff"),
    ]
    for start, end in arrows:
        x, y = boxes[start][0] + 165, boxes[start][1] + 28
        to_x, to_y = boxes[end][0], boxes[end][1] + 28
        middle = (x + to_x) / 2
        drawing.path(f"M{x} {y}C{middle:g} {y} {middle:g} {to_y} {to_x - 6} {to_y}", "arrow")
        drawing.path(f"M{to_x - 12} {to_y - 5}L{to_x - 4} {to_y}L{to_x - 12} {to_y + 5}", "arrow")
    return drawing.svg()


def table_rows(heading: str) -> Iterator[list[str]]:
    """Yield the rows of the first table below a heading of benchmarks/README.md."""
    text = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    section = text[text.index(f"\n{heading}\n") :]
    table = section[section.index("\n|") :].lstrip("\n").split("\n\n")[0]
    for line in table.splitlines()[2:]:
        yield [cell.strip() for cell in line.strip("|").split("|")]


def _number(cell: str) -> float:
    return float(cell.replace(",", ""))


def charts() -> Iterator[tuple[str, str]]:
    """Yield the charts of benchmarks, by file name."""
    peers = [(row[0], _number(row[1])) for row in table_rows("### Tools that do the same")]
    yield (
        "chart-generation.svg",
        bars("Writing a client of server-everything", "milliseconds, less is better", peers),
    )
    rows = [row for row in table_rows("### Calls") if row[0] == "1,000"]
    values = [("mcpgen", _number(rows[0][3])), ("MCP SDK", _number(rows[0][1]))]
    yield (
        "chart-calls.svg",
        bars("A call with 1,000 items in its result", "milliseconds, less is better", values),
    )


def pictures() -> Iterator[tuple[str, str]]:
    """Yield every picture, by file name."""
    for name, title in (("client", "mcpgen client"), ("check", "mcpgen check --live")):
        lines = (SESSIONS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        yield f"terminal-{name}.svg", terminal(title, lines)
    session = json.loads((SESSIONS / "editor.json").read_text(encoding="utf-8"))
    yield "editor.svg", editor(session)
    lines = (SESSIONS / "check.txt").read_text(encoding="utf-8").splitlines()
    yield "pull-request.svg", pull_request(_report(lines))
    yield "flow.svg", flow()
    yield from charts()


def _report(lines: Iterable[str]) -> list[str]:
    """Return the report in a session, without commands and errors."""
    return [line for line in lines if not line.startswith(("$", "error:", "hint:", "starting:"))]


def main() -> int:
    """Write all pictures. With --check, exit with 1 if one differs."""
    is_check = sys.argv[1:] == ["--check"]
    stale: list[str] = []
    for name, text in pictures():
        path = IMAGES / name
        if is_check:
            stale += [] if path.exists() and path.read_text("utf-8") == text else [name]
        else:
            path.write_text(text, encoding="utf-8", newline="\n")
    for name in stale:
        print(f"{name}: differs from its sources; run: python scripts/draw_pictures.py")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
