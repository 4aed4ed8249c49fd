"""Rules for the server as a whole: its size and its other definitions."""

from __future__ import annotations

from mcpgen.findings.rule import Rule
from mcpgen.findings.severity import Level

RULES = (
    Rule(
        "L601",
        "tools-too-many",
        Level.WARNING,
        "the server has more than 128 tools",
        "OpenAI's API and VS Code accept at most 128 tools of all servers together. The more "
        "there are, the more often a model selects the wrong one.",
        ("200 tools", "30 tools, the others in optional toolsets"),
        "Group them so that users can choose, or merge tools that differ only in an argument.",
    ),
    Rule(
        "L602",
        "tools-heavy",
        Level.NOTE,
        "the tools cost more than 10,000 tokens together",
        "That is 5 % of a context of 200,000 tokens, in every request. Beyond it, many hosts "
        "search for tools instead.",
        ("60 tools of 400 tokens", "25 tools of 200 tokens"),
        "Find the largest parts with: mcpgen budget",
    ),
    Rule(
        "L603",
        "tool-heavy",
        Level.NOTE,
        "the tool costs more than 2,000 tokens",
        "Every request that includes the tool pays for them, even without a call.",
        ("a schema of 9,000 characters", "one of 3,000"),
        "Find the largest parts with: mcpgen budget",
    ),
    Rule(
        "L604",
        "schema-repeats",
        Level.NOTE,
        "the schema repeats a part",
        "A shared definition counts its tokens only once.",
        ('"from": {<300 characters>}, "to": {<the same>}', '"$ref": "#/$defs/Place"'),
        "Define it in $defs; some hosts write references out again.",
    ),
    Rule(
        "L605",
        "instructions-missing",
        Level.NOTE,
        "a server of twenty tools or more has no instructions",
        "Hosts with tool search show models the instructions first, to decide when to search.",
        ('"instructions": ""', '"instructions": "Books and loans of the town\'s bookshelf."'),
        "Describe the purpose of the server, and which tools belong together, in a few sentences.",
    ),
    Rule(
        "L701",
        "prompt-undescribed",
        Level.NOTE,
        "the prompt has no description",
        "Users choose prompts from a list by their descriptions.",
        ('{"name": "review"}', '"description": "Review a change for mistakes."'),
        "Describe its purpose.",
    ),
    Rule(
        "L702",
        "prompt-argument-undescribed",
        Level.NOTE,
        "the prompt's argument has no description",
        "Users only see its name in the form.",
        ('{"name": "code"}', '"description": "The lines to review."'),
        "Describe the expected input.",
    ),
    Rule(
        "L703",
        "resource-undescribed",
        Level.NOTE,
        "the resource has no description",
        "Models rely on it to understand a resource (MCP, Resource.description).",
        ('{"uri": "config://app"}', '"description": "The settings in force."'),
        "Describe its content.",
    ),
    Rule(
        "L704",
        "resource-untyped",
        Level.NOTE,
        "the resource has no mimeType",
        "Hosts can't distinguish text from data before they have read it.",
        ('{"uri": "config://app"}', '"mimeType": "application/json"'),
        "Declare its media type.",
    ),
    Rule(
        "L705",
        "template-unlawful",
        Level.ERROR,
        "the URI template is invalid (RFC 6570)",
        "Clients cannot fill it in.",
        ('"uriTemplate": "repo://{owner"', '"uriTemplate": "repo://{owner}"'),
        "Close each brace, and name variables by letters, digits, _ and dots.",
    ),
)
