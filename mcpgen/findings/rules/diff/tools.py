"""Rules for complete tools: added, removed or renamed ones, and their hints."""

from __future__ import annotations

from mcpgen.findings.rule import BREAKING, COMPATIBLE, COSMETIC, DANGEROUS, SECURITY, ChangeRule

_LOOK = "Read the tool's new definition, then accept the change, or don't upgrade."

RULES = (
    ChangeRule(
        "T01",
        "tool-removed",
        BREAKING.for_audiences("wire", "source", "agent"),
        "a tool was removed",
        "Every call of it fails, and its method is no longer generated.",
        ('tools: ["search", "fetch"]', 'tools: ["search"]'),
        "Stop calling it, or stay with the server's old version.",
    ),
    ChangeRule(
        "T02",
        "tool-added",
        COMPATIBLE.for_audiences("agent"),
        "there is a new tool",
        "No call changes, but an agent has one more tool to choose from.",
        ('tools: ["search"]', 'tools: ["search", "fetch"]'),
    ),
    ChangeRule(
        "T02b",
        "tool-looks-alike",
        SECURITY.for_audiences("agent"),
        "a new tool's name resembles the name of another tool",
        "An agent, or a person who approves its calls, can take one for the other.",
        ('tools: ["pay"]', 'tools: ["pay", "p\\u0430y"], where \\u0430 is a Cyrillic letter'),
        "Leave the new tool out unless you know why it is there.",
    ),
    ChangeRule(
        "T03",
        "tool-renamed",
        BREAKING.for_audiences("wire", "source", "agent"),
        "a tool has another name",
        "A tool was replaced by one with the same schemas: calls by the old name fail.",
        ('tools: ["search"]', 'tools: ["find"], with the same schemas'),
        "Call it by its new name.",
    ),
    ChangeRule(
        "T04",
        "tool-method-renamed",
        BREAKING.for_audiences("source"),
        "the generated method has another name",
        "The tool is the same on the wire, but another tool took its Python name.",
        ('tools: ["get-user"] as get_user()', 'tools: ["get_user", "get-user"]'),
        "Record over the old contract, which keeps names: mcpgen record SERVER -o CONTRACT.",
    ),
    ChangeRule(
        "T05",
        "task-support-changed",
        BREAKING.for_audiences("wire"),
        "the tool now must, or must not, be called as a task",
        "Calls that worked before are rejected.",
        ('"execution": {"taskSupport": "optional"}', '"execution": {"taskSupport": "required"}'),
        "Call it as the tool requires.",
    ),
    ChangeRule(
        "T05b",
        "task-support-optional",
        COMPATIBLE.for_audiences("wire"),
        "the tool may be called as a task or not",
        "Both kinds of calls work.",
        ('"execution": {"taskSupport": "required"}', '"execution": {"taskSupport": "optional"}'),
    ),
    ChangeRule(
        "T05c",
        "task-support-unsaid",
        DANGEROUS.for_audiences("wire"),
        "the tool no longer declares whether it supports tasks",
        (
            "Revisions from 2026-07-28 on don't declare it here; for older servers, "
            "absent means forbidden."
        ),
        ('"execution": {"taskSupport": "optional"}', "no execution"),
        "If you call it as a task, ask the server's author.",
    ),
    ChangeRule(
        "T05d",
        "task-support-explicit",
        COSMETIC.for_audiences("wire"),
        "the tool now declares the default for task support, or no longer",
        "An absent value means forbidden (MCP 2025-11-25, schema, `ToolExecution`).",
        ("no execution", '"execution": {"taskSupport": "forbidden"}'),
    ),
    ChangeRule(
        "T07",
        "tool-untyped",
        BREAKING.for_audiences("wire", "source"),
        "a schema of the tool became unusable",
        "It is invalid or references another document, so the method takes or returns plain JSON.",
        ('"inputSchema": {"type": "object"}', '"inputSchema": {"$ref": "https://example.org/x"}'),
        "Ask the server's author to fix the schema.",
    ),
    ChangeRule(
        "T07b",
        "tool-typed",
        {**DANGEROUS.for_audiences("wire"), **BREAKING.for_audiences("source")},
        "a schema of the tool can be used now",
        "The old schema's values are unknown, and the method takes or returns typed values "
        "instead of plain JSON. An old schema that is valid as draft-07 or draft-04 is also "
        "compared as such.",
        ('"inputSchema": {"type": "strin"}', '"inputSchema": {"type": "object"}'),
        "Pass the arguments by keyword, and test the values that you use.",
    ),
    ChangeRule(
        "A01",
        "read-only-lost",
        SECURITY.for_audiences("wire", "agent"),
        "the tool is no longer annotated as read-only",
        "Calls approved as harmless may now write.",
        ('"readOnlyHint": true', '"readOnlyHint": false, or no hint'),
        _LOOK,
    ),
    ChangeRule(
        "A02",
        "effects-widened",
        SECURITY.for_audiences("wire", "agent"),
        "the tool may be destructive, or reach external systems, unlike before",
        "It was annotated as non-destructive or closed-world, and no longer is.",
        ('"destructiveHint": false', '"destructiveHint": true, or no hint'),
        _LOOK,
    ),
    ChangeRule(
        "A02b",
        "idempotence-lost",
        {**BREAKING.for_audiences("wire"), **SECURITY.for_audiences("agent")},
        "the tool is no longer annotated as idempotent",
        "Retries that were safe may act twice.",
        ('"idempotentHint": true', '"idempotentHint": false, or no hint'),
        "Do not repeat its calls on failure.",
    ),
    ChangeRule(
        "A03",
        "harmlessness-claimed",
        SECURITY.for_audiences("agent"),
        "the tool now claims to be more harmless",
        "Hosts approve such tools without asking. A malicious server benefits from this claim.",
        ('"readOnlyHint": false', '"readOnlyHint": true'),
        "Believe it only if you know the reason. Annotations aren't verified.",
    ),
    ChangeRule(
        "A04",
        "hint-explicit",
        COSMETIC.for_audiences("agent"),
        "a hint now declares its default, or no longer",
        "The effective values are the same.",
        ("no hint", '"destructiveHint": true, which is the default'),
    ),
    ChangeRule(
        "A05",
        "annotation-changed",
        DANGEROUS.for_audiences("agent"),
        "an unknown annotation was changed",
        "A host may act on it.",
        ('"annotations": {}', '"annotations": {"costHint": "high"}'),
        "Find out how your host uses it.",
    ),
)
