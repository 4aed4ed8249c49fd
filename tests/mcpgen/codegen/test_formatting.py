"""Validation and formatting of modules, long ones in pieces."""

from __future__ import annotations

import pytest

from mcpgen.codegen import formatting
from mcpgen.codegen.formatting import format_files
from mcpgen.errors import BugError

HEAD = "from __future__ import annotations\n\n\nclass Client:\n"
METHOD = '''    async def tool_{n}(self, *, text: str) -> str:
        """{doc}"""
        return await self._call("tool", {{"text": text}})
'''


def module(count: int, *docs: str) -> str:
    methods = [METHOD.format(n=n, doc="Do it.") for n in range(count)]
    methods += [METHOD.format(n=count + n, doc=doc) for n, doc in enumerate(docs)]
    return HEAD + "\n".join(methods)


@pytest.fixture(autouse=True)
def short_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formatting, "_PIECE", 20)


def test_long_module_is_unchanged_if_its_lines_fit() -> None:
    text = module(100)
    assert format_files({"client.py": text}) == {"client.py": text}


def test_long_statement_of_a_later_piece_is_broken() -> None:
    long = METHOD.format(n=1, doc="Do it.").replace("text: str", f"text: str, {'a' * 70}: str")
    text = f"{module(100)}\n{long}"
    formatted = format_files({"client.py": text})["client.py"]
    assert formatted == text.replace(
        f"tool_1(self, *, text: str, {'a' * 70}: str) -> str:",
        "tool_1(\n        self,\n        *,\n        text: str,\n        "
        f"{'a' * 70}: str,\n    ) -> str:",
    )


def test_forbidden_code_of_a_later_piece_is_rejected_with_its_line() -> None:
    text = module(90) + '\n    async def last(self) -> None:\n        return system("x")\n'
    with pytest.raises(BugError, match="a call of system") as caught:
        format_files({"client.py": text})
    assert caught.value.where == f"client.py:{text.count(chr(10))}"


@pytest.mark.parametrize(
    "inner", ["async def x(self): ...", "@x", 'def x(self):\n        system("x")']
)
def test_docstring_that_looks_like_methods_stays_a_docstring(inner: str) -> None:
    """A piece that began at one of its lines wouldn't parse."""
    doc = "\n\n".join([f"    {inner}"] * 40)
    text = module(30, f"Do it.\n\n{doc}\n    ", "Do it.")
    assert format_files({"client.py": text}) == {"client.py": text}
