"""The prompts of the server. This file is yours: mcpgen does not change it."""

from __future__ import annotations

from typing_extensions import override

from ._generated import CompatServerPrompts, Context, PromptOutput


class Prompts(CompatServerPrompts):
    """How the server answers."""

    @override
    async def summarize(
        self, context: Context, *, topic: str, context_: str | None = None
    ) -> PromptOutput:
        """Ask for a summary.

        Args:
            context_: What for. On the wire: "context".
        """
        raise NotImplementedError
