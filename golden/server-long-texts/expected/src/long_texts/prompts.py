"""The prompts of the server. This file is yours: mcpgen does not change it."""

from __future__ import annotations

from typing_extensions import override

from ._generated import Context, LongTextsPrompts, PromptOutput


class Prompts(LongTextsPrompts):
    """How the server answers."""

    @override
    async def explain(
        self, context: Context, *, what: str, how: str | None = None
    ) -> PromptOutput:
        """# Heading

        Some prose before a list that is wrapped.

        - one item that is long enough to be folded here because it has many, many words
          in it
        - two, wrapped by its author
          - nested
        1. first
        2. second

        | name | meaning |
        |------|---------|
        | a    | the first letter of the alphabet, which is a long thing to say in a
        table cell |

        > A quote.

        ```json
        {"query":   "two  spaces stay",

         "limit": 3}
        ```

        Returns: a list of things.
        Args:
            first: What comes first, which is said with enough words that they have to
                be folded.
            second: What comes second.
        Note:
            Indented text
            stays.

        Keyword Args:
            what: This first sentence goes on and on about what the tool does, and then
                about what it does besides, and then about what it does besides, and
                then about what it does besides, and then about what it does besides,
                and then about what it does besides, and then about what it does
                besides, before it ends.
        """
        raise NotImplementedError
