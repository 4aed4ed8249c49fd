"""Conversion of results to observed types, which no server guarantees.

So nothing is rejected: a part that doesn't fit stays JSON.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Hashable, Iterator, Mapping
from functools import cache
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
)

from pydantic import BaseModel, TypeAdapter, ValidationError
from typing_extensions import TypeAliasType

from ..errors import UnexpectedResult
from ..package import Tool
from ..problem import Problem, pointer_in
from ..tool import Source
from . import content
from .absent import may_be_absent
from .objects import DataclassBase, Open
from .raw import remember
from .results import has_structured_content, parse_json

if TYPE_CHECKING:
    from mcp.types import CallToolResult
    from pydantic.fields import FieldInfo

    from ..options import Unexpected
    from ..package import Package

T = TypeVar("T")

_WRAPPER = "result"
_UNFIT = (ValueError, ArithmeticError, RuntimeError, NameError, TypeError)
"""Exceptions for a value that doesn't fit, or a type that can't be used."""


def decode_observed(tool: Tool[T], result: CallToolResult, unexpected: Unexpected) -> T:
    """Convert a result to its observed type. Parts that don't fit stay JSON."""
    if tool.result is None:
        data, problems = _text(result)
    else:
        readings = list(_readings(tool.observed, result))
        data, problems = _type_reading(tool.result, readings, is_plain=tool.plain)
    if problems and unexpected != "ignore":
        answer = UnexpectedResult(tool.name, problems, data, result)
        if unexpected == "error":
            raise answer
        _warn(answer, tool.owner)
    return cast("T", data)


def _text(result: CallToolResult) -> tuple[str, list[Problem]]:
    """Return the text of a result that should be text."""
    wrapped = _unwrap(result.structured_content)
    if isinstance(wrapped, str):
        return wrapped, []
    text = content.text(result)
    if [block.type for block in result.content] == ["text"]:
        return text, []
    return text, [Problem("", "it is not one text")]


def _readings(source: Source | None, result: CallToolResult) -> Iterator[object]:
    """Yield the possible interpretations of a result, the observed one first."""
    if has_structured_content(result):
        value: object = result.structured_content
        inner = _unwrap(value)
        inner_json = _json(inner)
        if source == "json in result":
            yield inner_json
        yield from (inner, value, inner_json)
        return
    texts = [block.text for block in result.content if block.type == "text"]
    if len(texts) != len(result.content):
        yield content.text(result)
    elif source == "json blocks":
        yield [_json(text) for text in texts]
    elif len(texts) == 1:
        yield _json(texts[0])
    else:
        yield content.text(result)


def _unwrap(value: object) -> object:
    if not isinstance(value, dict):
        return value
    members = cast("dict[str, object]", value)
    return members[_WRAPPER] if list(members) == [_WRAPPER] else members


def _json(value: object) -> object:
    """Parse a string as JSON. Anything else is returned unchanged."""
    try:
        return parse_json(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _type_reading(
    kind: TypeAdapter[Any], readings: list[object], *, is_plain: bool
) -> tuple[Any, list[Problem]]:
    """Return the first interpretation that fits, or convert the first one partly, with problems."""
    problems: list[Problem] = []
    for value in readings:
        try:
            typed = kind.validate_python(value, by_alias=True, by_name=False)
        except ValidationError as error:
            problems = problems or _problems(error, value)
        except _UNFIT as error:
            problems = problems or [Problem("", f"it cannot be read: {error}")]
        else:
            return _remember_json(typed, value, is_plain=is_plain), []
    value = readings[0]
    type_of_it = getattr(kind, "_type", None)
    part = value if is_plain else _as_far_as_it_fits(type_of_it, value)
    return _remember_json(part, value, is_plain=is_plain), problems


def _problems(error: ValidationError, value: object) -> list[Problem]:
    """Return the positions at which a value fits none of the observed types."""
    messages: dict[str, list[str]] = {}
    for item in error.errors(include_url=False, include_input=False, include_context=False):
        pointer = pointer_in(item["loc"], value, is_absent=item["type"] == "missing")
        messages.setdefault(pointer, []).append(item["msg"])
    listed = list(messages.items())[:_MOST_PROBLEMS]
    return [
        Problem(
            at,
            texts[0] if len(texts) == 1 else "its type differs from the observed one",
        )
        for at, texts in listed
    ]


_MOST_PROBLEMS = 5


def _remember_json(typed: Any, value: object, *, is_plain: bool) -> Any:
    if is_plain:
        return value
    remember(typed, value)
    return typed


def _as_far_as_it_fits(kind: Any, value: object) -> Any:
    """Convert JSON to a type, and leave the parts that don't fit as JSON."""
    if not isinstance(value, dict | list):
        return value
    for alternative in _alternatives(kind):
        if isinstance(value, list) and get_origin(alternative) is list:
            (item,) = get_args(alternative)
            return [_part(item, inner) for inner in cast("list[object]", value)]
        if isinstance(value, dict):
            members = cast("dict[str, object]", value)
            if get_origin(alternative) is dict:
                inner = get_args(alternative)[1]
                return {name: _part(inner, member) for name, member in members.items()}
            if isinstance(alternative, type) and issubclass(alternative, DataclassBase | BaseModel):
                return _object(alternative, members)
    return cast("object", value)


def _part(kind: Any, value: object) -> Any:
    try:
        return _adapter(kind).validate_python(value, by_alias=True, by_name=False)
    except _UNFIT:
        return _as_far_as_it_fits(kind, value)


def _adapter(kind: Any) -> TypeAdapter[Any]:
    return _make_adapter(kind) if isinstance(kind, Hashable) else TypeAdapter(kind)


@cache
def _make_adapter(kind: Hashable) -> TypeAdapter[Any]:
    return TypeAdapter(cast("Any", kind))


def _alternatives(kind: Any) -> Iterator[Any]:
    """Yield the alternatives of a type, without validators."""
    if isinstance(kind, TypeAliasType):
        yield from _alternatives(kind.__value__)
    elif get_origin(kind) is Annotated:
        yield from _alternatives(get_args(kind)[0])
    elif get_origin(kind) in (Union, UnionType):
        for arg in get_args(kind):
            yield from _alternatives(arg)
    else:
        yield kind


def _object(kind: Any, members: Mapping[str, object]) -> Any:
    """Build an object from the given properties. Even required ones may be missing."""
    fields: dict[str, FieldInfo] = kind.__pydantic_fields__
    wire_names = {name: field.alias or name for name, field in fields.items()}
    named = set(wire_names.values())
    unnamed = {name: value for name, value in members.items() if name not in named}
    instance: object = object.__new__(kind)
    attributes = vars(instance)
    for name, wire in wire_names.items():
        if wire in members:
            kind_of_part = fields[name].rebuild_annotation()
            attributes[name] = _part(kind_of_part, members[wire])
        elif name not in may_be_absent(kind):
            attributes[name] = None
    if isinstance(instance, BaseModel):
        _set_state(instance, unnamed, members.keys() & named)
    elif isinstance(instance, Open):
        object.__setattr__(instance, "__pydantic_extra__", unnamed)
    return instance


def _set_state(model: BaseModel, unnamed: dict[str, object], set_fields: set[str]) -> None:
    """Set the state that Pydantic stores in addition to the fields of a model."""
    fields: dict[str, FieldInfo] = type(model).model_fields
    names = {name for name, field in fields.items() if (field.alias or name) in set_fields}
    object.__setattr__(model, "__pydantic_fields_set__", names)
    object.__setattr__(model, "__pydantic_extra__", unnamed)
    object.__setattr__(model, "__pydantic_private__", None)


_MOST_SAID = 1_000
_RUNTIME = __name__.removesuffix(".models.observed")
_warned: dict[str | tuple[str, type[Warning], int], int] = {}
"""The warnings that have been shown, as in a module's warning registry, but bounded."""


def _warn(answer: UnexpectedResult, package: Package) -> None:
    """Warn at the caller's line if it can be determined."""
    frame = inspect.currentframe()
    while frame and frame.f_back and _is_ours(frame.f_globals, package):
        frame = frame.f_back
    location = (frame.f_code.co_filename, frame.f_lineno) if frame else (_RUNTIME, 1)
    if len(_warned) > _MOST_SAID:
        _warned.clear()
    warnings.warn_explicit(answer, None, *location, registry=cast("Any", _warned))


def _is_ours(module: Mapping[str, Any], package: Package) -> bool:
    name = str(module.get("__name__"))
    return name.startswith((f"{_RUNTIME}.", f"{package.name}."))
