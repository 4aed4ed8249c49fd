"""Rules for tool hints, by which hosts decide about a person's consent."""

from __future__ import annotations

from mcpgen.findings.rule import Rule
from mcpgen.findings.severity import Level

RULES = (
    Rule(
        "L501",
        "hints-missing",
        Level.NOTE,
        "the tool says nothing of its effects",
        "Without hints it counts as one that may destroy and reaches the outside world, so hosts "
        "ask before each call, also of a search.",
        ("no annotations", '"annotations": {"readOnlyHint": true}'),
        "Say readOnlyHint, and of a tool that writes destructiveHint and idempotentHint.",
    ),
    Rule(
        "L502",
        "hints-contradict",
        Level.WARNING,
        "the tool is said to change nothing and to destroy",
        "destructiveHint has a meaning only where readOnlyHint is false; hosts believe either.",
        ('"readOnlyHint": true, "destructiveHint": true', '"readOnlyHint": true'),
        "Keep the one that is true.",
    ),
    Rule(
        "L503",
        "reader-unmarked",
        Level.NOTE,
        "the tool is named as one that reads, and is not said to change nothing",
        "Without readOnlyHint it counts as one that writes.",
        ('"name": "list_users", "annotations": {"title": "Users"}', '"readOnlyHint": true'),
        "Say readOnlyHint, true or false.",
    ),
    Rule(
        "L504",
        "writer-read-only",
        Level.WARNING,
        "the tool is named as one that changes something, and is said to change nothing",
        "Hosts call it without asking anyone.",
        ('"name": "delete_user", "readOnlyHint": true', '"readOnlyHint": false'),
        "Correct the hint, or the name.",
    ),
    Rule(
        "L505",
        "remover-harmless",
        Level.WARNING,
        "the tool is named as one that removes something, and is said to destroy nothing",
        "destructiveHint false means that it only ever adds (MCP, ToolAnnotations).",
        ('"name": "delete_user", "destructiveHint": false', '"destructiveHint": true'),
        "Correct the hint, or the name.",
    ),
    Rule(
        "L506",
        "member-nonconforming",
        Level.ERROR,
        "a member does not conform to the protocol",
        "Strict clients refuse the definition, and some of them the whole list.",
        ('"annotations": {"readOnlyHint": "yes"}', '"readOnlyHint": true'),
        "Write it as the protocol has it.",
    ),
)
