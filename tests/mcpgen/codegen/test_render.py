"""Headers and calls of methods, and imports, are laid out as Black would lay them out."""

from __future__ import annotations

import black
import pytest

from mcpgen.codegen import render
from mcpgen.codegen.escaping import string
from mcpgen.codegen.plan.imports import line
from mcpgen.codegen.plan.package import Method, Parameter

WIDE = "検索語"


def method(count: int, length: int, *, default: str = "", kind: str = "tool") -> Method:
    """Return a method of some parameters with names of a length."""
    letters = WIDE if length == 0 else "a" * length
    names = [f"{letters}{n}" for n in range(count)]
    parameters = tuple(
        Parameter(name, string(name), "str | MISSING" if default else "str", default, "")
        for name in names
    )
    return Method("search_it", '"search"', kind, "", parameters, "list[SearchOutput]", "search")


def module(value: Method, function: str, first: str) -> str:
    header, call = render.header(value), render.call(function, first, value)
    return f"class Client:\n    {header}\n        {call}\n"


@pytest.mark.sampled(7)
@pytest.mark.parametrize("kind", ["tool", "free", "plain"])
@pytest.mark.parametrize("default", ["", "MISSING"])
@pytest.mark.parametrize("length", [0, 1, 4, 9, 17, 40])
def test_black_would_leave_it_as_it_is(length: int, default: str, kind: str) -> None:
    mode = black.Mode(target_versions={black.TargetVersion.PY310}, line_length=88)
    for count in range(12):
        value = method(count, length, default=default, kind=kind)
        for first in ("TOOL", string("shop://shelves/{shelf}{?page}"), string("x" * 70)):
            text = module(value, "_call", first)
            assert black.format_str(text, mode=mode) == text


def test_header_uses_one_line_if_it_fits() -> None:
    assert render.header(method(0, 1)) == "async def search_it(self) -> list[SearchOutput]:"
    assert render.header(method(2, 1)) == (
        "async def search_it(self, *, a0: str, a1: str) -> list[SearchOutput]:"
    )
    assert render.header(method(3, 9)).count("\n") == 2
    assert render.header(method(9, 9)).count("\n") == 12
    assert render.call("_call", "TOOL", method(0, 1)) == "return await self._call(TOOL, {})"


def test_groups_of_imports_are_separated() -> None:
    lines = [
        line(".client", "*"),
        line("mcpgen_runtime.lazy", "attach", "names_of"),
        line("abc", "ABC"),
    ]
    assert render.import_lines(lines, "mcpgen_runtime") == (
        "from abc import ABC\n\nfrom mcpgen_runtime.lazy import attach, names_of\n\n"
        "from .client import *"
    )
    assert render.import_lines(lines, "._runtime", depth=1, exported=True) == (
        "    from abc import ABC as ABC\n\n"
        "    from ._runtime.lazy import attach as attach\n"
        "    from ._runtime.lazy import names_of as names_of\n"
        "    from .client import *"
    )
