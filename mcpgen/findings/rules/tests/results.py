"""Rules for results: the output schema and the protocol."""

from __future__ import annotations

from mcpgen.findings.rule import Rule
from mcpgen.findings.severity import Level

JUDGES = (
    Rule(
        "C101",
        "output-breaks-schema",
        Level.ERROR,
        "the structured result breaks the tool's output schema",
        "Clients validate results by the schema and reject invalid ones, so the call fails.",
        ('"total": "3"', '"total": 3, as "type": "integer" says'),
        "Return what the output schema describes, or correct the schema.",
    ),
    Rule(
        "C102",
        "output-missing",
        Level.ERROR,
        "the tool has an output schema, but its result has no structured content",
        "A tool with an output schema must return structured results (MCP, server/tools).",
        ('"content": [...]', '"content": [...], "structuredContent": {...}'),
        "Return structuredContent, or publish no output schema.",
    ),
    Rule(
        "C103",
        "answer-breaks-protocol",
        Level.ERROR,
        "the response breaks the protocol's schema",
        "Clients parse responses by that schema. Some reject the whole response.",
        ('"content": "done"', '"content": [{"type": "text", "text": "done"}]'),
        "Send what the schema of the revision describes.",
    ),
    Rule(
        "C104",
        "allowed-refused",
        Level.ERROR,
        "the tool rejects a value that the input schema allows, but accepts similar ones",
        "A model reads the schema and sends such a value. The schema promises more than the "
        "tool accepts.",
        ('"maximum": 100, and 100 is rejected', '"maximum": 100, and 100 is accepted'),
        "Accept everything that the schema allows, or forbid the value in the schema.",
    ),
    Rule(
        "C105",
        "data-broken",
        Level.ERROR,
        "a content block has data that isn't Base64 or of its MIME type, or an invalid MIME type "
        "or URI",
        "Hosts decode the data and show it. What can't be decoded is lost.",
        ('"mimeType": "image/png", and the bytes of a JPEG', '"mimeType": "image/jpeg"'),
        "Encode the bytes as Base64 (RFC 4648, section 4), name their type as image/png does, and "
        "give a URI with its scheme.",
    ),
    Rule(
        "C107",
        "never-worked",
        Level.WARNING,
        "no call of the tool succeeded, so little of it was tested",
        "Most checks vary a call that works.",
        ("109 calls, 0 results", "--arguments FILE with a call that works"),
        "Give arguments that work: --write-arguments FILE writes a file to fill in.",
    ),
    Rule(
        "C108",
        "nothing-tested",
        Level.WARNING,
        "no tool of the server was tested",
        "A report without findings then means nothing.",
        ("0 of 9 tools tested", "--allow-writes, or --tool NAME"),
        "Allow tools that write, or name one.",
    ),
    Rule(
        "C109",
        "check-failed",
        Level.ERROR,
        "a check ended with an exception, which is a defect of mcpgen",
        "The check's own findings are unknown. A run without findings would hide that.",
        ("the check pairs ended with IndexError", "no finding"),
        "Report it with the case that --keep FILE writes. It says nothing about the server.",
    ),
    Rule(
        "C106",
        "response-mismatch",
        Level.ERROR,
        "a request gets two responses, or a response whose ID has another type",
        "A response must repeat the ID of its request (JSON-RPC 2.0, section 5), and only once.",
        ('"id": "7" -> "id": 7', '"id": "7" -> "id": "7"'),
        "Send one response per request, with the ID unchanged.",
    ),
)
