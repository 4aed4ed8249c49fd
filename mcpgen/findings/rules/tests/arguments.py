"""Rules for argument handling: values that the input schema forbids, and failing values."""

from __future__ import annotations

from mcpgen.findings.rule import Rule
from mcpgen.findings.severity import Level

JUDGES = (
    Rule(
        "C201",
        "invalid-accepted",
        Level.ERROR,
        "the tool accepts arguments that the input schema forbids",
        "A caller who made a mistake gets another result instead of an error.",
        ('"limit": -1 -> a result', '"limit": -1 -> an error that names limit'),
        "Validate arguments by the schema, and return an error.",
    ),
    Rule(
        "C202",
        "invalid-converted",
        Level.WARNING,
        "the tool converts a value of the wrong type instead of rejecting it",
        "Not every client sends a value that another one converts, and some conversions are "
        "wrong: true becomes 1, null becomes nothing.",
        ('"limit": "5" -> a result', '"limit": "5" -> an error that names limit'),
        "Validate arguments strictly, or allow both types in the schema.",
    ),
    Rule(
        "C203",
        "crash-shown",
        Level.ERROR,
        "the error is an unhandled exception of the server's code",
        "A model can't correct a call by a stack trace, and it reveals the server's code.",
        ("'NoneType' object has no attribute 'id'", "there is no item X-9"),
        "Handle this case, and name the wrong argument.",
    ),
    Rule(
        "C204",
        "internal-error",
        Level.WARNING,
        "the server reports wrong arguments as an internal error (-32603)",
        "Clients take it for a fault of the server and may try again. Models don't see it.",
        ("error -32603", "a result with isError, or error -32602"),
        "Return a result with isError, which a model can read.",
    ),
    Rule(
        "C205",
        "unknown-accepted",
        Level.WARNING,
        "the tool ignores an argument that the input schema forbids",
        "A misspelled optional argument silently has no effect.",
        ('"limt": 5 -> a result', '"limt": 5 -> an error that names limt'),
        "Reject unknown arguments, or remove additionalProperties: false.",
    ),
    Rule(
        "C206",
        "valid-call-crashes",
        Level.ERROR,
        "an internal error (-32603) is returned for a call that the input schema allows",
        "Other calls of the tool work, so its code fails with these arguments.",
        ('"text": "it\'s" -> error -32603', '"text": "it\'s" -> a result'),
        "Handle these arguments, or forbid them in the schema.",
    ),
)
