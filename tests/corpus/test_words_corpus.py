"""Command lines are parsed into the right arguments for every tool of recorded servers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from mcpgen_runtime.shell.arguments import ParsedArguments
from mcpgen_runtime.shell.guide import guide
from mcpgen_runtime.shell.options import Options, dash_name, find_name
from paths import CORPUS

from mcpgen.contract.document import read
from mcpgen.jsontext import loads
from mcpgen.schemas.examples import NoExampleError, example
from mcpgen.servers.shell import checks

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CORPUS.is_dir(), reason="the recorded servers are not here"),
]
FILES = sorted((CORPUS / "live").glob("*.json"))


def words_of(options: Options, arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield the words that a user would type for these arguments."""
    for name, value in arguments.items():
        option = options.by_name.get(name)
        spelled = options.spelling(option) if option else f"--{name}"
        if option is None or value in (None, []):
            yield f"{spelled}:={json.dumps(value)}"
        elif isinstance(value, bool):
            yield spelled if value and option.shape.is_flag else f"{spelled}={json.dumps(value)}"
        else:
            for item in value if isinstance(value, list) else [value]:
                yield from (spelled, item if isinstance(item, str) else json.dumps(item))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.stem))
def test_every_tool_takes_what_is_typed(file: Any) -> None:
    contract = read(loads(file.read_bytes()))
    for name, definition in contract.tools.items():
        options = Options.from_schema(name, definition.get("inputSchema"))
        assert find_name(dash_name(name), contract.tools, "tool") == name
        assert guide(definition, "mcpgen call x", 80).startswith("Usage: mcpgen call x ")
        for option in options.by_name.values():
            assert options.find(options.spelling(option)[2:]) is option
        try:
            arguments = example(definition["inputSchema"])
        except NoExampleError:
            continue
        if isinstance(arguments, dict):
            typed = ParsedArguments(options, lambda _: None)
            typed.read([*words_of(options, arguments)])
            # One value in place of a list of it, where the schema allows both.
            assert checks.problems(definition["inputSchema"], typed.arguments, str) == []
            assert typed.arguments.keys() == arguments.keys()
