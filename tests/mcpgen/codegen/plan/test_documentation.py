"""Docstrings of generated code: complete server text, folded once, without noise."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from docstrings import LIMIT, Docstring, docstrings, too_long
from documented_texts import words
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.codegen import escaping
from mcpgen.codegen.pipeline import STYLES, Options, generate
from mcpgen.codegen.plan import documentation
from mcpgen.contract.definitions import parse
from mcpgen.contract.document import read
from mcpgen.jsontext import Json

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
