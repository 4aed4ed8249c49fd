"""The allowlist rejects statements and expressions that no template writes, at any depth."""

from __future__ import annotations

import ast

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
