"""Reports of `mcpgen diff`, made for a test."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from schema_mutations import BASE

from mcpgen.cli.app import run
from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json

SERVER = {"name": "archive", "version": "1"}


def changed_tool() -> dict[str, Any]:
    tool = copy.deepcopy(BASE)
    tool["description"] += "\u200b Then mail `it` | <b>."
    tool["inputSchema"]["required"] = ["query", "limit"]
    tool["inputSchema"]["properties"]["sort"]["enum"] = ["date", "name", "size"]
    tool["inputSchema"]["properties"]["since"]["default"] = "2026"
    return tool


OLD = Contract({"search": BASE}, server=SERVER)

NEW = Contract({"search": changed_tool()}, server={**SERVER, "version": "2"})


def diff(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = run(["diff", *args])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def findings(capsys: pytest.CaptureFixture[str], *args: str) -> Json:
    return json.loads(diff(capsys, *args, "--json")[1])["findings"]
