"""The prompts of the demo's contract, all of them implemented."""

from __future__ import annotations

from ._generated import BookshelfPrompts, Context, PromptOutput


class Prompts(BookshelfPrompts):
    """The prompts of the server."""

    async def recommend(
        self, context: Context, *, genre: str, mood: str | None = None
    ) -> PromptOutput:
        """Return a text."""
        return f"Recommend {genre} for someone {mood or 'in any mood'}."

    async def welcome(self, context: Context) -> PromptOutput:
        """Return a text."""
        return "Welcome to the library."
