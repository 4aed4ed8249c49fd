"""Bases of the dataclasses of JSON objects: open or closed, absent apart from null."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import Field as Member
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import (
    ConfigDict,
    GetCoreSchemaHandler,
    ModelWrapValidatorHandler,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import ArgsKwargs, CoreSchema
from typing_extensions import Self

from .absent import UNNAMED, Extras, Fields, drop_absent, may_be_absent, without

T = TypeVar("T")


def hide_return_type(method: T) -> T:
    """Hide what a method returns from Pydantic, which would describe objects by it."""
    vars(method).get("__annotations__", method.__annotations__).pop("return")
    return method


OPEN = ConfigDict(
    extra="allow",
    validate_by_name=True,
    validate_by_alias=True,
    protected_namespaces=(),
    ser_json_inf_nan="constants",
)
"""Of an object that may have members without a name in its schema; they are kept."""

CLOSED = ConfigDict(
    extra="forbid",
    validate_by_name=True,
    validate_by_alias=True,
    protected_namespaces=(),
    ser_json_inf_nan="constants",
)
"""Of an object that may not."""


class DataclassBase:
    """Base of a dataclass whose absent members are not null."""

    __slots__ = ("_raw",)

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Let each object say which fields it has, once the class has its fields."""
        every = vars(cls).get("__dataclass_fields__")
        if isinstance(every, dict):
            fields = cast("dict[str, Member[Any]]", every)
            type.__setattr__(cls, "__dataclass_fields__", Fields(fields))
        return handler(source)


class Closed(DataclassBase):
    """Base of a dataclass that has no unknown members."""

    __slots__ = ()


class ClosedSparse(Closed):
    """Base of one with members that may be absent or null; both are told apart."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Let ``dataclass`` find a comparison that tells null from absent."""
        super().__init_subclass__()
        type.__setattr__(cls, "__eq__", _is_same)

    @model_validator(mode="wrap")
    @classmethod
    def _drop_absent(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        members = data.kwargs or {} if isinstance(data, ArgsKwargs) else data
        instance = handler(data)
        if isinstance(members, dict):
            drop_absent(instance, cast("dict[str, Any]", members))
        return instance

    @model_serializer(mode="wrap")
    @hide_return_type
    def _without_absent(
        self, handler: SerializerFunctionWrapHandler, info: SerializationInfo
    ) -> dict[str, Any]:
        return _dumped(self, handler, info)


class Open(DataclassBase):
    """Base of a dataclass whose unknown members are kept, and written out again.

    They never become attributes: a server chooses their names.
    """

    __slots__ = ("_extras",)

    if TYPE_CHECKING:
        _extras: Extras

    def __init_subclass__(cls) -> None:
        """Let ``dataclass`` find a comparison, lest it writes one without extras."""
        super().__init_subclass__()
        type.__setattr__(cls, "__eq__", _is_same)

    @model_validator(mode="wrap")
    @classmethod
    def _separate_unknown(
        cls, data: Any, handler: ModelWrapValidatorHandler[Self]
    ) -> Self:
        """Take unknown members away before they could be set as attributes."""
        is_made_here = isinstance(data, ArgsKwargs)
        members = data.kwargs or {} if is_made_here else data
        if not isinstance(members, dict):
            return handler(data)
        all_members = cast("dict[str, Any]", members)
        kind: Any = cls
        known = _names(kind) if is_made_here else _wire_names(kind)
        if all_members.keys() <= known:
            instance = handler(data)
            drop_absent(instance, all_members)
            return instance
        unknown = {name: all_members[name] for name in all_members if name not in known}
        if is_made_here and isinstance(unknown.get(UNNAMED), Extras):
            unknown = {**unknown.pop(UNNAMED), **unknown}  # of what this one replaces
        known_members = {
            name: all_members[name] for name in all_members if name in known
        }
        instance = handler(
            ArgsKwargs(data.args, known_members) if is_made_here else known_members
        )
        drop_absent(instance, known_members)
        instance._extras = Extras(unknown)
        return instance

    @model_serializer(mode="wrap")
    @hide_return_type
    def _with_extras(
        self, handler: SerializerFunctionWrapHandler, info: SerializationInfo
    ) -> dict[str, Any]:
        return extras_of(self) | _dumped(self, handler, info)


def extras_of(value: object) -> dict[str, Any]:
    """Return the members of a dataclass that its schema does not name."""
    return dict(getattr(value, "_extras", {}))


def _dumped(
    value: Open | Closed,
    handler: SerializerFunctionWrapHandler,
    info: SerializationInfo,
) -> dict[str, Any]:
    """Return the members that a dataclass has: it reads what is absent as null."""
    known: dict[str, Any] = handler(value)
    kind: Any = type(value)
    absent = may_be_absent(kind).keys() - vars(value).keys()
    if not absent:
        return known
    return without(known, absent, kind, by_alias=info.by_alias)


@cache
def _wire_names(kind: Hashable) -> frozenset[str]:
    """Return the names that the members of a dataclass have in JSON."""
    fields: dict[str, FieldInfo] = vars(kind)["__pydantic_fields__"]
    return frozenset(
        name if field.alias is None else field.alias for name, field in fields.items()
    )


@cache
def _names(kind: Hashable) -> frozenset[str]:
    """Return the names that the members of a dataclass have in JSON or in Python."""
    fields: dict[str, FieldInfo] = vars(kind)["__pydantic_fields__"]
    return _wire_names(kind) | fields.keys()


def _is_same(value: Open, other: object) -> object:
    if type(value) is not type(other):
        return NotImplemented
    return vars(value) == vars(other) and extras_of(value) == extras_of(other)
