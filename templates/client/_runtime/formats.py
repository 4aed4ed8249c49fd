"""Types of texts with a format, parsed only if writing gives the same text."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias
from uuid import UUID

from pydantic import (
    AnyUrl,
    TypeAdapter,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import to_jsonable_python


def _faithful(kind: Any, other: Any = ()) -> WrapValidator:
    """Parse a text only where dumping gives it back; else it stays a text.

    An ``other`` kind is a subclass in Python alone.
    """
    adapter: TypeAdapter[Any] | None = None

    def parse(value: object, _: ValidatorFunctionWrapHandler) -> object:
        nonlocal adapter
        if isinstance(value, kind) and not isinstance(value, other):
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
    Date: TypeAlias = date | str
    DateTime: TypeAlias = datetime | str
    Uuid: TypeAlias = UUID | str
    Uri: TypeAlias = AnyUrl | str
else:
    # A format is no assertion: a text in another form is still valid.
    Date = Annotated[Any, _faithful(date, datetime)]
    DateTime = Annotated[Any, _faithful(datetime)]
    Uuid = Annotated[Any, _faithful(UUID)]
    Uri = Annotated[Any, _faithful(AnyUrl)]
