"""Descriptions are wrapped: complete, once, with their lists and deliberate line breaks."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from docstrings import Docstring, broken, docstrings, line_ends, too_long
from documented_texts import words
from paths import CORPUS
from projects import DEMO
from recorded_servers import SERVERS, client_of

from mcpgen.codegen import escaping, naming, paragraphs
from mcpgen.codegen.pipeline import STYLES, Options, generate
from mcpgen.codegen.plan import documentation
from mcpgen.codegen.server_pipeline import ServerOptions, generate_server
from mcpgen.contract.definitions import parse
from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import Json, loads

CONTRACTS = {path.stem: path for path in sorted((CORPUS / "live").glob("*.json"))} | {"demo": DEMO}


PRODUCTS = (*STYLES, "server")


# All styles share their descriptions. MCPGEN_ALL=1 generates every style for every server.
SHARES = dict.fromkeys(PRODUCTS, 1 if "MCPGEN_ALL" in os.environ else 12) | {"dataclass": 1}


@cache
def document(name: str) -> Json:
    return loads(CONTRACTS[name].read_bytes())


@cache
def contract(name: str) -> Contract:
    return read(document(name))


def generate_modules(name: str, product: str) -> dict[str, str]:
    """Return the modules made of a contract, without the runtime."""
    if product == "server":
        server = generate_server(contract(name), ServerOptions(name="made", standalone=False))
        files = {**server.own, **server.generated}
    elif product == "dataclass" and name in SERVERS:
        files = dict(client_of(name)[1].files)
    else:
        files = dict(generate(contract(name), Options(name="made", style=product)).files)  # type: ignore[arg-type] # a style
    return {p: text for p, text in files.items() if p.endswith(".py") and "_runtime/" not in p}


def cases() -> list[Any]:
    """Return each server and product: the demo and some others always, the rest in slow tests."""
    results: list[Any] = []
    for product in PRODUCTS:
        for number, name in enumerate(list(CONTRACTS)[:: -SHARES[product]]):
            is_quick = number == 0 or (product == "dataclass" and number % 12 == 0)
            marks = () if is_quick else pytest.mark.slow
            results.append(pytest.param(name, product, id=f"{product}-{name}", marks=marks))
    return results


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "product"), cases())
def test_texts_are_folded_once_whole_and_without_noise(name: str, product: str) -> None:
    ends = line_ends(document(name))
    files = generate_modules(name, product)
    for path, text in files.items():
        for docstring in docstrings(text, path):
            assert broken(docstring, ends) == []
            assert too_long(docstring) == []
            assert noise(docstring) == []
    assert missing_words(name, files) == []


def noise(docstring: Docstring) -> list[str]:
    """Return the empty phrases in a docstring, and hints outside its last line."""
    lines = docstring.value.strip().splitlines()
    results = re.findall(
        r"Not described\.|9007199254740991\.|^Arguments of \S+, at /.*|Args:\s*\Z", docstring.value
    )
    for number, line in enumerate(lines):
        if line.lstrip().startswith(("Hints, unverified: ", "Hints to clients: ")):
            results += [] if number == len(lines) - 1 and line.endswith(".") else [line]
    return results


def missing_words(name: str, files: dict[str, str]) -> list[str]:
    """Return the tools and arguments whose docstring lacks words, or has them in another order."""
    api = parse(contract(name))
    methods = naming.methods((tool.name for tool in api.tools), contract(name).names)
    result: dict[str, str] = {}  # a prompt may have the name of a tool
    for method, doc in (
        docstring for text in files.values() for docstring in method_docstrings(text)
    ):
        result[method] = f"{result.get(method, '')} {doc}"
    names: list[str] = []
    for tool in api.tools:
        method = methods[tool.name]
        if not has_words(result[method], tool.description):
            names.append(tool.name)
        path = next(p for p in files if p.endswith(f"models/{naming.module(method)}.py"))
        models = " ".join(doc.value for doc in docstrings(files[path]))
        raw: Any = tool.input.raw if tool.input else {}
        for member, schema in (raw.get("properties") or {}).items():
            text = schema.get("description") if isinstance(schema, dict) else None
            if isinstance(text, str) and not has_words(models, text):
                names.append(f"{tool.name} {member}")
    return names


def method_docstrings(source: str) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.AsyncFunctionDef):
            yield node.name, ast.get_docstring(node) or ""


def has_words(docstring: str, text: str) -> bool:
    """Return True if a docstring contains all words of a description, or the start of a
    truncated one.
    """
    if len(text) > escaping.MAX_DOCUMENTATION - 200:
        text = text[: escaping.MAX_DOCUMENTATION - 200].rpartition(" ")[0]
    return words(text) in words(docstring)


def fold(text: str, width: int = 20) -> list[str]:
    return paragraphs.fold(text, width, first=width)


def test_prose_is_one_paragraph_whatever_lines_its_author_broke() -> None:
    assert fold("one\ntwo\nthree four five\nsix") == ["one two three four", "five six"]


def test_a_line_is_full_to_its_last_column() -> None:
    assert fold("aaaa bbbb cccc ddddd") == ["aaaa bbbb cccc ddddd"]
    assert fold("aaaa bbbb cccc dddddd") == ["aaaa bbbb cccc", "dddddd"]


@pytest.mark.parametrize(
    "text",
    [
        "- one\n- two",
        "1. one\n2. two",
        "a) one\nb) two",
        "# Title\ntext",
        "| a | b |\n|---|---|\n| c | d |",
        "```\na  b\nc\n```",
        "one: a\ntwo: b",
        "Such as:\none",
        "> one\n> two",
        "one\n\ntwo",
        "one\n    two\n    three\nfour",
        "\u2022 one\n\u2022 two",
        "<a>\n</a>",
        '{\n"a": 1\n}',
        "$ one\n$ two",
    ],
)
def test_fold_keeps_deliberate_line_breaks(text: str) -> None:
    assert fold(text) == text.split("\n")


def test_fold_indents_continuation_lines_of_list_items() -> None:
    assert fold("- one\n  two\n- three") == ["- one two", "- three"]
    assert fold("Args:\n    a: one\n        two\nend") == ["Args:", "    a: one two", "end"]


def test_a_long_entry_goes_on_below_its_words() -> None:
    assert fold("- one two three four five\n- six") == [
        "- one two three four",
        "  five",
        "- six",
    ]


def test_the_mark_of_an_entry_never_stands_alone() -> None:
    assert fold(f"- {'a' * 30}\n- b") == [f"- {'a' * 30}", "- b"]


def test_fold_removes_common_indent_after_first_line() -> None:
    assert fold("one\n\n    two\n        three\n    four") == [
        "one",
        "",
        "two",
        "    three",
        "four",
    ]


def test_appended_text_does_not_use_its_margin() -> None:
    text = documentation.member("one:\n    two\n        three", [("default", 1)], "a", "b")
    assert text == 'one:\ntwo\n    three\n\nDefault: 1. On the wire: "a".'


def test_fold_breaks_unspaced_text_after_punctuation() -> None:
    assert (
        fold("\u66f8\u7c4d\u3092\u691c\u7d22\u3057\u307e\u3059\u3002" * 4)
        == ["\u66f8\u7c4d\u3092\u691c\u7d22\u3057\u307e\u3059\u3002" * 2] * 2
    )
