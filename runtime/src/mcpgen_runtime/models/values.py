"""Conversion of arguments to JSON and of results to Python, both validated."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import MISSING, TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from ..abbreviate import value as shown
from ..errors import ClientError, InvalidArguments, InvalidResult, ToolError
from ..jsonpointer import append_step
from ..package import Tool
from ..problem import Problem, pointer_in, problems_of
from ..redaction.credentials import CREDENTIALS
from .formats import INVALID_FORMAT, ParsedDateTime, text_of
from .raw import remember
from .results import ToolResult, has_structured_content, parse_json

if TYPE_CHECKING:
    from mcp.types import CallToolResult

    from ..options import Unexpected
    from ..validation.schemas import Side

T = TypeVar("T")


def encode_arguments(tool: Tool[Any], arguments: Mapping[str, object]) -> dict[str, Any]:
    """Convert arguments to JSON that satisfies the input schema. Absent ones aren't sent."""
    try:
        wire = to_wire(arguments)
    except (ValueError, RecursionError) as error:
        reason = f"not JSON: {error}"
        if isinstance(error, RecursionError) or "depth" in str(error):
            reason = "nested too deeply: at most 250 levels can be sent"
        raise InvalidArguments(tool.name, [Problem("", reason)]) from None
    if tool.arguments is None:
        return wire
    if tool.exact_arguments and _is_accepted(tool.arguments.validator.validate_python, wire):
        return wire
    if problems := _problems(tool, "inputSchema", wire):
        raise InvalidArguments(tool.name, problems)
    return wire


def to_wire(values: Mapping[str, object]) -> dict[str, Any]:
    """Convert values to JSON without absent ones.

    Raises:
        ValueError: A value has no JSON form.
    """
    present: dict[str, Any] = {}
    is_json = True
    for name, value in values.items():
        if value is not MISSING:
            present[name] = text_of(value) if isinstance(value, ParsedDateTime) else value
            is_json = is_json and _is_plain(value)
    if is_json:
        return present
    wire: dict[str, Any] = to_jsonable_python(present, by_alias=True, fallback=_container)
    _ENCODER.encode(wire).encode()
    return wire


def _is_plain(value: object) -> bool:
    """Return True for frequent values that need no conversion to JSON."""
    kind = type(value)
    if kind is str:
        return cast("str", value).isascii()
    return kind is bool or (kind is int and -_MAX_PLAIN < cast("int", value) < _MAX_PLAIN)


_MAX_PLAIN = 2**63
_ENCODER = json.JSONEncoder(allow_nan=False, ensure_ascii=False)


def _container(value: object) -> object:
    """Convert any other sequence to a list, any other mapping to a dict."""
    if isinstance(value, Mapping):
        return dict(cast("Mapping[object, object]", value))
    if isinstance(value, Sequence):
        return list(cast("Sequence[object]", value))
    raise ValueError(f"{type(value).__name__} isn't one of its types")


def _is_accepted(validate: Callable[..., object], value: object) -> bool:
    try:
        validate(value, by_alias=True, by_name=False)
    except ValidationError:
        return False
    return True


def decode_result(tool: Tool[T], result: CallToolResult, unexpected: Unexpected = "warn") -> T:
    """Convert structured content to its type. The schema validates results whose type is inexact.

    Every flaw of a result raises one of our errors. ``unexpected`` decides what happens to
    a result that only differs from the observed type.
    """
    if result.is_error:
        raise ToolError(tool.name, result)
    if tool.observed is not None:
        from .observed import decode_observed

        if tool.promises:
            require_promised(tool, result)
        return decode_observed(tool, result, unexpected)
    if tool.result is None:
        return cast("T", ToolResult(result, tool.name))
    try:
        return _type_result(tool, tool.result, result)
    except ClientError:
        raise
    except (ValueError, ArithmeticError, RecursionError) as error:
        reason = f"it cannot be read: {error}"
        raise InvalidResult(tool.name, [Problem("", reason)], result) from None


def require_promised(tool: Tool[Any], result: CallToolResult) -> None:
    """Raise if a result violates its output schema."""
    try:
        _validate(tool, _structured_content(tool, result), result)
    except ClientError:
        raise
    except (ValueError, ArithmeticError, RecursionError) as error:
        reason = f"it cannot be read: {error}"
        raise InvalidResult(tool.name, [Problem("", reason)], result) from None


def _type_result(tool: Tool[T], kind: TypeAdapter[T], result: CallToolResult) -> T:
    raw = _structured_content(tool, result)
    if not tool.exact_result or (tool.unwrap and not _is_wrapped(raw)):
        _validate(tool, raw, result)
    value = _unwrap(raw) if tool.unwrap else raw
    refusal: ValidationError
    try:
        typed: T = kind.validator.validate_python(value, by_alias=True, by_name=False)
    except ValidationError as error:
        refusal = error
    else:
        if tool.plain:
            return cast("T", value)
        remember(typed, value)
        return typed
    # Outside of the handler: a traceback would quote the value, which may hold secrets.
    if problems := _not_json(raw):
        raise InvalidResult(tool.name, problems, result)
    _validate(tool, raw, result)
    if broken := _broken_formats(refusal, value):
        raise InvalidResult(tool.name, broken, result)
    if not tool.plain:
        warning = "%s: valid by the schema but not by the type, so it stays JSON: %s"
        problem = CREDENTIALS.hide(str(problems_of(refusal)[0]))
        tool.owner.logger().warning(warning, tool.name, problem)
    return cast("T", value)


def _broken_formats(error: ValidationError, value: object) -> list[Problem]:
    """Return the strings with a format that the schema allows, but the type can't represent."""
    hint = 'formats = "annotation" makes the member a string'
    return [
        Problem(
            pointer_in(detail["loc"], value),
            f"{detail['msg']}: {shown(detail['input'])}; {hint}",
        )
        for detail in error.errors(include_url=False, include_context=False)
        if detail["type"] == INVALID_FORMAT
    ]


def _is_wrapped(raw: object) -> bool:
    return isinstance(raw, dict) and "result" in raw


def _unwrap(raw: object) -> object:
    if isinstance(raw, dict):
        members = cast("dict[str, object]", raw)
        return members.get("result", members)
    return raw


def _problems(tool: Tool[Any], direction: Side, value: object) -> list[Problem]:
    """Return the violations of a schema in a value. Exact types usually make this unnecessary."""
    from ..validation import schemas as validation

    return validation.problems(tool, direction, value)


def _validate(tool: Tool[Any], raw: object, result: CallToolResult) -> None:
    from ..validation import schemas as validation

    problems = validation.quick_problems(tool, "outputSchema", raw)
    if problems is None:
        problems = _not_json(raw) or validation.problems_by_jsonschema(tool, "outputSchema", raw)
    if problems:
        raise InvalidResult(tool.name, problems, result)


def _not_json(raw: object) -> list[Problem]:
    """Return values that the SDK accepts although they aren't JSON: NaN, lone surrogates."""
    waiting: list[tuple[str, object]] = [("", raw)]
    while waiting:
        at, value = waiting.pop()
        if isinstance(value, float) and math.isnan(value):
            return [Problem(at, "NaN is not a JSON number")]
        if isinstance(value, str) and not _is_text(value):
            return [Problem(at, "a lone surrogate isn't a character")]
        if isinstance(value, dict):
            members = cast("dict[str, object]", value)
            if not all(map(_is_text, members)):
                return [Problem(at, "a lone surrogate isn't a character")]
            waiting += [(append_step(at, key), inner) for key, inner in members.items()]
        elif isinstance(value, list):
            items = cast("list[object]", value)
            waiting += [(append_step(at, n), inner) for n, inner in enumerate(items)]
    return []


def _is_text(value: str) -> bool:
    return value.isascii() or _HALF.search(value) is None


_HALF = re.compile("[\ud800-\udfff]")


def _structured_content(tool: Tool[Any], result: CallToolResult) -> Any:
    """Return the structured content, which some servers send only as text."""
    if has_structured_content(result):
        return result.structured_content
    texts = [block.text for block in result.content if block.type == "text"]
    if len(texts) != 1:
        raise InvalidResult(tool.name, [Problem("", "there is no structured content")], result)
    readings = list(_readings(texts[0], tool))
    valid = (value for value in readings if not _problems(tool, "outputSchema", value))
    return next(valid, readings[0])


def _readings(text: str, tool: Tool[Any]) -> Iterator[object]:
    """Yield the possible interpretations of a text: JSON or a string, plain or wrapped."""
    try:
        readings: list[object] = [parse_json(text), text]
    except ValueError:
        readings = [text]
    yield from readings
    if tool.unwrap:
        yield from ({"result": value} for value in readings)
