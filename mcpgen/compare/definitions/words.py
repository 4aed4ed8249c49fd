"""Which strings tell an agent nothing: plain words, keywords, and names as programs have them."""

from __future__ import annotations

import re

from mcpgen.compare.definitions.hints import DEFAULTS
from mcpgen.compare.schemas.schema_annotations import KEYWORDS
from mcpgen.contract.definitions import WRAPPED
from mcpgen.schemas.validation.schemas import dialect

MAX_WORDS = 2
MAX_WORD, MAX_LENGTH, MAX_NAME = 16, 40, 64
_IDENTIFIER = re.compile(r"[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*")
_CASES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CLASSES = re.compile(r"a-z|A-Z|a-f|A-F|\\[dwsDWS]")
_KNOWN = frozenset({*KEYWORDS, *DEFAULTS, WRAPPED}) | frozenset(
    "allOf $ref inputSchema outputSchema taskSupport listChanged mimeType lastModified".split()
)


def is_word(text: str) -> bool:
    """Say whether a string is too short and plain to tell an agent anything.

    It has no white space, no character beyond ASCII, and no more than two words, as ``sort_by`` and
    ``sortBy`` do; or it is a keyword of JSON Schema or MCP, or the name of a dialect.
    """
    if text in _KNOWN or ("://" in text and dialect({"$schema": text}) is not None):
        return True
    if len(text) > MAX_LENGTH or not text.isascii() or not text.isprintable() or " " in text:
        return False
    words = _CASES.findall(_CLASSES.sub("", text))
    return len(words) <= MAX_WORDS and all(len(word) <= MAX_WORD for word in words)


def is_identifier(text: str) -> bool:
    """Say whether a string is a name as programs have them, of any number of words."""
    return len(text) <= MAX_NAME and _IDENTIFIER.fullmatch(text) is not None
