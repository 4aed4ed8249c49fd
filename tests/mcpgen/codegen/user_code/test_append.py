"""Missing methods are found in any layout of user code, and added without changing a byte."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mcpgen.codegen import user_code
from mcpgen.codegen.user_code import GENERATED, MissingMethods, Stub
from mcpgen.errors import UsageError

STUB = '''\
"""The tools of the server."""

from __future__ import annotations

from ._generated import ToolOutput, Context, ShopTools
from ._generated.models.buy import BuyInput, BuyOutput
from ._generated.models.find import FindInput


class Tools(ShopTools):
    """How the server answers."""

    async def buy(
        self, arguments: BuyInput, context: Context
    ) -> BuyOutput:
        """Buy é at once.

        Hints to clients: changes things.
        """
        raise NotImplementedError

    async def find(self, arguments: FindInput, context: Context) -> ToolOutput:
        """Find."""
        raise NotImplementedError
'''
TOOLS = Stub("src/shop/tools.py", "ShopTools", STUB, ("buy", "find"))


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "src" / "shop"
    (folder / GENERATED).mkdir(parents=True)
    return folder


def missing_methods(package: Path) -> list[MissingMethods]:
    return user_code.missing_methods([TOOLS], package)


def grown(package: Path, source: bytes, file: str = "tools.py") -> bytes:
    """Add the missing methods to a file with this source and return the new content."""
    path = package / file
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(source)
    (result,) = missing_methods(package)
    assert user_code.add(result, package.parent.parent) == path
    assert missing_methods(package) == []
    return path.read_bytes()


def common_prefix_length(remaining: bytes, right: bytes) -> int:
    """Return the number of equal bytes at the start."""
    pairs = enumerate(zip(remaining, right, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(remaining), len(right)))


def put_in(before: bytes, after: bytes) -> list[bytes]:
    """Return the two insertions that turn `before` into `after`, if there are no other changes."""
    start, end = (
        common_prefix_length(before, after),
        common_prefix_length(before[::-1], after[::-1]),
    )
    for a in range(start, -1, -1):
        for c in range(min(end, len(before) - a), -1, -1):
            middle, rest = before[a : len(before) - c], after[a : len(after) - c]
            at = rest.find(middle)
            if at >= 0:
                return [rest[:at], rest[at + len(middle) :]]
    pytest.fail(f"other bytes were changed: {after!r}")


# Where stubs are inserted, and which code stays

HEAD = b"from ._generated import ShopTools\n"
ODD: dict[str, bytes] = {
    "plain": HEAD + b"\n\nclass Mine(ShopTools):\n    x = 1\n",
    "two spaces": HEAD + b"class Mine( ShopTools ) :\n  def a(self): return   1\n",
    "a tab": HEAD + b"class Mine(ShopTools):\n\tdef a(self):\n\t\treturn 1\n",
    "a tab, then code": HEAD + b"class Mine(ShopTools):\n\tx = 1\n\ny = {  }\n",
    "comments in and after": HEAD
    + b"class Mine(ShopTools):\n    def a(self):\n        return 1\n        # of a\n    # of Mine\n"
    + b"# of nothing\nx = { 'a':1 }   \n",
    "a nested function last": HEAD
    + b"class Mine(ShopTools):\n    def a(self):\n        def b():\n            return 1\n\n\n"
    + b"        return b\n\n\n\n\nx = 1\n",
    "CRLF": HEAD.replace(b"\n", b"\r\n") + b"class Mine(ShopTools):\r\n    x = 1\r\n\r\ny = 2\r\n",
    "both line ends": HEAD + b"class Mine(ShopTools):\r\n    x = 1\r\ny = '''\r\n\n'''\n",
    "no final newline": HEAD + b"class Mine(ShopTools):\n    x = 1",
    "no final newline, further on": HEAD + b"class Mine(ShopTools):\n    x = 1\n# end",
    "final blanks": HEAD + b"class Mine(ShopTools):\n    x = 1\n\n  \n\t\n",
    "blanks within": HEAD + b" \n\t\nclass Mine(ShopTools):\n  \n    x = 1  \n \n\n  \ny = 1",
    "a byte order mark": b"\xef\xbb\xbf" + HEAD + b"class Mine(ShopTools):\n    x = '\xc3\xa4'\n",
    "an encoding": b"# -*- coding: cp1252 -*-\n"
    + HEAD
    + b"class Mine(ShopTools):\n    x = '\xe4'\n",
    "a line to start by": b"#!/usr/bin/env python\n# coding: utf-8\n\n'''Doc'''\n"
    + HEAD
    + b"class Mine(ShopTools):\n    x = 1\n",
    "a form feed": HEAD + b"x = 1\n\x0c\nclass Mine(ShopTools):\n    x = 1\n",
    "continued lines": HEAD
    + b"class Mine(\\\n  ShopTools,\n  metaclass = type(ShopTools)):\n    x = 1;\n",
    "within a condition": HEAD
    + b"if True:\n    class Mine(ShopTools):\n        x = 1\nelse:\n    pass\n",
    "within a function": HEAD
    + b"def make():\n    class Mine(ShopTools):\n        x = 1\n    return Mine\n",
    "decorated": HEAD + b"@(lambda c: c)\nclass Mine(ShopTools):\n    ...\n",
    "imports later": HEAD + b"class Mine(ShopTools):\n    x = 1\n\nimport os\n",
    "imports below a condition": b"import typing as t\nif t.TYPE_CHECKING:\n    import os\n"
    + HEAD
    + b"class Mine(ShopTools):\n    x = 1\n",
    "several on a line": b"import os; from ._generated import ShopTools; x = 1\n"
    + b"class Mine(ShopTools):\n    x = 1\n",
    "no imports": b"'''Doc'''\nfrom . import _generated\n"
    + b"class Mine(_generated.ShopTools):\n    x = 1\n",
    "new syntax": HEAD
    + b"class Mine(ShopTools):\n    def a(self, b, /, *, c):\n"
    + b"        match b:\n            case {'x': [1, *_]}:\n                return f'{c!r:>{b}}'\n",
}


@pytest.mark.parametrize("name", ODD)
def test_every_other_byte_stays(name: str, package: Path) -> None:
    before = ODD[name]
    after = grown(package, before)
    added = b"".join(put_in(before, after))
    assert b"async def buy(" in added
    assert b"BuyInput" in added
    compile(after, "tools.py", "exec")
    assert (b"\r\n" in added) == (name == "CRLF")
    assert (b"\t" in added) == name.startswith("a tab")


def test_stubs_follow_the_class_and_its_indentation(package: Path) -> None:
    source = (
        HEAD
        + b"class Mine(ShopTools):\n  def a(self):\n    return 1\n    # of a\n  # the end\nx = 1\n"
    )
    assert grown(package, source).decode() == (
        "from ._generated import ShopTools\n"
        "from ._generated import ToolOutput, Context\n"
        "from ._generated.models.buy import BuyInput, BuyOutput\n"
        "from ._generated.models.find import FindInput\n"
        "class Mine(ShopTools):\n  def a(self):\n    return 1\n    # of a\n"
        "\n"
        "  async def buy(\n    self, arguments: BuyInput, context: Context\n  ) -> BuyOutput:\n"
        '    """Buy é at once.\n\n    Hints to clients: changes things.\n    """\n'
        "    raise NotImplementedError\n"
        "\n"
        "  async def find(self, arguments: FindInput, context: Context) -> ToolOutput:\n"
        '    """Find."""\n'
        "    raise NotImplementedError\n"
        "  # the end\nx = 1\n"
    )


def test_existing_imports_are_not_repeated(package: Path) -> None:
    source = (
        b"from ._generated import (\n  ToolOutput, Context as Context, ShopTools)\n"
        b"from ._generated.models.buy import BuyInput, BuyOutput\n"
        b"class Mine(ShopTools):\n    async def buy(self, a, c): ...\n"
    )
    (line, _) = put_in(source, grown(package, source))
    assert line == b"from ._generated.models.find import FindInput\n"


def test_function_level_import_does_not_count(package: Path) -> None:
    source = (
        HEAD
        + b"class Mine(ShopTools):\n    def a(self):\n        from ._generated import Context\n"
    )
    assert b"from ._generated import ToolOutput, Context\n" in grown(package, source)


@pytest.mark.parametrize(
    ("file", "imported", "base", "home"),
    [
        ("desk/own.py", "from .._generated import ShopTools", "ShopTools", ".._generated"),
        ("desk/own.py", "from shop._generated import ShopTools", "ShopTools", "shop._generated"),
        ("desk/own.py", "from .. import _generated as g", "g.ShopTools", ".._generated"),
        ("own.py", "import shop._generated.base", "shop._generated.base.ShopTools", "._generated"),
        ("own.py", "from ._generated import ShopTools as Base", "Base", "._generated"),
        ("own.py", "from ._generated.base import ShopTools", "ShopTools", "._generated"),
    ],
)
def test_generated_imports_follow_the_users_style(
    file: str, imported: str, base: str, home: str, package: Path
) -> None:
    source = f"{imported}\nclass Mine({base}):\n    x = 1\n".encode()
    assert f"from {home}.models.buy import BuyInput, BuyOutput\n".encode() in grown(
        package, source, file
    )


def test_the_files_mode_and_a_link_to_it_stay(package: Path) -> None:
    real = package.parent / "real.py"
    real.write_bytes(ODD["plain"])
    real.chmod(0o640)
    (package / "tools.py").symlink_to(real)
    (result,) = missing_methods(package)
    user_code.add(result, package.parent.parent)
    assert (package / "tools.py").is_symlink()
    assert b"async def buy(" in real.read_bytes()
    assert real.stat().st_mode & 0o777 == 0o640


# Files that can't be extended are reported and stay unchanged


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (HEAD + b"class Mine(ShopTools): pass\n", "over several lines"),
        (
            b"# coding: ascii\n" + HEAD + b"class Mine(ShopTools):\n    x = 1\n",
            "save the file as UTF-8",
        ),
    ],
)
def test_unsuitable_file_stays_unchanged(source: bytes, message: str, package: Path) -> None:
    with pytest.raises(UsageError) as raised:
        grown(package, source)
    assert message in str(raised.value)
    assert (package / "tools.py").read_bytes() == source


def test_a_file_without_the_class_is_left_alone(package: Path) -> None:
    (package / "tools.py").write_bytes(b"x = 1\n")
    with pytest.raises(UsageError, match="no class here derives from ShopTools"):
        grown(package, b"x = 1\n")
    assert (package / "tools.py").read_bytes() == b"x = 1\n"


# Missing methods


@pytest.mark.parametrize(
    ("source", "missing"),
    [
        (b"class Mine(ShopTools):\n    async def buy(self): ...\n", ("find",)),
        (b"class Mine(ShopTools):\n    buy = find = None\n", ()),
        (b"class Mine(ShopTools):\n    if True:\n        def buy(self): ...\n    find: int\n", ()),
        # Unrelated classes may have methods named like tools.
        (
            b"class Shelf:\n    def find(self): ...\n\nclass Mine(ShopTools):\n    buy = 1\n",
            ("find",),
        ),
        (
            b"class Mix:\n    def find(self): ...\n\nclass Mine(Mix, ShopTools):\n    buy = 1\n",
            (),
        ),
        (
            b"class Half(ShopTools):\n    buy = 1\n\nclass Mine(Half):\n    def find(self): ...\n",
            (),
        ),
        (
            b"class Of(Generic[T]):\n    find = 1\n\nclass Mine(ShopTools, Of[int]):\n    buy: int",
            (),
        ),
        (
            b"class A(B): ...\n\nclass B(A): ...\n\nclass Mine(A, ShopTools):\n    buy = 1\n",
            ("find",),
        ),
    ],
)
def test_methods_count_where_the_class_would_find_them(
    source: bytes, missing: tuple[str, ...], package: Path
) -> None:
    (package / "tools.py").write_bytes(HEAD + source)
    assert [method.methods for method in missing_methods(package)] == ([missing] if missing else [])


def test_only_adding_loads_libcst() -> None:
    code = "import sys, mcpgen.cli.server; print('libcst' in sys.modules)"
    completed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert completed.stdout.strip() == "False"
