"""The resources of the server. This file is yours: mcpgen does not change it."""

from __future__ import annotations

from typing_extensions import override

from ._generated import Context, LongTextsResources, ResourceOutput


class Resources(LongTextsResources):
    """How the server answers."""

    @override
    async def long(self, context: Context) -> ResourceOutput:
        """Wrapped by its author at a narrow width, which nobody has to keep.

        A second paragraph. It has two sentences, the second of which is wrapped.

        URI:
        texts://long/long/long/long/long/long/long/long/long/long/long/long/long/long/long/long/long/long/long/long/
        MIME type: text/plain
        """
        raise NotImplementedError

    @override
    async def one(self, context: Context, *, id: str) -> ResourceOutput:
        """This first sentence goes on and on about what the tool does, and then about
        what it does besides, and then about what it does besides, and then about what
        it does besides, and then about what it does besides, and then about what it
        does besides, and then about what it does besides, before it ends.

        URI: texts://{id}
        """
        raise NotImplementedError
