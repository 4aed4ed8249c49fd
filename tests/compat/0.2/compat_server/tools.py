"""The tools of the server. This file is yours: mcpgen does not change it."""

from __future__ import annotations

from typing_extensions import override

from ._generated import CompatServerTools, Context, ToolOutput
from ._generated.models.add_note import AddNoteInput, AddNoteOutput
from ._generated.models.draw import DrawInput
from ._generated.models.list_titles import ListTitlesInput, ListTitlesOutput


class Tools(CompatServerTools):
    """How the server answers."""

    @override
    async def add_note(
        self, arguments: AddNoteInput, context: Context
    ) -> AddNoteOutput:
        """Keep a text under a title.

        On the wire: "add-note".

        Hints to clients: changes things, additive only.
        """
        raise NotImplementedError

    @override
    async def draw(self, arguments: DrawInput, context: Context) -> ToolOutput:
        """Call the tool "draw"."""
        raise NotImplementedError

    @override
    async def list_titles(
        self, arguments: ListTitlesInput, context: Context
    ) -> ListTitlesOutput:
        """List all titles.

        Hints to clients: read-only.
        """
        raise NotImplementedError
