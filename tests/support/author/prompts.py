"""The prompts of the demo's contract as user code."""

from __future__ import annotations

from ._generated import BookshelfPrompts, Context, PromptOutput


class Prompts(BookshelfPrompts):
    """The prompts of the server."""

    async def recommend(
        self, context: Context, *, genre: str, mood: str | None = None
    ) -> PromptOutput:
        """Return a text."""
        return f"Recommend {genre} for someone {mood}."

    async def welcome(self, context: Context) -> PromptOutput:
        """Fail."""
        raise RuntimeError("a secret")
