"""Long statements are laid out exactly as by Black, and mostly without Black."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from checkers import slug
from hostile.frames import PAYLOADS, everywhere, of_a_server
from paths import CORPUS, ROOT

from mcpgen.codegen import formatting, layout
from mcpgen.codegen.escaping import WIDTH
from mcpgen.codegen.pipeline import STYLES, Options, generate
from mcpgen.codegen.server_pipeline import ServerOptions, generate_server
from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import loads

MADE = 150 * (20 if "MCPGEN_ALL" in os.environ else 1)
GOLDEN = sorted((ROOT / "golden").glob("*/contract.json"))
SERVERS = sorted((CORPUS / "live").glob("*.json"))
SOME = SERVERS if "MCPGEN_ALL" in os.environ else SERVERS[::25]
WORDS = ("name", "Shelf", "model_dump", "検索語", "x", "opening_hours", "BookshelfModel")


class Statements:
    """Makes random statements in the forms of the templates, about as long as a line."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def name(self, longest: int = 5) -> str:
        return "_".join(self.chance.choices(WORDS, k=self.chance.randint(1, longest)))

    def text(self) -> str:
        inner = " ".join(self.chance.choices((*WORDS, "\\\\", "\\n"), k=self.chance.randint(1, 9)))
        marked = f"{inner} e\u0301tage" if self.chance.random() < 0.02 else inner
        return self.chance.choice((f'"{marked}"', f'"{marked}"', f"'\"{marked}\"'"))

    def atom(self) -> str:
        forms = (self.text(), self.name(), f"models.{self.name()}", "-1", "2.5", "None", "...")
        return self.chance.choice(forms)

    def several(self, depth: int, *, least: int = 1) -> str:
        count = self.chance.randint(least, 4)
        return ", ".join(self.sum(depth) for _ in range(count))

    def term(self, depth: int) -> str:
        if depth == 0 or self.chance.random() < 0.3:
            return self.atom()
        called = ", ".join(f"{self.name(2)}={self.atom()}" for _ in range(3))
        forms = (
            f"{self.name(2)}[{self.several(depth - 1)}]",
            f"Annotated[{self.several(depth - 1, least=2)}]",
            f"Field({called})",
            "Exactly()",
            f"{{{self.text()}: {self.name()}, {self.text()}: {self.name()}}}",
        )
        return self.chance.choice(forms)

    def sum(self, depth: int) -> str:
        return " | ".join(self.term(depth) for _ in range(self.chance.choice((1, 1, 1, 2, 3))))

    def type(self) -> str:
        term = self.chance.choice(("str", self.name(), f"list[{self.sum(2)}]", self.term(3)))
        return term if self.chance.random() < 0.6 else f"{term} | {self.atom()} | MISSING"

    def parameter(self) -> str:
        default = self.chance.choice(("", " = MISSING", " = None", f" = {self.text()}"))
        return f"{self.name()}: {self.type()}{default}"

    def header(self) -> str:
        if self.chance.random() < 0.3:
            bases = ", ".join(f"{self.name()}Base" for _ in range(self.chance.randint(1, 3)))
            return f"class {self.name()}({bases}):"
        named = [self.parameter() for _ in range(self.chance.randint(0, 4))]
        star = ["self", "*", *named] if named and self.chance.random() < 0.7 else ["self"]
        opening, closing = f"async def {self.name()}(", f") -> {self.chance.choice(WORDS)}:"
        if self.chance.random() < 0.5:
            return f"{opening}{', '.join(star)}{closing}"
        return "\n".join([opening, *(f"    {text}," for text in star), closing])

    def statement(self) -> str:
        names = ", ".join(self.name(2) for _ in range(self.chance.randint(1, 5)))
        entries = "".join(f"    {self.text()}: {self.term(2)},\n" for _ in range(3))
        forms = (
            f"from .{self.name()} import {names}",
            f"{self.name()}: {self.type()}",
            f"{self.name()}: {self.type()} = {self.atom()}",
            f"{self.name(9)}: TypeAlias = {self.sum(3)}",
            f"{self.name(9)}: TypeAlias = {self.term(3)}",
            f"{self.name(9)} = {self.term(2)}",
            f"return await self._read({self.several(1)})",
            f"return {self.name()}({self.several(2)})",
            f"{self.name()} = {{\n{entries}}}",
        )
        return self.chance.choice(forms)


def too_long(seed: int) -> Iterator[tuple[list[str], bool]]:
    """Yield statements with a line that is too long, at module or class level."""
    statements = Statements(seed)
    for _ in range(MADE):
        header = statements.chance.random() < 0.4
        text = statements.header() if header else statements.statement()
        pad = "    " * statements.chance.randint(0, 2)
        lines = [pad + line for line in text.split("\n")]
        if any(len(line) > WIDTH for line in lines):
            yield lines, header


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_layout_equals_black(seed: int) -> None:
    count = 0
    for lines, header in too_long(seed):
        result = layout.statement(lines, header=header)
        count += result is not None
        assert result is None or result == formatting.by_black(lines, header=header)
    assert count > MADE / 4


UNKNOWN = [
    f"x = {'a' * 50} if {'b' * 20} else {'c' * 20}",
    f"x: {'a' * 50} = ({'b' * 40})",
    f"x = [{', '.join(['value'] * 20)}]",
    f'x: str = "it\'s {"long " * 20} \\"',
    f"return not {'a' * 90}",
    f"x = {'f' * 50}(*{'a' * 50})",
    f"x = {'f' * 50}(lambda: {'a' * 50})",
    f"x = {'f' * 50}(1e5, {'a' * 50})",
    f'x = {"f" * 50}(r"{"a" * 50}")',
    f"x = {'f' * 50}({'a' * 50},)",
    f"x = {'f' * 50}({'a' * 50})  # why",
    f"x = {'f' * 50}({'a' * 50}).{'b' * 20}",
    f"x = {'f' * 50}({'a' * 20})({'b' * 30})",
    f"x: {'a' * 50} | f({'b' * 50})",
    f"def f(a: int) -> list({'b' * 90}):",
    f"while {'a' * 90}:",
    f"class A({'b' * 50}, metaclass={'c' * 50}, *{'d' * 50}):",
]


@pytest.mark.parametrize("text", UNKNOWN)
def test_unknown_statement_is_left_to_black(text: str) -> None:
    assert layout.statement([text], header=text.endswith(":")) is None


def laid_out(contract: Contract, monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], bool]]:
    """Return the statements of all packages of a contract that are too long for a line."""
    result: dict[tuple[str, bool], None] = {}
    original = layout.statement

    def record_statement(lines: Sequence[str], *, header: bool) -> list[str] | None:
        result["\n".join(lines), header] = None
        return original(lines, header=header)

    with monkeypatch.context() as patch:
        patch.setattr(layout, "statement", record_statement)
        for style in STYLES:
            generate(contract, Options(style=style))
        generate_server(contract, ServerOptions(standalone=False))
    return [(text.split("\n"), header) for text, header in result]


def is_as_black_does(statements: Sequence[tuple[list[str], bool]], most_left: float) -> None:
    """Compare each laid-out statement with Black's, and check how many are left to Black."""
    displayed = [layout.statement(lines, header=header) for lines, header in statements]
    for (lines, header), ours in zip(statements, displayed, strict=True):
        assert ours is None or ours == formatting.by_black(lines, header=header)
    assert displayed.count(None) <= most_left * len(displayed)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.skipif(not SERVERS, reason="no recorded servers")
@pytest.mark.parametrize("path", SOME, ids=lambda path: slug(path.stem))
def test_every_statement_of_a_recorded_server_is(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_as_black_does(laid_out(read(loads(path.read_bytes())), monkeypatch), 0)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", range(2))
def test_the_statements_of_hostile_servers_are(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = 8 if "MCPGEN_ALL" in os.environ else 160
    texts = [PAYLOADS[name] for name in sorted(PAYLOADS)][number::step]
    is_as_black_does(laid_out(everywhere(texts), monkeypatch), 0.1)
    is_as_black_does(laid_out(of_a_server(texts[0]), monkeypatch), 0.5)


WITHOUT = """
import sys
from pathlib import Path
from mcpgen.codegen.pipeline import STYLES, Options, generate
from mcpgen.codegen.server_pipeline import ServerOptions, generate_server
from mcpgen.contract.document import read
from mcpgen.jsontext import loads

for path in sys.argv[1:]:
    contract = read(loads(Path(path).read_bytes()))
    for style in STYLES:
        generate(contract, Options(style=style))
    generate_server(contract, ServerOptions(standalone=False))
print([name for name in ("black", "libcst") if name in sys.modules])
"""


@pytest.mark.slow
def test_black_is_not_even_loaded() -> None:
    paths = [path for path in GOLDEN if path.parent.name in ("demo", "fields", "spec-2025-11-25")]
    assert paths
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT, *map(str, [*paths, *SOME[:2]])],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout == "[]\n", run.stderr[-2000:]
