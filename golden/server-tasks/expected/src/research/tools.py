"""The tools of the server. This file is yours: mcpgen does not change it."""

from __future__ import annotations

from typing_extensions import override

from ._generated import Context, ResearchTools, ToolOutput
from ._generated.models.look_up import LookUpInput
from ._generated.models.survey import SurveyInput, SurveyOutput


class Tools(ResearchTools):
    """How the server answers."""

    @override
    async def look_up(self, arguments: LookUpInput, context: Context) -> ToolOutput:
        """Look up a word."""
        raise NotImplementedError

    @override
    async def survey(self, arguments: SurveyInput, context: Context) -> SurveyOutput:
        """Ask around, and sum it up."""
        raise NotImplementedError
