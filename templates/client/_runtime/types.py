"""The types of JSON that Python lacks: strict numbers, objects, faithful formats."""

from __future__ import annotations

import dataclasses
import math
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar, cast
from uuid import UUID

from pydantic import (
    AnyUrl,
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    SerializerFunctionWrapHandler,
    Strict,
    TypeAdapter,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_serializer,
)
from pydantic_core import CoreSchema, core_schema, to_jsonable_python
from typing_extensions import Never

T = TypeVar("T")

OPEN = ConfigDict(extra="allow", validate_by_name=True, validate_by_alias=True)
"""Of an object that may have members without a name in its schema; they are kept."""

CLOSED = ConfigDict(extra="forbid", validate_by_name=True, validate_by_alias=True)
"""Of an object that may not."""


class Closed:
    """Base of a dataclass that has no unknown members."""

    __slots__ = ("_raw",)


class Open:
    """Base of a dataclass whose unknown members are kept, and written out again."""

    __slots__ = ("_raw",)

    @model_serializer(mode="wrap")
    def _with_extras(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        known: dict[str, Any] = handler(self)
        return extras(self) | known


class OpenModel(BaseModel):
    """Base of a model whose unknown members are kept."""

    model_config = OPEN


class ClosedModel(BaseModel):
    """Base of a model that has no unknown members."""

    model_config = CLOSED


def extras(value: object) -> dict[str, Any]:
    """Return the members of an open object that its schema does not name."""
    if isinstance(value, BaseModel):
        return dict(value.model_extra or {})
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        raise TypeError(f"{type(value).__name__} is no object of this package")
    fields = {field.name for field in dataclasses.fields(value)}
    return {name: member for name, member in vars(value).items() if name not in fields}


def raw_json(value: object) -> Any:
    """Return the JSON that a result was made of, as the server sent it.

    Only a whole result, or an item of one that is a list or map, knows it; a part
    deeper inside raises ``LookupError``.
    """
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if isinstance(value, list):
        return [raw_json(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        return {
            key: raw_json(item)
            for key, item in cast("dict[str, object]", value).items()
        }
    if not isinstance(value, Open | Closed):
        return to_jsonable_python(value)
    try:
        return object.__getattribute__(value, "_raw")
    except AttributeError:
        raise LookupError(
            f"this {type(value).__name__} is not the whole result"
        ) from None


def remember(value: object, raw: Any) -> None:
    """Keep the JSON of a result beside it, for :func:`raw_json`."""
    if isinstance(value, Open | Closed):
        object.__setattr__(value, "_raw", raw)
    elif isinstance(value, list):
        for item, part in zip(cast("list[object]", value), raw, strict=True):
            remember(item, part)
    elif isinstance(value, dict):
        for key, item in cast("dict[str, object]", value).items():
            remember(item, raw[key])


_BOUNDS = ("ge", "gt", "le", "lt", "multiple_of")

# The bounds of a number, as the whole numbers within them see them.
_ROUNDED = {"ge": math.ceil, "gt": math.floor, "le": math.floor, "lt": math.ceil}


def _bounds(source: Any, handler: GetCoreSchemaHandler) -> dict[str, Any]:
    inner = cast("dict[str, Any]", handler(source))
    return {name: inner[name] for name in _BOUNDS if name in inner}


class Whole:
    """Marks an integer of JSON: ``2.0`` is one and stays as it is, ``True`` and ``"2"``
    are not.
    """

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Accept what JSON Schema calls an integer, within the bounds beside it."""
        bounds = _bounds(source, handler)
        step = bounds.pop("multiple_of", 1)
        whole = core_schema.float_schema(
            strict=True, allow_inf_nan=False, multiple_of=step, **bounds
        )
        integer = core_schema.int_schema(strict=True, multiple_of=step, **bounds)
        return core_schema.union_schema([integer, whole], mode="left_to_right")


class Numeric:
    """Marks a number of JSON: ``2`` stays an ``int``; ``True`` and ``"2"`` are no
    numbers.
    """

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Accept integers and finite floats, within the bounds that stand beside."""
        bounds = _bounds(source, handler)
        whole = {name: _ROUNDED[name](bound) for name, bound in bounds.items()}
        number = core_schema.float_schema(strict=True, allow_inf_nan=False, **bounds)
        integer = core_schema.int_schema(strict=True, **whole)
        return core_schema.union_schema([integer, number], mode="left_to_right")


class _NotNull:
    """Undoes ``None`` for the validator: an absent member reads as ``None``, but null
    is refused.
    """

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema = handler(source)
        return schema["schema"] if schema["type"] == "nullable" else schema


Maybe: TypeAlias = Annotated[T | None, _NotNull()]
"""A member that may be absent, and then reads as ``None``, but is never null."""

Integer: TypeAlias = Annotated[int, Whole()]
Number: TypeAlias = Annotated[float, Numeric()]
Boolean: TypeAlias = Annotated[bool, Strict()]


class _Refused:
    """Marks a member that no value is allowed for."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        del source, handler
        return core_schema.no_info_plain_validator_function(self._refuse)

    @staticmethod
    def _refuse(value: object) -> object:
        raise ValueError(f"no value is allowed here, not even {value!r:.40}")


def _faithful(kind: Any) -> WrapValidator:
    """Parse a text only where dumping gives it back; else it stays a text."""
    adapter: TypeAdapter[Any] | None = None

    def parse(value: object, _: ValidatorFunctionWrapHandler) -> object:
        nonlocal adapter
        if isinstance(value, kind):
            return value
        if not isinstance(value, str):
            raise ValueError("Input should be a valid string")
        adapter = adapter or TypeAdapter(kind)
        try:
            parsed: object = adapter.validate_python(value)
        except ValueError:
            return value
        return parsed if to_jsonable_python(parsed) == value else value

    return WrapValidator(parse)


if TYPE_CHECKING:
    Nothing: TypeAlias = Never
    Date: TypeAlias = date | str
    DateTime: TypeAlias = datetime | str
    Uuid: TypeAlias = UUID | str
    Uri: TypeAlias = AnyUrl | str
else:
    # A format is no assertion: a text in another form is still valid.
    Nothing = Annotated[Any, _Refused()]
    Date = Annotated[Any, _faithful(date)]
    DateTime = Annotated[Any, _faithful(datetime)]
    Uuid = Annotated[Any, _faithful(UUID)]
    Uri = Annotated[Any, _faithful(AnyUrl)]
