"""Judges of a tool's hints about its effects, and of its error messages."""

from __future__ import annotations

from mcpgen.findings.rule import Rule
from mcpgen.findings.severity import Level

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
        "C404",
        "nondestructive-destroys",
        Level.ERROR,
        "a tool with destructiveHint false removes or replaces what its call did not name",
        "Hosts ask nobody before they call such tools.",
        ('{"notes": "old"} -> {"notes": null}', "what the call did not name stays"),
        "Keep what was there, or do not claim it.",
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
    Rule(
        "C503",
        "credential-shown",
        Level.ERROR,
        "an error, a log message or stderr shows a credential",
        "Models, hosts and their logs read it, and it opens what it was made for.",
        ("postgres://user:password@host/db", "the database can't be reached"),
        "Leave credentials out of all texts, and replace the one that was shown.",
    ),
    Rule(
        "C504",
        "internals-shown",
        Level.WARNING,
        "an error, a log message or stderr shows a path of the server's machine, or SQL",
        "It tells an attacker how the server works, and tells a model nothing.",
        ("cannot open /srv/app/data.db", "there is no line L-9"),
        "Log such details, and return an error in the terms of the tool.",
    ),
)
