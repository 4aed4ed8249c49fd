"""Patterns follow ECMA-262 exactly and never take long, in mcpgen and in generated packages."""

from __future__ import annotations

import pytest
from guards import ending
from mcpgen_runtime.validation.regexes import matcher, patterns

from mcpgen.codegen.pipeline import generate
from mcpgen.contract.document import Contract

# Strings with and without a match, according to an ECMAScript engine.
FOUND: list[tuple[str, list[str], list[str]]] = [
    ("b", ["abc"], ["ac"]),
    ("", ["", "a"], []),
    ("^b", ["b", "bc"], ["abc"]),
    ("^[A-Z]{2}-[0-9]+$", ["AB-12"], ["AB-12\n", "AB-", "A-12"]),
    ("^a.c$", ["abc", "a\x85c", "a\vc"], ["a\nc", "a\rc", "a\u2028c", "a\u2029c"]),
    (r"^\d$", ["0"], ["\u07c0", "\u09ea"]),
    (r"^\D$", ["\u07c0", "a"], ["0"]),
    (r"^\w$", ["a", "_", "Z", "9"], ["\u00e9", "-", "\u212a"]),
    (r"^\W$", ["\u00e9", "-"], ["a", "_"]),
    (r"^\s$", list(" \t\n\v\f\r\xa0\ufeff\u2029\u2003\u202f\u3000\u1680"), ["\x85", "\x1c", "a"]),
    (r"^\S$", ["\x85", "\u200b", "\u180e"], [" ", "\ufeff"]),
    (r"a\b", ["a", "a\u00e9", "a-"], ["ab"]),
    (r"a\B", ["ab", "a_"], ["a", "a\u00e9"]),
    (r"^\p{L}+$", ["\u00e9", "a"], ["1"]),
    (r"^\p{Script=Greek}+$", ["\u03b1\u03a9"], ["a"]),
    (r"^\p{digit}\P{Lu}$", ["\u09eaa"], ["\u09eaA"]),
    (r"^[\p{Lu}\d_-]+$", ["\u00c9-1_"], ["\u00e9"]),
    (r"^[^\p{L}]$", ["1", "\n"], ["\u00e9"]),
    (r"^\u0041\x42\u{43}\cJ\t\0$", ["ABC\n\t\0"], ["ABC"]),
    (r"^\ud83d\udc32*$", ["", "\U0001f432\U0001f432"], ["\U0001f409"]),
    (r"^.$", ["\U0001f432", "a"], ["ab"]),
    ("^\U0001f432{2}$", ["\U0001f432\U0001f432"], ["\U0001f432"]),
    (r"^[\ud83d\udc30-\ud83d\udc32]$", ["\U0001f431"], ["\U0001f433"]),
    ("^[^]$", ["\n", "a", "\U0001f432"], ["", "ab"]),
    ("^[]$", [], ["", "a", "[]"]),
    (r"^[\b]$", ["\b"], ["b"]),
    (r"^[\w-]+$", ["a-b"], ["a.b"]),
    (r"^[\w-.]+$", ["a-b.c"], ["a/b"]),
    (r"^\-\/\.\_\@\"\ $", ['-/._@" '], ["\\-"]),
    ("^{a}]$", ["{a}]"], ["a"]),
    ("^x{a$", ["x{a"], ["x"]),
    ("^a{2,3}?$", ["aa", "aaa"], ["a", "aaaa"]),
    ("^(?:a|ab)(?:c|bcd)d*$", ["abcd", "ac"], ["ab"]),
    (r"^(?!.*\.\.)[a-z.]+$", ["a.b"], ["a..b"]),
    (r"^(?=.*[A-Z])(?=.*\d).{4,}$", ["aB3x"], ["ab3x", "B3"]),
    (r"(?<=\$)\d+(?!\d|%)$", ["$42"], ["42", "$42%"]),
    (r"(?<!a|bc)d", ["d", "xd", "cd"], ["ad", "bcd"]),
    (r"(?<=^[^-]*-)b", ["aa-b"], ["a-a-b", "ab"]),
    ("^(?=a)*b$", ["b"], ["a"]),
    (r"^(a)\1$", ["aa"], ["ab", "a"]),
    (r"^(?<x>a|b)-\k<x>$", ["a-a", "b-b"], ["a-b"]),
    (r"^\k<x>(?<x>a)$", ["a"], ["aa"]),
    (r"^(?:(a)|b)*\1$", ["ab", "aa", ""], []),
    (r"^(?:(a)|(b))+\1$", ["ab", "aa"], ["ba\n"]),
    (r"(?<=\1(a))b", ["aab"], ["ab", "b"]),
    (r"^(a*)*b\1$", ["aabaa", "b"], ["aab"]),
    (r"^(?=(a+))a*b\1$", ["aba", "aabaa"], ["aabaaa"]),
    (r"^(z)((a+)?(b+)?(c))*$", ["zaacbbbcac"], ["z-"]),
    ("a\ud800", ["a\ud800"], ["a", "a?"]),
    ("^[^a]$", ["\ud800"], ["a"]),
]


@pytest.mark.parametrize(("pattern", "inside", "outside"), FOUND, ids=[p for p, _, _ in FOUND])
def test_a_pattern_is_found_where_ecmascript_finds_it(
    pattern: str, inside: list[str], outside: list[str]
) -> None:
    counting = matcher.program(patterns.tree(pattern))
    for text in (*inside, *outside):
        assert patterns.matches(pattern, text) is (text in inside), text
        assert counting.matches(text, patterns.Budget()) is (text in inside), text


OTHERS = {
    "Python's group": "(?P<n>a)",
    "flags": "(?i)a",
    "end of the text": r"a\Z",
    "start of the text": r"\Aa",
    "bell": r"\a",
    "a hexadecimal code": r"\x{41}",
    "a long code": r"\U0001F600",
    "a count without a beginning": "^a{,3}$",
    "a class of POSIX": "^[[:alpha:]]+$",
    "an intersection of sets": "[a-z&&[^b]]",
    "a bracket that comes first": "[]a]",
    "a possessive repetition": "a++",
    "an atomic group": "(?>a)",
    "a comment": "(?#a)",
    "octal": r"\07",
    "a group that is not there": r"(a)\2",
    "a name that is not there": r"(?<n>a)\k<m>",
    "a property that is not there": r"\p{Nonsense}",
    "a property without braces": r"\pL",
    "a quoted text": r"\Qa\E",
    **{
        f"{text!r}": text
        for text in ["(", ")", "[z-a]", "*", "a{2,1}", "a{2}{3}", "[a", "\\", "^*"]
    },
}


@pytest.mark.parametrize("pattern", OTHERS.values(), ids=OTHERS)
def test_non_ecmascript_or_ambiguous_pattern_is_not_run(
    pattern: str,
) -> None:
    with pytest.raises(patterns.UnrunnableError):
        patterns.matches(pattern, "a")
    assert "a supported regular expression of ECMA-262" in patterns.doubt(pattern)


def test_possibly_expensive_pattern_has_a_notice_and_ends() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "string", "pattern": r"^(a+)+\1$", "default": "a" * 5_000 + "!"},
            "b": {"type": "object", "patternProperties": {"(?P<n>a)": {}}, "default": {}},
            "c": {"type": "string", "pattern": "^(?=a)(a+)+$", "default": "a" * 500 + "!"},
            "d": {"type": "string", "pattern": "(?=a)(?:(?:ab){999}){999}"},
        },
    }
    tool = {"name": "slow", "inputSchema": schema}
    with ending():
        notices = generate(Contract(tools={"slow": tool})).notices
    kinds = {n.pointer.rpartition("/properties/")[2]: n.kind for n in notices}
    assert kinds == {
        "a": "pattern",
        "b": "pattern",
        "d": "pattern",
        "c/default": kinds["c/default"],
    }
