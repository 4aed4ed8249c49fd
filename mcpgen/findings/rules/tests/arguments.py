"""Judges of argument handling: values that the input schema forbids, and failing values."""

from __future__ import annotations

from mcpgen.findings.rule import Rule
from mcpgen.findings.severity import Level

JUDGES = (
    Rule(
        "C201",
        "invalid-accepted",
        Level.ERROR,
        "arguments that the input schema forbids are answered as if they were allowed",
        "The schema is the contract: what it forbids should be refused, so that a caller who is "
        "wrong hears of it, and does not get an answer to another question.",
        ('"limit": -1 -> a result', '"limit": -1 -> an error that names limit'),
        "Check arguments by the schema, and answer with an error.",
    ),
    Rule(
        "C202",
        "invalid-converted",
        Level.WARNING,
        "a value of another type than the input schema says is converted and accepted",
        "Not every client sends what another converts, and some conversions are not meant: true "
        "becomes 1, null becomes nothing.",
        ('"limit": "5" -> a result', '"limit": "5" -> an error that names limit'),
        "Check arguments strictly, or allow both types in the schema.",
    ),
    Rule(
        "C203",
        "crash-shown",
        Level.ERROR,
        "the error is that of code which failed unforeseen",
        "A stack trace or a message of the language tells a model nothing that it could mend, and "
        "shows what is inside.",
        ("'NoneType' object has no attribute 'id'", "there is no item X-9"),
        "Foresee the case, and say what is wrong with the arguments.",
    ),
    Rule(
        "C204",
        "internal-error",
        Level.WARNING,
        "an internal error (-32603) stands for an answer about the arguments",
        "Clients take it for a fault of the server, and may try again; models do not see it.",
        ("error -32603", "a result with isError, or error -32602"),
        "Return a result with isError, which a model can read.",
    ),
    Rule(
        "C205",
        "unknown-accepted",
        Level.WARNING,
        "an argument that the input schema does not know, and forbids, is ignored",
        "A misspelled optional argument is lost without a word.",
        ('"limt": 5 -> a result', '"limt": 5 -> an error that names limt'),
        "Refuse unknown arguments, or leave out additionalProperties: false.",
    ),
    Rule(
        "C206",
        "valid-call-crashes",
        Level.ERROR,
        "an internal error (-32603) is returned for a call that the input schema allows",
        "Other calls of the tool work, so its code fails by these arguments.",
        ('"text": "it\'s" -> error -32603', '"text": "it\'s" -> a result'),
        "Handle these arguments, or forbid them in the schema.",
    ),
)
