"""Types of texts with a format, parsed only if writing gives the same text."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic_core import CoreSchema, core_schema, to_jsonable_python

if TYPE_CHECKING:
    from uuid import UUID

    from pydantic import AnyUrl, GetCoreSchemaHandler, TypeAdapter


class _Faithful:
    """Parses a text only where dumping gives it back; else it stays a text.

    An ``other`` kind is a subclass in Python alone.
    """

    def __init__(self, kind: Callable[[], Any], other: Any = ()) -> None:
        self._kind = kind
        self._other = other

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Accept texts of any form, and what they are parsed to."""
        kind, other = self._kind(), self._other
        adapter: TypeAdapter[Any] | None = None

        def parse(value: object, _: core_schema.ValidatorFunctionWrapHandler) -> object:
            nonlocal adapter
            if isinstance(value, kind) and not isinstance(value, other):
                return value
            if not isinstance(value, str):
                raise ValueError("Input should be a valid string")
            adapter = adapter or _adapter(kind)
            try:
                parsed: object = adapter.validate_python(value)
            except ValueError:
                return value
            return parsed if to_jsonable_python(parsed) == value else value

        return core_schema.no_info_wrap_validator_function(parse, handler(source))


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


# What these two load is heavier than the rest of a client.
def _uuid() -> Any:
    from uuid import UUID

    return UUID


def _url() -> Any:
    from pydantic import AnyUrl

    return AnyUrl


if TYPE_CHECKING:
    Date: TypeAlias = date | str
    DateTime: TypeAlias = datetime | str
    Uuid: TypeAlias = UUID | str
    Uri: TypeAlias = AnyUrl | str
else:
    # A format is no assertion: a text in another form is still valid.
    Date = Annotated[Any, _Faithful(lambda: date, datetime)]
    DateTime = Annotated[Any, _Faithful(lambda: datetime)]
    Uuid = Annotated[Any, _Faithful(_uuid)]
    Uri = Annotated[Any, _Faithful(_url)]
