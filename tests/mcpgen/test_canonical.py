"""The hash of a value is always the one of its RFC 8785 form."""

from __future__ import annotations

import copy
import hashlib
import json
from typing import Any

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgen import jsontext
from mcpgen.contract.document import Contract, read

# Strings that resemble numbers or end a name, and letters with another sort order.
_TEXTS = st.one_of(
    st.text(),
    st.text(alphabet='":,[]{}\\1.e0é\ue000\U00010000\x7f\u2028'),
    st.sampled_from(['x",1.5:"', ",1e5", ":1234567890123456789", "é", '\\"é":', "\ue000", "😀"]),
)
_NUMBERS = st.one_of(
    st.integers(),
    st.integers(-(2**53) - 2, 2**53 + 2),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 1.0, 1e16, 1e15, 1e-7, 2.5, 2**53, 2**53 - 1, 10**15, 10**16]),
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), _NUMBERS, _TEXTS),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(_TEXTS, inner)),
    max_leaves=12,
)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(VALUES)
def test_canonical_form_equals_rfc_8785(value: Any) -> None:
    assert jsontext.canonical(value) == rfc8785.dumps(jsontext._encodable(value))


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_layout_equals_the_standard_library(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True, allow_nan=False)
    hidden = jsontext._HIDDEN.sub(lambda match: json.dumps(match[0])[1:-1], text)
    assert jsontext.dumps(value) == f"{hidden}\n"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [-float("inf")]])
def test_non_json_numbers_have_no_serialization(value: Any) -> None:
    for write in (jsontext.canonical, jsontext.dumps, jsontext.in_order):
        with pytest.raises(ValueError):  # noqa: PT011 - of any kind
            write(value)


@pytest.mark.parametrize("levels", [1, 2, 5])
@pytest.mark.parametrize("text", ["", "[[{{", "x" * 50])
def test_brackets_in_texts_do_not_make_a_value_deep(levels: int, text: str) -> None:
    fits: Any = text
    for _ in range(levels):
        fits = [fits, text]
    assert jsontext.flaw(fits, levels) == ""
    assert "levels deep" in jsontext.flaw([fits], levels)


TOOL = {"name": "a", "inputSchema": {"type": "object", "b": {"z": 1, "y": 2}}}


def test_definition_is_hashed_once_and_its_copy_separately(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    contract = read({"tools": [TOOL]})
    hashed: list[Any] = []
    real = hashlib.sha256
    monkeypatch.setattr(hashlib, "sha256", lambda data: hashed.append(data) or real(data))
    first = contract.document()
    assert (contract.without_order().document(), len(hashed)) == (first, 1)
    changed: Any = copy.deepcopy(contract.tools["a"])
    changed["inputSchema"]["type"] = "string"
    changed["title"] = "Z"
    other = Contract(tools={"a": changed}).document()
    digest = other["tools"]["a"]["sha256"]
    assert digest == jsontext.sha256(changed) != first["tools"]["a"]["sha256"]


def test_contract_is_independent_of_its_source() -> None:
    tool = copy.deepcopy(TOOL)
    contract = read({"tools": [tool]})
    tool["inputSchema"]["type"] = "string"  # type: ignore[index]
    assert contract.tools["a"]["inputSchema"]["type"] == "object"
    assert list(contract.tools["a"]["inputSchema"]["b"]) == ["y", "z"]
