"""Docstrings of generated code: complete server text, folded once, without noise."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from docstrings import LIMIT, Docstring, broken, docstrings, line_ends, too_long
from hypothesis import given
from hypothesis import strategies as st
from paths import CORPUS
from projects import DEMO

from mcpgen.codegen import escaping, naming, paragraphs
from mcpgen.codegen.pipeline import STYLES, Options, ServerOptions, generate, generate_server
from mcpgen.codegen.plan import documentation
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


def words(text: str) -> str:
    # A line may break after CJK punctuation, without a space.
    return re.sub(
        r"(?<=[\u3001-\u30ff\uff01-\uff1f]) ",
        "",
        " ".join(escaping.visible(text.expandtabs(4)).split()),
    )


# Folding


TEXTS = st.text(st.sampled_from('a b\n-:."\\`|#*1\u3002\u00e9\t(){}'), max_size=300)


@given(text=TEXTS, indent=st.sampled_from([0, 4, 8]))
def test_any_text_becomes_a_docstring_with_all_its_words(text: str, indent: int) -> None:
    source = documentation.docstring(text, indent)
    value = ast.literal_eval(source)
    assert words(value) == words(text) or not text.strip()
    (docstring,) = indented_docstrings(source, indent)
    assert too_long(docstring) == []


def indented_docstrings(source: str, indent: int) -> Iterator[Docstring]:
    """Return the docstrings of a source, indented as in a nested block."""
    levels = range(0, indent, 4)
    opened = "".join(f"{' ' * level}class A:\n" for level in levels)
    return docstrings(f"{opened}{' ' * indent}{source}\n")


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


# Words


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"minimum": 1, "maximum": 4, "default": 2}, "1 to 4. Default: 2."),
        ({"minimum": 3, "maximum": 3}, "Exactly 3."),
        ({"minimum": 1}, "At least 1."),
        ({"exclusiveMinimum": 0, "maximum": 1}, "More than 0, at most 1."),
        ({"exclusiveMinimum": 0, "maximum": 2**53 - 1}, "More than 0."),
        ({"minimum": 5, "exclusiveMinimum": True}, "More than 5."),
        ({"minimum": -(2**53) + 1, "maximum": 2**53 - 1}, ""),
        ({"minLength": 1}, "At least 1 character."),
        ({"minLength": 0, "maxLength": 0}, "At most 0 characters."),
        ({"minItems": 2, "maxItems": 5}, "2 to 5 items."),
        ({"pattern": "^[BF]-[0-9]+$"}, "Pattern: ^[BF]-[0-9]+$."),
        ({"format": "email", "deprecated": True}, "Deprecated. Format: email."),
        ({"multipleOf": 5}, "A multiple of 5."),
        ({"default": None}, ""),
        ({"default": False}, "Default: false."),
        ({"default": "a" * 200}, ""),
    ],
)
def test_constraints_are_said_on_one_line(schema: dict[str, Json], text: str) -> None:
    assert documentation.member("", schema.items(), "a", "a") == text


def test_numeric_width_formats_are_omitted() -> None:
    schema: Json = {
        "type": "object",
        "properties": {
            "number": {"type": "integer", "format": "int64"},
            "text": {"type": "string", "format": "int64"},
            "day": {"type": ["string", "null"], "format": "date"},
        },
    }
    tools = [{"name": "a", "inputSchema": schema}]
    files = {
        style: generate(read({"tools": tools}), Options(style=style)).files for style in STYLES
    }
    model = files["dataclass"]["models/a.py"]
    assert model.count("Format: ") == 1
    assert '    """Format: int64."""' in model
    assert "Format: date." in files["typeddict"]["models/a.py"]


@pytest.mark.parametrize(
    ("title", "name", "is_shown"),
    [
        ("Create Issue", "create_issue", False),
        ("create-issue", "createIssue", False),
        ("Create an issue", "linear_createIssue", False),
        ("Issue creation", "create_issue", True),
        ("", "create_issue", False),
    ],
)
def test_title_appears_if_it_adds_to_the_name(title: str, name: str, is_shown: bool) -> None:
    tool = {"name": name, "title": title, "description": "Add one.", "inputSchema": {}}
    (read_tool,) = parse(read({"tools": [tool]})).tools
    assert ("Title: " in documentation.tool(read_tool, name)) is is_shown


@pytest.mark.parametrize(
    ("hints", "text"),
    [
        ({}, ""),
        ({"readOnlyHint": True}, "H: read-only."),
        ({"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True}, "H: read-only."),
        ({"readOnlyHint": True, "destructiveHint": True}, "H: read-only, destructive."),
        ({"readOnlyHint": False, "destructiveHint": False}, "H: changes things, additive only."),
        ({"idempotentHint": False, "openWorldHint": True}, "H: not idempotent, open world."),
        ({"openWorldHint": "yes"}, ""),
    ],
)
def test_hints_are_those_of_the_server(hints: dict[str, Json], text: str) -> None:
    tool: Json = {"name": "a", "inputSchema": {}, "annotations": hints}
    (read_tool,) = parse(read({"tools": [tool]})).tools
    assert documentation.hints(read_tool, "H") == text


def test_all_hints_fit_on_a_line() -> None:
    keys = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
    tool: Json = {"name": "a", "inputSchema": {}, "annotations": dict.fromkeys(keys, False)}
    (read_tool,) = parse(read({"tools": [tool]})).tools
    assert len(documentation.hints(read_tool, "Hints, unverified")) <= LIMIT - 8


@pytest.mark.parametrize(
    ("pointer", "text"),
    [
        ("", "Arguments of the tool a."),
        ("/properties/labels", "The `labels` of `a`'s arguments."),
        ("/properties/issue/properties/items", "The `issue.items` of `a`'s arguments."),
        ("/properties/labels/items", "One of the `labels` of `a`'s arguments."),
        ("/properties/labels/items/items", "One of the `labels[]` of `a`'s arguments."),
        ("/properties/a~1b/anyOf/1", "One form of the `a/b` of `a`'s arguments."),
        ("/properties/by/additionalProperties", "A value in the `by` of `a`'s arguments."),
        ("/$defs/User", "`User` in the schema of `a`'s arguments."),
        ("/items", "An item of `a`'s arguments."),
        ("/anyOf/0/properties/b/|", "The `b` of `a`'s arguments."),
    ],
)
def test_a_class_without_a_text_says_where_it_stands(pointer: str, text: str) -> None:
    (tool,) = parse(read({"tools": [{"name": "a", "inputSchema": {}}]})).tools
    assert documentation.part(pointer, tool, is_of_arguments=True) == text


@given(text=st.text(st.sampled_from("ab \n"), max_size=60), most=st.integers(8, 40))
def test_long_text_is_truncated_between_words(text: str, most: int) -> None:
    stored = escaping.shorten(text, most).removesuffix("...")
    assert len(stored) <= most
    cut = text.split()[: len(stored.split())]
    assert stored.split() == cut or len(text.split(maxsplit=1)[0]) > most - 4
