"""Types of optional properties, and of properties that can't have a value."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import is_
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar

from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema
from typing_extensions import Never

T = TypeVar("T")


class _NotNull:
    """Rejects null during validation, although an absent property reads as ``None``."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema = handler(source)
        return schema["schema"] if schema["type"] == "nullable" else schema


_is_absent: Callable[[object], bool] = partial(is_, None)  # called for each property


Maybe: TypeAlias = Annotated[T | None, _NotNull(), Field(exclude_if=_is_absent)]
"""A property that may be absent and then reads as ``None``, but can't be null."""


class _ForbiddenProperty:
    """Marks a property that allows no value."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        del source, handler
        return core_schema.no_info_plain_validator_function(self._refuse)

    @staticmethod
    def _refuse(value: object) -> object:
        del value
        raise ValueError("no value is allowed here")


if TYPE_CHECKING:
    Nothing: TypeAlias = Never
else:
    Nothing = Annotated[Any, _ForbiddenProperty()]
