"""The resources that the official conformance suite expects of a server."""

from __future__ import annotations

import base64
import json

from ._generated import ConformanceResources, Context, ResourceOutput
from .tools import PNG


class Resources(ConformanceResources):
    """The resources of the server."""

    async def static_text(self, context: Context) -> ResourceOutput:
        return "This is the content of the static text resource."

    async def static_binary(self, context: Context) -> ResourceOutput:
        return base64.b64decode(PNG)

    async def watched(self, context: Context) -> ResourceOutput:
        return "Watched."

    async def data(self, context: Context, *, id: str) -> ResourceOutput:
        data = {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}
        return json.dumps(data)
