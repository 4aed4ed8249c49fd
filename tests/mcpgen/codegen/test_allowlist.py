"""The allowlist rejects statements and expressions that no template writes, at any depth."""

from __future__ import annotations

import ast
import contextlib
import random

import pytest

from mcpgen.codegen import allowlist
from mcpgen.errors import BugError

ALLOWED = '''\
"""Text."""

from __future__ import annotations

from typing import Literal
from .models import A as B

Name: TypeAlias = Literal["a", -1] | list[Name]
with_config(OPEN)(Name)


@dataclass(kw_only=True, config=OPEN)
class A(Base[int], metaclass=Kind):
    """Text."""

    field: Annotated[str, Field(alias="x", default=None)] = MISSING

    @property
    async def method(self, *args: int, key: str = "a", **rest: Any) -> None:
        if self.key:
            return await self._call(TOOL, {"a": key, **rest}, *args)
        else:
            raise NotImplementedError
'''
REFUSED = {
    "import os": "the statement Import",
    "from os import path": "an import of os",
    "from builtins import eval as A": "an import of builtins",
    "os.system": "an expression without use",
    "1": "an expression without use",
    "b''": "an expression without use",
    "f'{a}'": "an expression without use",
    "await a": "an expression without use",
    "x = eval('1')": "a call of eval",
    "x = a.b()": "a call of a.b",
    "x = self.a.b()": "a call of self.a.b",
    "x = Field()()": "a call of Field()",
    "x = a[0]()": "a call of a[0]",
    "x = [a for a in b]": "the expression ListComp",
    "x = lambda: 0": "the expression Lambda",
    "x = (y := 1)": "the expression NamedExpr",
    "x = a[1:2]": "the expression Slice",
    "del a": "the statement Delete",
    "x += 1": "the statement AugAssign",
    "global a": "the statement Global",
    "while a: pass": "the statement While",
    "for a in b: pass": "the statement For",
    "with a: pass": "the statement With",
    "try: pass\nfinally: pass": "the statement Try",
    "assert a": "the statement Assert",
    "match a:\n    case 1: pass": "the statement Match",
}
# Contexts into which each rejected expression is inserted.
PLACES = [
    "x = {}",
    "x: {} = 1",
    "x: int = {}",
    "x[{}] = 1",
    "a.b[{}]: int = 1",
    "x = a | -{}",
    "x = a and (b < {})",
    "x = 1 if {} else 2",
    "x = {{1: 2, **{}}}",
    "x = {{{}: 1}}",
    "x = [1, *{{2, {}}}]",
    "x = f'{{{}}}'",
    "x = f'{{a:{{{}}}}}'",
    "x = Field(a, *b, c={})",
    "class A({}): pass",
    "class A(a={}): pass",
    "class A:\n    def f(self, a: {}): pass",
    "class A:\n    def f(self, /, *a: {}): pass",
    "class A:\n    def f(self, **a: {}): pass",
    "class A:\n    def f(self, *, a=1, b={}): pass",
    "class A:\n    def f(self, a={}): pass",
    "class A:\n    async def f(self) -> {}: pass",
    "class A:\n    async def f(self):\n        return await {}",
    "if a:\n    pass\nelse:\n    raise a from {}",
    "if {}: pass",
    "@{}\nclass A: pass",
    "class A:\n    @{}\n    def f(self): pass",
]


def test_template_output_is_allowed() -> None:
    allowlist.check(ast.parse(ALLOWED), "a.py")


@pytest.mark.parametrize("text", REFUSED)
def test_other_code_is_rejected_with_its_line(text: str) -> None:
    for source in (text, f"class A:\n    pass\n{text}"):
        with pytest.raises(BugError) as caught:
            allowlist.check(ast.parse(source), "a.py")
        assert caught.value.problem == f"the generated module would hold {REFUSED[text]}"
        assert caught.value.where == f"a.py:{1 + source.count('class A') * 2}"


@pytest.mark.parametrize("context", PLACES)
def test_a_call_is_refused_wherever_it_stands(context: str) -> None:
    allowlist.check(ast.parse(context.format("Field(1)")), "a.py")
    with pytest.raises(BugError, match="a call of system"):
        allowlist.check(ast.parse(context.format("system(1)")), "a.py")


MODULE_OF_TYPES = '''\
"""Text."""

from __future__ import annotations

from .shared import A as B


@dataclass(kw_only=True, config=OPEN)
class C(B[int], total=False):
    """Text."""

    field: Annotated[str | None, Field(alias="x", default=-1)] = MISSING


TOOL: Tool[C] = Tool(name="c", arguments=TypeAdapter(C))
'''
UNCOMPILABLE = [
    "x = Field(a=1, b=2, a=3)",
    "class A(B, a=1, a=2): pass",
    "__debug__ = 1",
    "__debug__: int = 1",
    "a.__debug__ = 1",
    "x = Field(__debug__=1)",
    "class A(__debug__=1): pass",
    "from .a import __debug__",
    "from .a import a as __debug__",
    "class A:\n    from .a import *",
    "x = 1\nfrom __future__ import annotations",
    "'a'\n'b'\nfrom __future__ import annotations",
    "...\nfrom __future__ import annotations",
    "with_config(A)(B)\nfrom __future__ import annotations",
    "if a:\n    from __future__ import annotations",
    "from __future__ import unknown",
    "return 1",
    "x = await a",
    "[*a, *b] = c",
    "x = *a",
    "def f(a, a): pass",
    "class A:\n    return 1",
]


def test_module_of_types_is_simple() -> None:
    compile(MODULE_OF_TYPES, "a.py", "exec")
    assert allowlist.check(ast.parse(MODULE_OF_TYPES), "a.py")
    assert not allowlist.check(ast.parse(ALLOWED), "a.py")


@pytest.mark.parametrize("source", UNCOMPILABLE)
def test_uncompilable_module_is_never_simple(source: str) -> None:
    tree = ast.parse(source)
    with pytest.raises(SyntaxError):
        compile(tree, "a.py", "exec")
    with contextlib.suppress(BugError):
        assert not allowlist.check(tree, "a.py")


PIECES = [
    *UNCOMPILABLE,
    '"""Text."""',
    "...",
    "pass",
    "from __future__ import annotations",
    "from .a import b as c",
    "x: A[B | None] = -1",
    "a.b[c] = {1: [a, (b, c)]}",
    "x = Field(a, b=1, **c)",
    "if a < b and c:\n    x = {a}\nelse:\n    y = 1",
    "@a\nclass A(B, a=1):\n    x: int = 1",
]


def test_simple_modules_compile() -> None:
    chance, count = random.Random(7), 0
    for _ in range(5_000):
        source = "\n".join(chance.choices(PIECES, k=chance.randint(1, 4)))
        with contextlib.suppress(SyntaxError, BugError):
            tree = ast.parse(source)
            if not allowlist.check(tree, "a.py"):
                continue
            count += 1
            assert _compiles(tree), source
    assert count > 300


def _compiles(tree: ast.Module) -> bool:
    try:
        compile(tree, "a.py", "exec")
    except SyntaxError:
        return False
    return True


def test_deep_module_is_not_simple() -> None:
    wide = ast.parse(f"x = {' | '.join('A' * 400)}")
    deep = ast.parse(f"x = {' | '.join('A' * 600)}")
    assert (allowlist.check(wide, "a.py"), allowlist.check(deep, "a.py")) == (True, False)
