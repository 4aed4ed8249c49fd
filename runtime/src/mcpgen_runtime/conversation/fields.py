"""Typed fields of a form. Answers are validated by the complete JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from ..problem import Problem

_NUMBERS = {"number", "integer"}


@dataclass(frozen=True)
class Field:
    """A field of a form. Instances of this class itself have a schema that no subclass covers.

    The default is shown in the form and sent if the field gets no value. A default that violates
    the field's schema is ignored.
    """

    name: str
    schema: Mapping[str, Any] = field(repr=False)
    is_required: bool = False

    @property
    def title(self) -> str:
        """The title to display. Defaults to the name."""
        return _text(self.schema.get("title")) or self.name

    @property
    def description(self) -> str:
        """The server's description."""
        return _text(self.schema.get("description"))

    @property
    def default(self) -> Any:
        """The default value, or None."""
        value = self.schema.get("default")
        return None if value is None or self.problems(value) else value

    def problems(self, value: Any) -> list[Problem]:
        """Validate a value by the field's schema."""
        from ..validation.schemas import problems_in

        return problems_in(self.schema, value)


@dataclass(frozen=True)
class TextField(Field):
    """A string."""

    @property
    def format(self) -> str:
        """The format (``email``, ``uri``, ``date`` or ``date-time``), or "". It isn't validated."""
        return _text(self.schema.get("format"))

    @property
    def min_length(self) -> int:
        """Minimum length."""
        return _count(self.schema.get("minLength")) or 0

    @property
    def max_length(self) -> int | None:
        """Maximum length, or None if the schema sets no limit."""
        return _count(self.schema.get("maxLength"))


@dataclass(frozen=True)
class NumberField(Field):
    """A number."""

    @property
    def is_integer(self) -> bool:
        """True for an integer field."""
        return self.schema.get("type") == "integer"

    @property
    def minimum(self) -> float | None:
        """Minimum, or None."""
        return _number(self.schema.get("minimum"))

    @property
    def maximum(self) -> float | None:
        """Maximum, or None."""
        return _number(self.schema.get("maximum"))


@dataclass(frozen=True)
class BooleanField(Field):
    """A boolean."""


@dataclass(frozen=True)
class Choice:
    """A choice: the value to send and the title to display."""

    value: Any
    title: str


@dataclass(frozen=True)
class ChoiceField(Field):
    """A choice among several values."""

    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True)
class ChoicesField(Field):
    """Any of several values, as a list."""

    choices: tuple[Choice, ...] = ()

    @property
    def min_items(self) -> int:
        """Minimum number of choices."""
        return _count(self.schema.get("minItems")) or 0

    @property
    def max_items(self) -> int | None:
        """Maximum number of choices, or None if the schema sets no limit."""
        return _count(self.schema.get("maxItems"))


def read_fields(schema: Mapping[str, Any]) -> tuple[Field, ...]:
    """Return the fields of a form in the order of the schema."""
    required = _list(schema.get("required"))
    properties = _object(schema.get("properties"))
    return tuple(
        _field(name, _object(part), is_required=name in required)
        for name, part in properties.items()
    )


def _field(name: str, schema: dict[str, Any], *, is_required: bool) -> Field:
    kind = schema.get("type")
    if kind == "array":
        of_each = _object(schema.get("items"))
        if choices := _choices(of_each):
            return ChoicesField(name, schema, is_required, choices)
    elif choices := _choices(schema):
        return ChoiceField(name, schema, is_required, choices)
    elif kind == "string":
        return TextField(name, schema, is_required)
    elif kind == "boolean":
        return BooleanField(name, schema, is_required)
    elif isinstance(kind, str) and kind in _NUMBERS:
        return NumberField(name, schema, is_required)
    return Field(name, schema, is_required)


def _choices(schema: Mapping[str, Any]) -> tuple[Choice, ...]:
    """Return the choices of an ``enum``, or of constants with titles."""
    values = _list(schema.get("enum"))
    if values:
        titles = _list(schema.get("enumNames"))
        titles = titles if len(titles) == len(values) else values
        return tuple(
            Choice(value, _text(title) or str(value))
            for value, title in zip(values, titles, strict=True)
        )
    for keyword in ("oneOf", "anyOf"):
        options = [_object(option) for option in _list(schema.get(keyword))]
        if options and all("const" in option for option in options):
            return tuple(
                Choice(option["const"], _text(option.get("title")) or str(option["const"]))
                for option in options
            )
    return ()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return cast("float", value) if is_number else None


def _count(value: object) -> int | None:
    number = _number(value)
    is_whole = number is not None and float(number).is_integer()
    return int(cast("float", number)) if is_whole else None


def _list(value: object) -> list[Any]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
