"""Decides whether a live tool can be called and read as the contract says.

What was recorded is compared with what the server lists now. A difference is harmless
where a few rules prove it; whatever they do not prove counts as a change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from .redacted_json import is_same
from .subset import DiffersError, Side, prove

_CLAIMS = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}
"""What each hint says where it claims that a call does less harm."""
_WITHOUT_MEANING = {*_CLAIMS, "title"}


@dataclass(frozen=True)
class Verdict:
    """How a live tool differs in a way that may do harm; ``differences`` say where.

    ``is_opened`` says that it has arguments that the contract allowed without naming
    them, so that those of a call have to be checked by the live schema.
    """

    differences: tuple[str, ...] = ()
    is_opened: bool = False


def judge(recorded: Mapping[str, Any], live: Mapping[str, Any]) -> Verdict:
    """Compare the definition of a tool in the contract with the live one."""
    differences: list[str] = []
    is_opened = False
    for side in (Side.INPUT, Side.OUTPUT):
        was, now = recorded.get(side.value), live.get(side.value)
        if is_same(was, now) or (side is Side.OUTPUT and was is None):
            continue
        if not (isinstance(was, dict) and isinstance(now, dict)):
            differences.append(f"{side.value} differs")
            continue
        try:
            is_opened |= prove(cast("Any", was), cast("Any", now), side)
        except DiffersError as error:
            differences.append(f"{side.value} differs at {error}")
    if _is_riskier(_object(recorded, "annotations"), _object(live, "annotations")):
        differences.append("annotations differ")
    if _needs_task(live) and not _needs_task(recorded):
        differences.append("it must be called as a task")
    return Verdict(tuple(differences), is_opened)


def _is_riskier(recorded: dict[str, Any], live: dict[str, Any]) -> bool:
    """Say whether a claim that callers may rely on is gone, or something is new."""
    lost = any(
        recorded.get(hint) is claim and live.get(hint) is not claim
        for hint, claim in _CLAIMS.items()
    )
    contradicted = (
        live.get("destructiveHint") is True
        and recorded.get("destructiveHint") is not True
        and recorded.get("readOnlyHint") is True
    )
    others = (
        {name: value for name, value in claims.items() if name not in _WITHOUT_MEANING}
        for claims in (recorded, live)
    )
    return lost or contradicted or not is_same(*others)


def _needs_task(tool: Mapping[str, Any]) -> bool:
    return _object(tool, "execution").get("taskSupport") == "required"


def _object(tool: Mapping[str, Any], member: str) -> dict[str, Any]:
    value = tool.get(member)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
