"""Says about how many tokens a text is to a model, without the tokenizer of any."""

from __future__ import annotations

import re

_PIECES = re.compile(r"[A-Za-z]+|\d{1,3}|[^\sA-Za-z0-9]+")
_TOKENS_A_PIECE = 1 / 0.95


def about(text: str) -> int:
    """Return about how many tokens o200k makes of a text; half of them are within 4 %."""
    return round(len(_PIECES.findall(text)) * _TOKENS_A_PIECE)


def rounded(tokens: int) -> str:
    """Write a number of tokens with as many digits as it is sure of."""
    step = 10 ** max(0, len(str(tokens)) - 2)
    return f"{round(tokens / step) * step:,}"
