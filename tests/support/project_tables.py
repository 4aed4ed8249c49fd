"""Tables of projects, read for a test."""

from __future__ import annotations

from typing import Any

from projects import DEMO

from mcpgen.contract.document import Contract
from mcpgen.contract.document import read as read_contract
from mcpgen.jsontext import loads
from mcpgen.project.configuration.model import Entry


def entry(**values: Any) -> Entry:
    return Entry(name="bookshelf", contract="c.json", **values)


def demo() -> Contract:
    return read_contract(loads(DEMO.read_bytes()))
