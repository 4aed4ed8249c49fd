"""`[tool.mcpgen]`: its options, the position of errors in it, and `mcpgen init`."""

from __future__ import annotations

import re

from paths import ROOT

from mcpgen.files.toml import parse
from mcpgen.project.configuration import table
from mcpgen.project.configuration.table import read


def test_the_tables_in_the_documentation_can_be_read() -> None:
    page = (ROOT / "docs" / "pipelines.md").read_text(encoding="utf-8")
    tables = [
        parse(text.encode(), "") for text in re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    ]
    named = [item["tool"]["mcpgen"] for item in tables if "mcpgen" in item.get("tool", {})]
    assert [set(read(item, "").servers) for item in named] == [{"weather", "files", "acme"}, set()]
    keys = {key for entry in named[0]["servers"].values() for key in entry}
    assert all(f"`{key}`" in page for key in table.ENTRY)
    assert keys <= set(table.ENTRY)
