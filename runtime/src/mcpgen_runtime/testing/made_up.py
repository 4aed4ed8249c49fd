"""Deterministic results that the contract allows.

Values that the schema suggests come first. Several variants, with and without optional
properties, are tried until one satisfies the whole schema.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ..models.content import AnyResult
from ..package import Package
from ..problem import Problem
from ..validation.schemas import problems, problems_in
from .errors import InvalidFake
from .maker import Maker
from .observed import observed_schema
from .results import (
    check_result,
    mime_type,
    prompt_result,
    resource_of,
    resource_result,
    structured_result,
    tool_result,
)
from .scalars import ImpossibleError

if TYPE_CHECKING:
    from .calls import FakeCall

_TRIES = 8
_BINARY = ("image/", "audio/", "video/", "application/octet-stream")
_PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c02"
    "0000000b4944415478da6364f8cf500f0003860180"
    "5a34e97b0000000049454e44ae426082"
)
"""An image of one pixel, for binary content."""


def made_up_result(call: FakeCall[Any]) -> AnyResult:
    """Generate the result of a call from the contract."""
    if call.kind == "tool":
        return _tool_result(call.package, call.name)
    if call.kind == "prompt":
        prompts: dict[str, Any] = call.package.contract.get("prompts") or {}
        raw: dict[str, Any] = prompts.get(call.name) or {}
        lines = [str(raw.get("description") or raw.get("title") or call.name)]
        lines += [f"{name}: {value}" for name, value in call.sent.items()]
        return prompt_result(call.name, "\n".join(lines))
    mime = mime_type(call.package, call.name) or "text/plain"
    if mime.startswith(_BINARY):
        return resource_result(call.package, call.name, _PIXEL)
    if mime.endswith("json"):
        return resource_result(call.package, call.name, {"uri": call.name})
    text = resource_of(call.package, call.name).get("description") or call.name
    return resource_result(call.package, call.name, str(text))


def _tool_result(package: Package, name: str) -> AnyResult:
    tool = package.tool(name)
    if tool.result is None:
        return tool_result(package, name, f"made-up result of {name}")
    if tool.observed is not None:
        observed: Any = observed_schema(tool)
        return tool_result(package, name, _made_up(name, observed, partial(problems_in, observed)))
    schema: Any = tool.info.definition["outputSchema"]
    value = _made_up(name, schema, partial(problems, tool, "outputSchema"))
    result = structured_result(value)
    check_result(tool, result)
    return result


def _made_up(tool: str, schema: Any, judge: Callable[[Any], list[Problem]]) -> Any:
    problem_list: list[Problem] = []
    for attempt in range(_TRIES):
        maker = Maker(schema, attempt // 2, is_full=attempt % 2 == 0)
        try:
            value = maker.value(schema, "", 0)
        except ImpossibleError as error:
            problem_list = problem_list or [Problem("", str(error))]
            continue
        broken = judge(value)
        if not broken:
            return value
        problem_list = problem_list or broken
    reason = "no result can be generated for it: write a rule that returns one"
    raise InvalidFake(tool, [Problem("", reason), *problem_list])
