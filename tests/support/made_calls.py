"""Values that contract tests make up."""

from __future__ import annotations

from typing import Any

from mcpgen.testing.answer import Answer


def make_answer(data: Any, text: str = "") -> Answer:
    return Answer({"content": [{"type": "text", "text": text}], "structuredContent": data})
