"""Judges of results: the output schema and the protocol."""

from __future__ import annotations

from mcpgen.findings.rule import Rule
from mcpgen.findings.severity import Level

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
        Level.ERROR,
        "a value that the input schema allows is refused as invalid, and its neighbors are not",
        "A model reads the schema and sends such a value; the schema says more than the tool does.",
        ('"maximum": 100, and 100 is refused', '"maximum": 100, and 100 is taken'),
        "Accept arguments that the schema allows, or say in it what is not.",
    ),
    Rule(
        "C105",
        "data-broken",
        Level.ERROR,
        "the data of an image, audio or file is not valid Base64, or not of its MIME type",
        "Hosts decode the data and show it. What can't be decoded is lost.",
        ('"mimeType": "image/png", and the bytes of a JPEG', '"mimeType": "image/jpeg"'),
        "Encode the bytes as Base64 (RFC 4648, section 4) and name their type.",
    ),
    Rule(
        "C107",
        "never-worked",
        Level.WARNING,
        "no call of the tool gave a result, so little of it was tested",
        "Most checks vary a call that works.",
        ("109 calls, 0 results", "--arguments FILE with a call that works"),
        "Give arguments that work: --write-arguments FILE writes a file to fill in.",
    ),
    Rule(
        "C108",
        "nothing-tested",
        Level.WARNING,
        "no tool of the server was tested",
        "A report without findings says nothing then.",
        ("0 of 9 tools tested", "--allow-writes, or --tool NAME"),
        "Allow the tools that write, or name one.",
    ),
    Rule(
        "C106",
        "response-mismatch",
        Level.ERROR,
        "a request gets two responses, or one whose ID has another type",
        "A response must repeat the ID of its request (JSON-RPC 2.0, section 5), and only once.",
        ('"id": "7" -> "id": 7', '"id": "7" -> "id": "7"'),
        "Send one response for each request, with the ID as it was sent.",
    ),
)
