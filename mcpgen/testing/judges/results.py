"""Judges of results: what an output schema and the protocol say of them."""

from __future__ import annotations

from mcpgen.reports.rules import Level, Rule

JUDGES = (
    Rule(
        "C101",
        "output-breaks-schema",
        Level.ERROR,
        "the structured result breaks the tool's output schema",
        "Clients check results by the schema, and refuse those that break it: the call is lost.",
        ('"total": "3"', '"total": 3, as "type": "integer" says'),
        "Return what the output schema says, or say what is returned.",
    ),
    Rule(
        "C102",
        "output-missing",
        Level.ERROR,
        "the tool has an output schema, and its result has no structured content",
        "A tool with an output schema must return structured results (MCP, server/tools).",
        ('"content": [...]', '"content": [...], "structuredContent": {...}'),
        "Return structuredContent, or publish no output schema.",
    ),
    Rule(
        "C103",
        "answer-breaks-protocol",
        Level.ERROR,
        "the answer is not what the protocol says",
        "Clients parse answers by the protocol's schema; some refuse the whole answer.",
        ('"content": "done"', '"content": [{"type": "text", "text": "done"}]'),
        "Send what the schema of the revision says.",
    ),
    Rule(
        "C104",
        "allowed-refused",
        Level.WARNING,
        "a value that the input schema names as allowed is refused as invalid",
        "A model reads the schema and sends such a value; the schema says more than the tool does.",
        ('"maximum": 100, and 100 is refused', '"maximum": 100, and 100 is taken'),
        "Accept what the schema allows, or say in it what is not.",
    ),
)
