"""Types of strings with a format: dates, UUIDs and URIs that keep their text."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

from pydantic_core import (
    CoreSchema,
    PydanticCustomError,
    core_schema,
    to_jsonable_python,
)

if TYPE_CHECKING:
    from uuid import UUID

    from pydantic import AnyUrl, GetCoreSchemaHandler, TypeAdapter

INVALID_FORMAT = "invalid_format"
"""The type of the Pydantic error for a string that can't be parsed."""

_RFC_3339 = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)[Tt ](?P<minute>\d\d:\d\d)"
    r"(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d+))?)?"
    r" ?(?P<offset>[Zz]|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII,
)


class ParsedDateTime(datetime):
    """A ``datetime`` of a result, which dumps as the string that the server sent.

    ``text`` is that string, or None for a computed value.
    """

    text: str | None = None

    @classmethod
    def parse(cls, text: str) -> ParsedDateTime:
        """Parse an RFC 3339 or ISO 8601 date-time, to the nearest microsecond.

        Raises: ValueError: It is neither, or ``datetime`` can't represent it.
        """
        match = _RFC_3339.fullmatch(text)
        if match is None:
            raise ValueError("it is not a date-time of RFC 3339")
        second = int(match["second"] or 0)
        if second > 60:
            raise ValueError("a minute has at most 60 seconds")
        moment = cls.fromisoformat(f"{match['day']}T{match['minute']}:00")
        moment = moment.replace(tzinfo=_offset(match["offset"]))
        fraction = match["fraction"] or "0"
        microseconds = (int(fraction) * 2_000_000 // 10 ** len(fraction) + 1) // 2
        try:  # second 60 is a leap second
            moment += timedelta(seconds=second, microseconds=microseconds)
        except OverflowError as error:
            raise ValueError(str(error)) from None
        moment.text = text
        return moment

    def __reduce_ex__(self, protocol: Any, /) -> tuple[Any, ...]:
        """Copy and pickle the text, too."""
        return (*super().__reduce_ex__(protocol)[:2], vars(self))


def _offset(text: str | None) -> timezone | None:
    if text is None:
        return None
    if text in "Zz":
        return timezone.utc
    hours, minutes = int(text[1:3]), int(text[-2:] if len(text) > 3 else 0)
    if hours > 23 or minutes > 59:
        raise ValueError("the offset is longer than a day")
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if text[0] == "-" else offset)


def _parse_date(text: str) -> date:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        raise ValueError("it is not a date of RFC 3339")
    return date.fromisoformat(text)


@cache
def _parsed_uuid() -> Any:
    from uuid import UUID

    class ParsedUUID(UUID):
        """A ``UUID`` of a result, which dumps as the string that the server sent."""

        text: str

        def __init__(self, text: str) -> None:
            super().__init__(text)
            object.__setattr__(self, "text", text)

        def __reduce__(self) -> tuple[Any, ...]:
            return (_parse_uuid, (self.text,))

    return ParsedUUID


def _parse_uuid(text: str) -> UUID:
    return cast("UUID", _parsed_uuid()(text))


def text_of(value: object) -> Any:
    """Return the string that a value was parsed from, or its JSON."""
    text = getattr(value, "text", None)
    return to_jsonable_python(value) if text is None else text


class _Parsed:
    """Parses a string of a result, and raises an error if that fails."""

    def __init__(
        self, kind: Callable[[], Any], parse: Callable[[str], Any], other: Any = ()
    ) -> None:
        self._kind = kind
        self._parse = parse
        self._other = other

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Accept strings of the format, and parsed values."""
        kind, parse, other = self._kind(), self._parse, self._other

        def validate(value: object, _: core_schema.ValidatorFunctionWrapHandler) -> object:
            if isinstance(value, kind) and not isinstance(value, other):
                return value
            if not isinstance(value, str):
                raise ValueError("Input should be a valid string")
            try:
                return parse(value)
            except (ValueError, OverflowError) as error:
                raise PydanticCustomError(
                    INVALID_FORMAT,
                    "{kind} can't hold it: {reason}",
                    {"kind": kind.__name__, "reason": str(error)},
                ) from None

        return core_schema.no_info_wrap_validator_function(
            validate,
            handler(source),
            serialization=core_schema.plain_serializer_function_ser_schema(
                text_of, when_used="json"
            ),
        )


class _Faithful:
    """Parses a string only if dumping restores it. Otherwise it stays a string.

    ``other`` is a subclass of the Python type that isn't accepted.
    """

    def __init__(self, kind: Callable[[], Any], other: Any = ()) -> None:
        self._kind = kind
        self._other = other

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Accept any string, and parsed values."""
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

        return core_schema.no_info_wrap_validator_function(
            parse,
            handler(source),
            serialization=core_schema.plain_serializer_function_ser_schema(
                text_of, when_used="json"
            ),
        )


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


# Importing these two takes longer than the rest of a client.
def _uuid() -> Any:
    from uuid import UUID

    return UUID


def _url() -> Any:
    from pydantic import AnyUrl

    return AnyUrl


if TYPE_CHECKING:
    Date: TypeAlias = date
    DateTime: TypeAlias = datetime
    Uuid: TypeAlias = UUID
    DateOrText: TypeAlias = date | str
    DateTimeOrText: TypeAlias = datetime | str
    UuidOrText: TypeAlias = UUID | str
    Uri: TypeAlias = AnyUrl | str
else:
    Date = Annotated[Any, _Parsed(lambda: date, _parse_date, datetime)]
    DateTime = Annotated[Any, _Parsed(lambda: datetime, ParsedDateTime.parse)]
    Uuid = Annotated[Any, _Parsed(_uuid, _parse_uuid)]
    # ``format`` is an annotation, so a string in another form is valid too.
    DateOrText = Annotated[Any, _Faithful(lambda: date, datetime)]
    DateTimeOrText = Annotated[Any, _Faithful(lambda: datetime)]
    UuidOrText = Annotated[Any, _Faithful(_uuid)]
    Uri = Annotated[Any, _Faithful(_url)]
