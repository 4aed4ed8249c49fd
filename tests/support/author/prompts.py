"""The prompts of the demo's contract, as an author writes them."""

from __future__ import annotations

from ._generated import BookshelfPrompts, Context, PromptAnswer


class Prompts(BookshelfPrompts):
    """How the server answers."""

    async def recommend(
        self, context: Context, *, genre: str, mood: str | None = None
    ) -> PromptAnswer:
        """Return a text."""
        return f"Recommend {genre} for someone {mood}."

    async def welcome(self, context: Context) -> PromptAnswer:
        """Fail."""
        raise RuntimeError("a secret")
