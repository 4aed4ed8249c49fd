"""Descriptions of servers, and docstrings made from them."""

from __future__ import annotations

import re

from mcpgen.codegen import escaping


def words(text: str) -> str:
    # A line may break after CJK punctuation, without a space.
    return re.sub(
        r"(?<=[\u3001-\u30ff\uff01-\uff1f]) ",
        "",
        " ".join(escaping.visible(text.expandtabs(4)).split()),
    )
