"""Asks the ``confirm`` hook before a call that may do harm, or before every one."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from .contract import ToolInfo, ToolInfos
from .errors import NotConfirmed
from .response import unrecorded
from .tool import Tool

Confirm: TypeAlias = Callable[[ToolInfo, Mapping[str, Any]], "bool | Awaitable[bool]"]
"""Is asked before a call, with tool and arguments; may be ``async``."""

ConfirmWhen: TypeAlias = Literal["risky", "always"]
"""Before calls of tools that are not known to be harmless, or before all."""

_WHEN = ("risky", "always")


@dataclass(frozen=True)
class Confirmation:
    """Whom to ask, and whether also about tools that are said to be harmless."""

    ask: Confirm | None
    is_always: bool

    @classmethod
    def of(cls, ask: Confirm | None, when: ConfirmWhen) -> Confirmation:
        """Read the options; ``ValueError`` for a time that is none."""
        if when not in _WHEN:
            raise ValueError(f"confirm_when is one of {_WHEN}, not {when!r}")
        return cls(ask, when == "always")

    async def require(self, tool: Tool[Any], wire: Mapping[str, Any]) -> None:
        """Raise ``NotConfirmed`` unless the call may be made."""
        if self.ask is None:
            return
        info = ToolInfos()[tool.name]
        if info.is_harmless and not self.is_always:
            return
        with unrecorded():
            answer = self.ask(info, copy.deepcopy(wire))
            if inspect.isawaitable(answer):
                answer = await answer
        if answer is not True:
            raise NotConfirmed(tool.name, wire)
