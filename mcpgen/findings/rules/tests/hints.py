"""Rules for a tool's hints about its effects, and for its error messages."""

from __future__ import annotations

from mcpgen.findings.rule import Rule
from mcpgen.findings.severity import Level

JUDGES = (
    Rule(
        "C401",
        "read-only-writes",
        Level.ERROR,
        "a tool that claims to be read-only changes the results of other reads",
        "Hosts call such tools without asking their user, and repeat them.",
        ('"readOnlyHint": true, and it adds a row', '"readOnlyHint": false'),
        "Change nothing, or remove the hint.",
    ),
    Rule(
        "C402",
        "idempotent-repeats",
        Level.ERROR,
        "a tool that claims to be idempotent has another effect when it is called again",
        "Clients repeat such calls after a lost connection, and the effect happens twice.",
        ('"idempotentHint": true, and each call adds a row', '"idempotentHint": false'),
        "Make sure that the second call changes nothing, or remove the hint.",
    ),
    Rule(
        "C404",
        "nondestructive-destroys",
        Level.ERROR,
        "a tool with destructiveHint false removes or replaces data that the call doesn't name",
        "Hosts call such tools without asking their user.",
        ('{"notes": "old"} -> {"notes": null}', "data that the call doesn't name stays"),
        "Keep existing data, or remove the hint.",
    ),
    Rule(
        "C403",
        "answers-differ",
        Level.NOTE,
        "a tool that claims to be idempotent returns two results for the same call",
        "That may be right, for example for a clock or if the effect already existed.",
        ('"count": 1, then "count": 2', '"count": 1, twice'),
        "Check whether the second call had an effect.",
    ),
    Rule(
        "C501",
        "error-says-nothing",
        Level.ERROR,
        "the error doesn't explain the problem",
        "A model can only correct its call by the text of the error.",
        ('"text": "Error"', '"text": "limit must be at most 50"'),
        "Name the wrong argument and the allowed values.",
    ),
    Rule(
        "C502",
        "error-as-success",
        Level.WARNING,
        "a result that reports a failure doesn't have isError",
        "Clients and hosts take it for data.",
        ('{"text": "Error: no such item"}', '{"text": "no such item"}, "isError": true'),
        "Set isError.",
    ),
    Rule(
        "C503",
        "credential-shown",
        Level.ERROR,
        "a response, a log message or stderr contains a credential",
        "Models, hosts and their logs read it, and everyone who reads them can use it.",
        ("postgres://user:password@host/db", "the database can't be reached"),
        "Remove credentials from all texts, and revoke those that were exposed.",
    ),
    Rule(
        "C504",
        "internals-shown",
        Level.WARNING,
        "an error, a log message or stderr contains a path of the server's machine, or SQL",
        "It helps an attacker and doesn't help a model.",
        ("cannot open /srv/app/data.db", "there is no line L-9"),
        "Log such details, and return an error in the words of the tool.",
    ),
)
