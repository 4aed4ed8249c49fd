"""The resources of the server. This file is yours: mcpgen does not change it."""

from __future__ import annotations

from typing_extensions import override

from ._generated import CompatServerResources, Context, ResourceOutput


class Resources(CompatServerResources):
    """How the server answers."""

    @override
    async def all_notes(self, context: Context) -> ResourceOutput:
        """all notes

        URI: notes://all
        MIME type: text/plain
        """
        raise NotImplementedError

    @override
    async def by_author(
        self, context: Context, *, author: str, tag: str | None = None
    ) -> ResourceOutput:
        """The notes of one author.

        URI: notes://by/{author}{?tag}
        """
        raise NotImplementedError
