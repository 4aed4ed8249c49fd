"""Judges of what a tool claims of its effects, and of whether its errors help."""

from __future__ import annotations

from mcpgen.reports.rules import Level, Rule

JUDGES = (
    Rule(
        "C401",
        "read-only-writes",
        Level.ERROR,
        "a tool that claims to be read-only changes what other reads show",
        "Hosts call such tools without asking anybody, and repeat them.",
        ('"readOnlyHint": true, and it adds a row', '"readOnlyHint": false'),
        "Change nothing, or do not claim it.",
    ),
    Rule(
        "C402",
        "idempotent-repeats",
        Level.ERROR,
        "a tool that claims to be idempotent has a further effect when it is called again",
        "Clients repeat such calls after a lost connection, and the effect comes twice.",
        ('"idempotentHint": true, and each call adds a row', '"idempotentHint": false'),
        "Make the second call change nothing, or do not claim it.",
    ),
    Rule(
        "C403",
        "answers-differ",
        Level.NOTE,
        "a tool that claims to be idempotent answers the same call in two ways",
        "It may be right, of a clock or of an effect that was there already.",
        ('"count": 1, then "count": 2', '"count": 1, twice'),
        "Look whether the second call had an effect.",
    ),
    Rule(
        "C501",
        "error-says-nothing",
        Level.ERROR,
        "the error does not say what is wrong",
        "A model can mend its call only by what an error says.",
        ('"text": "Error"', '"text": "limit must be at most 50"'),
        "Say which argument is wrong, and what would be right.",
    ),
    Rule(
        "C502",
        "error-as-success",
        Level.WARNING,
        "a result that says that it failed does not have isError",
        "Clients and hosts take it for data.",
        ('{"text": "Error: no such item"}', '{"text": "no such item"}, "isError": true'),
        "Set isError.",
    ),
)
