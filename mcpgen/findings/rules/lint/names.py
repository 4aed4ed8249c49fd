"""Rules on names of tools and arguments."""

from __future__ import annotations

from mcpgen.findings.rule import Rule
from mcpgen.findings.severity import Level

RULES = (
    Rule(
        "L101",
        "tool-name-unlawful",
        Level.ERROR,
        "the tool's name is outside the protocol's recommendation",
        "A name should have 1 to 128 of the characters A-Z a-z 0-9 _ - . (MCP, server/tools). "
        "The APIs of models reject other names, together with all other tools in the request.",
        ('"name": "search files"', '"name": "search_files"'),
        "Rename the tool.",
    ),
    Rule(
        "L102",
        "tool-name-refused",
        Level.WARNING,
        "an API rejects the tool's name, although the protocol allows it",
        "OpenAI and Anthropic accept no dots. OpenAI and Gemini accept at most 64 characters. For "
        "Gemini, the first must be a letter or _. Hosts that send names unchanged fail.",
        ('"name": "files.search"', '"name": "files_search"'),
        "Use at most 64 of the characters A-Z a-z 0-9 _ -, and begin with a letter.",
    ),
    Rule(
        "L103",
        "tool-names-alike",
        Level.WARNING,
        "another tool's name differs only in case, separators or similar characters",
        "Models confuse the two, and hosts that normalize names merge them.",
        ('"get_file", "getFile"', '"get_file", "get_file_text"'),
        "Rename one of them to show the difference.",
    ),
    Rule(
        "L104",
        "tool-names-mixed",
        Level.NOTE,
        "the tool's name is spelled differently from most names of the server",
        "Models guess names by analogy, such as get_file from list_files.",
        ('"list_files", "getFile"', '"list_files", "get_file"'),
        "Spell all names the same way.",
    ),
    Rule(
        "L105",
        "argument-name-refused",
        Level.ERROR,
        "an API rejects the argument's name",
        (
            "Anthropic accepts names of 1 to 64 of the characters A-Z a-z 0-9 _ - . and "
            "rejects the whole request otherwise, with every tool in it."
        ),
        ('"properties": {"filter[id]": {}}', '"properties": {"filter_id": {}}'),
        "Rename the argument.",
    ),
    Rule(
        "L106",
        "argument-name-taken",
        Level.WARNING,
        "a framework reserves the argument's name",
        "LangChain silently drops the arguments config and run_manager, and fails for self.",
        ('"properties": {"config": {}}', '"properties": {"settings": {}}'),
        "Rename the argument.",
    ),
    Rule(
        "L107",
        "listed-twice",
        Level.ERROR,
        "the server lists two definitions with the same name",
        "Names must be unique. Clients keep one of the two, but not all the same one.",
        ('"get_user", "get_user"', '"get_user", "get_user_by_mail"'),
        "Remove or rename one.",
    ),
)
