"""Decision whether the contract is still valid for a live tool.

The recorded definition is compared with the live one. A difference counts as a change
unless one of a few rules proves that it is harmless.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from .redacted_json import matches_recorded
from .subset import DiffersError, Direction, prove

_CLAIMS = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}
"""The value of each hint that claims a harmless call."""
_WITHOUT_MEANING = {*_CLAIMS, "title"}


@dataclass(frozen=True)
class Verdict:
    """The harmful differences of a live tool. ``differences`` has their JSON pointers.

    ``is_opened`` is True if the tool has new arguments that the contract allows without
    naming them. The live schema must then validate such arguments.
    """

    differences: tuple[str, ...] = ()
    is_opened: bool = False


def judge(recorded: Mapping[str, Any], live: Mapping[str, Any]) -> Verdict:
    """Compare the definition of a tool in the contract with the live one."""
    differences: list[str] = []
    is_opened = False
    for direction in (Direction.INPUT, Direction.OUTPUT):
        was, now = recorded.get(direction.value), live.get(direction.value)
        if matches_recorded(was, now) or (direction is Direction.OUTPUT and was is None):
            continue
        if not (isinstance(was, dict) and isinstance(now, dict)):
            differences.append(f"{direction.value} differs")
            continue
        try:
            is_opened |= prove(cast("Any", was), cast("Any", now), direction)
        except DiffersError as error:
            differences.append(f"{direction.value} differs at {error}")
    if _is_riskier(_object(recorded, "annotations"), _object(live, "annotations")):
        differences.append("annotations differ")
    if _needs_task(live) and not _needs_task(recorded):
        differences.append("it must be called as a task")
    return Verdict(tuple(differences), is_opened)


def _is_riskier(recorded: dict[str, Any], live: dict[str, Any]) -> bool:
    """Return True if the live tool lacks an annotation that callers rely on."""
    is_narrower = any(
        recorded.get(hint) is claim and live.get(hint) is not claim
        for hint, claim in _CLAIMS.items()
    )
    contradicted = (
        live.get("destructiveHint") is True
        and recorded.get("destructiveHint") is not True
        and recorded.get("readOnlyHint") is True
    )
    other_checks = (
        {name: value for name, value in claims.items() if name not in _WITHOUT_MEANING}
        for claims in (recorded, live)
    )
    return is_narrower or contradicted or not matches_recorded(*other_checks)


def _needs_task(tool: Mapping[str, Any]) -> bool:
    return _object(tool, "execution").get("taskSupport") == "required"


def _object(tool: Mapping[str, Any], member: str) -> dict[str, Any]:
    value = tool.get(member)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
