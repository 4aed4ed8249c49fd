"""YAML aliases may repeat a value, but not expand without limit."""

from __future__ import annotations

import pytest

from mcpgen.contract import yaml_reader
from mcpgen.errors import ContractError


def test_aliases_may_repeat_a_value() -> None:
    text = b"a: &a [1, 2]\nb: *a\nc: [*a, *a]\n"
    assert yaml_reader.loads(text, "c.yaml") == {"a": [1, 2], "b": [1, 2], "c": [[1, 2], [1, 2]]}


def test_multiplied_aliases_are_refused() -> None:
    lines = ["a: &v0 [x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 10):
        aliases = ", ".join([f"*v{level - 1}"] * 9)
        lines.append(f"k{level}: &v{level} [{aliases}]")
    with pytest.raises(ContractError, match="its aliases stand for more than 5,000,000 values"):
        yaml_reader.loads("\n".join(lines).encode(), "bomb.yaml")


def test_alias_to_itself_is_refused() -> None:
    with pytest.raises(ContractError):
        yaml_reader.loads(b"a: &a\n  - *a\n", "self.yaml")
