"""The tools of the server. This file is yours: mcpgen does not change it."""

from __future__ import annotations

from typing_extensions import override

from ._generated import Context, LongTextsTools, ToolOutput
from ._generated.models.all_hints import AllHintsInput
from ._generated.models.exact_76 import Exact76Input
from ._generated.models.exact_77 import Exact77Input
from ._generated.models.hard import HardInput
from ._generated.models.long_sentence import LongSentenceInput
from ._generated.models.markdown import MarkdownInput
from ._generated.models.nested import NestedInput, NestedOutput
from ._generated.models.quote_at_end import QuoteAtEndInput


class Tools(LongTextsTools):
    """How the server answers."""

    @override
    async def all_hints(self, arguments: AllHintsInput, context: Context) -> ToolOutput:
        """Says all hints.

        Hints to clients: changes things, additive only, not idempotent, closed world.
        """
        raise NotImplementedError

    @override
    async def exact_76(self, arguments: Exact76Input, context: Context) -> ToolOutput:
        """fits exactly on a line of its own fits exactly on a line of its own
        xxxxxxx."""
        raise NotImplementedError

    @override
    async def exact_77(self, arguments: Exact77Input, context: Context) -> ToolOutput:
        """fits exactly on a line of its own fits exactly on a line of its own fits
        xxx."""
        raise NotImplementedError

    @override
    async def hard(self, arguments: HardInput, context: Context) -> ToolOutput:
        """Read C:\\temp\\new, then \\\\server\\share and `\\`; JSON such as {"a": "",
        "b": {"c": [1, 2, \"\"\"three\"\"\"]}}  after a tab.
        """
        raise NotImplementedError

    @override
    async def long_sentence(
        self, arguments: LongSentenceInput, context: Context
    ) -> ToolOutput:
        """This first sentence goes on and on about what the tool does, and then about
        what it does besides, and then about what it does besides, and then about what
        it does besides, and then about what it does besides, and then about what it
        does besides, and then about what it does besides, before it ends.
        """
        raise NotImplementedError

    @override
    async def markdown(self, arguments: MarkdownInput, context: Context) -> ToolOutput:
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
        """
        raise NotImplementedError

    @override
    async def nested(self, arguments: NestedInput, context: Context) -> NestedOutput:
        """Take and return what has no texts."""
        raise NotImplementedError

    @override
    async def quote_at_end(
        self, arguments: QuoteAtEndInput, context: Context
    ) -> ToolOutput:
        """Say "hello" """
        raise NotImplementedError
