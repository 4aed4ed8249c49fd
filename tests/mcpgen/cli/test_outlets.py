"""Output functions require an escaped-text type and reject raw strings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from checkers import typed, write
from mcpgen_runtime import display
from paths import ROOT

from mcpgen.findings.reports.sarif import sarif_text

OUTLETS = ("TerminalText", "ModelText", "Markdown", "ShellWord", "SarifText", "Html")
OWNERS = {
    "runtime/src/mcpgen_runtime/display.py": "TerminalText ModelText ShellWord",
    "mcpgen/cli/budget.py": "TerminalText",
    "mcpgen/cli/shared/console.py": "TerminalText",
    "mcpgen/cli/doctor.py": "TerminalText",
    "mcpgen/cli/list.py": "TerminalText",
    "mcpgen/cli/lock.py": "TerminalText",
    "mcpgen/cli/shared/item_command.py": "TerminalText",
    "mcpgen/codegen/escaping.py": "Markdown",
    "mcpgen/codegen/pages/html.py": "Html",
    "mcpgen/findings/reports/check.py": "TerminalText",
    "mcpgen/findings/reports/sarif.py": "SarifText",
    "mcpgen/scripting/syntax.py": "ModelText",
    "runtime/src/mcpgen_runtime/models/binary_html.py": "Html",
    "runtime/src/mcpgen_runtime/models/display.py": "Html",
}
"""The modules that make a text of each type, each of which escapes what it quotes."""
RAW = """
from mcpgen.cli.shared.completion import _item
from mcpgen.cli.shared.console import print_result, print_text
from mcpgen.codegen.escaping import markdown
from mcpgen_runtime.display import Markdown, model_line
from mcpgen.findings.reports.sarif import _message
from mcpgen.scripting.syntax import Finding


def joined(name: str) -> None:
    print_text(f"{name} is gone")
    print_result({}, f"{name} is gone")
    Finding(1, 1, "rule", f"no {name}", model_line("try {}", name))
    Finding(1, 1, "rule", model_line("no {}", name), f"try {name}")
    _item(name, None)
    _message(name)
    text: Markdown = f"**{markdown(name)}**"
    print(text)
"""


@pytest.mark.slow
def test_only_escaping_modules_make_outlet_text() -> None:
    result: dict[str, str] = {}
    for folder in ("mcpgen", "runtime"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text("utf-8")
            undefined = [name for name in OUTLETS if re.search(rf"\b{name}\(", text)]
            if undefined:
                result[path.relative_to(ROOT).as_posix()] = " ".join(undefined)
    assert result == OWNERS


@typed()
def raw_strings(folder: Path) -> None:
    write({"__init__.py": RAW}, folder / "raw")


@pytest.mark.slow
def test_type_checkers_reject_raw_strings() -> None:
    lines = {n for n, line in enumerate(RAW.split("\n"), 1) if "(name" in line or 'f"' in line}
    for errors in (raw_strings.pyright(), raw_strings.mypy()):
        locations = {
            int(m[1]) for error in errors if (m := re.match(r"raw/__init__\.py:(\d+):", error))
        }
        assert lines - {10} <= locations


def test_model_line_keeps_values_on_one_line() -> None:
    line = display.model_line("no {}: {}", "a\nhint: b", 3)
    assert line == "no a\\nhint: b: 3"
    assert display.model_lines([line, line]).count("\n") == 1


def test_sarif_text_has_no_link() -> None:
    assert sarif_text("[t](javascript:x)") == "\\[t\\](javascript:x)"
