"""Runs the ``confirm`` hook before calls that may do harm, or before every call."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ..contract import ToolInfo
from ..errors import NotConfirmed
from ..models.response import suspend_recording
from ..package import Tool

Confirm: TypeAlias = Callable[[ToolInfo, Mapping[str, Any]], "bool | Awaitable[bool]"]
"""Called before a call, with the tool and its arguments. May be ``async``."""

ConfirmWhen: TypeAlias = Literal["risky", "always"]
"""``"risky"``: before every call except those of tools that a trusted server annotates as
harmless. ``"always"``: before every call.
"""

_WHEN = ("risky", "always")


@dataclass(frozen=True)
class Confirmation:
    """The ``confirm`` hook, and whether it runs for harmless tools too."""

    ask: Confirm | None
    is_always: bool

    @classmethod
    def from_options(cls, ask: Confirm | None, when: ConfirmWhen, *, trust: bool) -> Confirmation:
        """Read the options. Raises: ValueError: ``when`` is unknown."""
        if when not in _WHEN:
            raise ValueError(f"confirm_when is one of {_WHEN}, not {when!r}")
        if ask is not None:
            _refuse_signature(ask)
        return cls(ask, when == "always" or not trust)

    def is_due(self, info: ToolInfo) -> bool:
        """Return True if the hook is called before this tool."""
        return self.is_always or not info.is_harmless

    async def require(self, tool: Tool[Any], wire: Mapping[str, Any]) -> None:
        """Raise ``NotConfirmed`` unless the call may be made."""
        if self.ask is None:
            return
        info = tool.info
        if not self.is_due(info):
            return
        with suspend_recording():
            answer = self.ask(info, copy.deepcopy(wire))
            if inspect.isawaitable(answer):
                answer = await answer
        if answer is not True:
            raise NotConfirmed(tool.name, wire)


def _refuse_signature(ask: Confirm) -> None:
    """Raise ``TypeError`` for a hook that can't be called, before it is needed."""
    try:
        signature = inspect.signature(ask)
    except ValueError:  # some callables in C
        return
    try:
        signature.bind("tool", "arguments")
    except TypeError as error:
        problem = f"confirm is called with a tool and its arguments: {error}"
        raise TypeError(problem) from None
