"""Patterns in generated code: right on what can be run, quick on what a stranger sends."""

from __future__ import annotations

import contextlib
import time

import pytest

from mcpgen.bounded import patterns
from mcpgen.contract import Contract
from mcpgen.pipeline import generate


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("b", "abc", True),
        ("^b", "abc", False),
        ("^[A-Z]{2}-[0-9]+$", "AB-12", True),
        ("^[A-Z]{2}-[0-9]+$", "AB-12\n", False),
        (r"^\p{L}+$", "é", True),
        (r"^\u0041$", "A", True),
        (r"^(?!.*\.\.)[a-z.]+$", "a.b", True),
        (r"^(?!.*\.\.)[a-z.]+$", "a..b", False),
        (r"^(a)\1$", "aa", True),
        (r"^(a)\1$", "ab", False),
    ],
)
def test_a_pattern_is_found_where_it_is(pattern: str, text: str, found: bool) -> None:
    assert patterns.matches(pattern, text) is found


@pytest.mark.parametrize(
    "pattern",
    [
        "^(a+)+$",
        "^(a|a)*$",
        "^(a|b|ab)*c$",
        "(x+x+)+y",
        "^([a-zA-Z0-9])(([.-]|[_]+)?([a-zA-Z0-9]+))*$",
        r"^(?=a)(a+)+$",
        r"^(?!b)(a*)*$",
        r"^(?=a)((a+)|b)+$",
        r"(?<=a)(a*)*\1$",
        r"^(?=.*x)(.*a){12}$",
        "^(?=a)(a|a)*$",
        "^(?=a)(a?a)*$",
        "^(?=a)" + "a?" * 20 + "b",
        "^(?=a)" + "(a|a)" * 30 + "b",
        r"(?=a).*.*.*=",
        r"(\w{0,1000}){0,1000}$",
        r"(?=a).*.*.*.*.*.*=.*",
        r"(((((a*)*)*)*)*)*$",
    ],
)
def test_no_pattern_takes_long(pattern: str) -> None:
    """A deadline of a hundred times what is measured: this one cannot fail by a slow machine."""
    for text in ("a" * 50_000 + "!", "a" * 199 + "!", "ab" * 30 + "!"):
        started = time.process_time()
        with contextlib.suppress(patterns.UnrunnableError):
            patterns.matches(pattern, text)
        assert time.process_time() - started < 2


@pytest.mark.parametrize("pattern", ["(", "[z-a]", "*", r"(?<n>a)\k<m>", "a{2,1}"])
def test_what_is_no_pattern_cannot_be_run(pattern: str) -> None:
    with pytest.raises(patterns.UnrunnableError):
        patterns.matches(pattern, "a")


def test_a_pattern_that_may_take_long_has_a_notice_and_costs_no_time() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "string", "pattern": "^(?=a)(a+)+$", "default": "a" * 5_000 + "!"},
            "b": {"type": "object", "patternProperties": {"^(?!b)(a*)*$": {}}, "default": {}},
        },
    }
    tool = {"name": "slow", "inputSchema": schema}
    started = time.process_time()
    notices = generate(Contract(tools={"slow": tool})).notices
    assert time.process_time() - started < 5
    assert {notice.pointer.rpartition("/")[2] for notice in notices} == {"a", "b"}
    assert {notice.kind for notice in notices} == {"pattern"}
