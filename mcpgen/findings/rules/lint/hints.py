"""Rules for tool hints, which hosts use to decide whether to ask the user."""

from __future__ import annotations

from mcpgen.findings.rule import Rule
from mcpgen.findings.severity import Level

RULES = (
    Rule(
        "L501",
        "hints-missing",
        Level.NOTE,
        "the tool has no hints about its effects",
        (
            "Without hints, it counts as destructive and open-world, so hosts ask before "
            "each call, even of a search."
        ),
        ("no annotations", '"annotations": {"readOnlyHint": true}'),
        "Set readOnlyHint; for a tool that writes, also destructiveHint and idempotentHint.",
    ),
    Rule(
        "L502",
        "hints-contradict",
        Level.WARNING,
        "the tool is annotated as read-only and destructive",
        "destructiveHint has a meaning only if readOnlyHint is false. Hosts may believe either.",
        ('"readOnlyHint": true, "destructiveHint": true', '"readOnlyHint": true'),
        "Keep the correct one.",
    ),
    Rule(
        "L503",
        "reader-unmarked",
        Level.NOTE,
        "the name of the tool suggests that it reads, but it isn't annotated as read-only",
        "Without readOnlyHint, it counts as writing.",
        ('"name": "list_users", "annotations": {"title": "Users"}', '"readOnlyHint": true'),
        "Set readOnlyHint to true or false.",
    ),
    Rule(
        "L504",
        "writer-read-only",
        Level.WARNING,
        "the name of the tool suggests a change, but it is annotated as read-only",
        "Hosts call it without asking anyone.",
        ('"name": "delete_user", "readOnlyHint": true', '"readOnlyHint": false'),
        "Correct the hint, or the name.",
    ),
    Rule(
        "L505",
        "remover-harmless",
        Level.WARNING,
        "the name of the tool suggests a removal, but it is annotated as non-destructive",
        "destructiveHint false means that it only ever adds (MCP, ToolAnnotations).",
        ('"name": "delete_user", "destructiveHint": false', '"destructiveHint": true'),
        "Correct the hint, or the name.",
    ),
    Rule(
        "L506",
        "member-nonconforming",
        Level.ERROR,
        "a property violates the protocol",
        "Strict clients reject the definition, and some of them the whole list.",
        ('"annotations": {"readOnlyHint": "yes"}', '"readOnlyHint": true'),
        "Correct it as the protocol requires.",
    ),
)
