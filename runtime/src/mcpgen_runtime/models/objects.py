"""Bases of the dataclasses of JSON objects: open or closed, with absent distinct from null."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field as Member
from functools import cache
from operator import is_
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import (
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import ArgsKwargs, CoreSchema, core_schema
from typing_extensions import Self

from .absent import UNNAMED, Extras, Fields, drop_absent, may_be_absent, remove_absent

T = TypeVar("T")


def hide_return_type(method: T) -> T:
    """Hide the return type of a method from Pydantic, which would use it as a schema."""
    vars(method).get("__annotations__", method.__annotations__).pop("return")
    return method


OPEN = ConfigDict(
    extra="allow",
    validate_by_name=True,
    validate_by_alias=True,
    protected_namespaces=(),
    ser_json_inf_nan="constants",
)
"""For objects with additional properties, which are kept."""

CLOSED = ConfigDict(
    extra="forbid",
    validate_by_name=True,
    validate_by_alias=True,
    protected_namespaces=(),
    ser_json_inf_nan="constants",
)
"""For objects without additional properties."""


class DataclassBase:
    """Base of a dataclass that distinguishes absent properties from null."""

    __slots__ = ("_raw",)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Serialize only the fields that an object has, once the class is complete."""
        every = vars(cls).get("__dataclass_fields__")
        if isinstance(every, dict):
            fields = cast("dict[str, Member[Any]]", every)
            type.__setattr__(cls, "__dataclass_fields__", Fields(fields))
        schema = handler(source)
        require_constants(cls, handler.resolve_ref_schema(schema))
        return schema


class Closed(DataclassBase):
    """Base of a dataclass without unknown properties."""

    __slots__ = ()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Fill in constant properties when code creates an object."""
        schema = super().__get_pydantic_core_schema__(source, handler)
        if any(map(_is_constant, vars(cls).get("__pydantic_fields__", {}).values())):
            type.__setattr__(cls, "__init__", _init_with_constants)
        return schema


class ClosedSparse(Closed):
    """Base of closed dataclasses with fields that may be absent or null."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Define `__eq__` with null and absent distinct, so that ``dataclass`` doesn't."""
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
        dumped: dict[str, Any] = handler(self)
        kind: Any = type(self)
        absent = may_be_absent(kind).keys() - vars(self).keys()
        if not absent:
            return dumped
        return remove_absent(dumped, absent, kind, by_alias=info.by_alias)


class Open(DataclassBase):
    """Base of a dataclass that keeps unknown properties, and serializes them again.

    They never become attributes, because the server chooses their names.
    """

    __slots__ = ("__pydantic_extra__",)

    if TYPE_CHECKING:
        __pydantic_extra__: dict[str, Any]
    else:
        # Pydantic reads this to skip unset fields. Its assignments are ignored, because
        # they would miss later changes.
        __pydantic_fields_set__ = property(lambda self: set(vars(self)), is_)

    def __init_subclass__(cls) -> None:
        """Define `__eq__` so that ``dataclass`` doesn't generate one that ignores extra
        properties.
        """
        super().__init_subclass__()
        type.__setattr__(cls, "__eq__", _is_same)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validate and serialize objects like models, with unknown properties kept separate."""
        type.__setattr__(cls, "__init__", _init)
        reference = super().__get_pydantic_core_schema__(source, handler)
        schema = cast("dict[str, Any]", handler.resolve_ref_schema(reference))
        if schema["type"] == "dataclass":
            as_model = cast("dict[str, Any]", _as_model(schema))
            schema.clear()
            schema.update(as_model)
        if not any("validation_alias" in of for of in schema["schema"]["fields"].values()):
            type.__setattr__(cls, "__init__", _init_plainly)
        return reference

    @property
    def _extras(self) -> Extras | None:
        """The unknown properties, as ``dataclasses.replace`` passes them on."""
        return Extras(extras_of(self)) or None

    def _drop_absent(self, context: object) -> None:
        """Delete the absent fields, so that they read as the class's default."""
        del context
        attributes = vars(self)
        for name in [name for name in attributes if attributes[name] is _ABSENT]:
            del attributes[name]


_ABSENT = object()


def _init(self: Open, /, **members: Any) -> None:
    """Create an open object from its properties by their Python or JSON names."""
    kind: Any = type(self)
    validate = kind.__pydantic_validator__.validate_python
    unknown = members.get(UNNAMED)
    if isinstance(unknown, Extras):  # the extra properties of the object to be replaced
        del members[UNNAMED]
    renamed = _renamed_fields(kind)
    for name in renamed.keys() & members.keys():
        members.setdefault(renamed[name], members[name])
        del members[name]
    if isinstance(unknown, Extras):
        members = {**unknown, **members}
    validate({**constants(kind), **members}, self_instance=self)


def _init_plainly(self: Any, /, **members: Any) -> None:
    """Create an object whose properties have the same names in Python and JSON."""
    if UNNAMED in members:
        _init(self, **members)
    else:
        members = {**constants(self.__class__), **members}
        self.__pydantic_validator__.validate_python(members, self_instance=self)


def _init_with_constants(self: Any, /, **members: Any) -> None:
    """Create a closed object, whose constant properties may be omitted."""
    members = with_constants(type(self), members)
    self.__pydantic_validator__.validate_python(ArgsKwargs((), members), self_instance=self)


@cache
def _renamed_fields(kind: Any) -> Mapping[str, str]:
    """Map Python names to JSON names if they differ."""
    fields: dict[str, FieldInfo] = kind.__pydantic_fields__
    return {
        name: field.alias
        for name, field in fields.items()
        if field.alias is not None and field.alias != name
    }


def _as_model(dataclass: Mapping[str, Any]) -> CoreSchema:
    """Return the schema of a model with the fields of a dataclass."""
    kind: type[Any] = dataclass["cls"]
    fields: dict[str, Any] = {}
    may_be_absent = False
    for field in dataclass["schema"]["fields"]:
        inner = field["schema"]
        if _may_be_absent(field):
            may_be_absent, inner = True, {**inner, "default": _ABSENT}
        options = {key: field[key] for key in _OF_FIELDS if key in field}
        fields[field["name"]] = {**options, "type": "model-field", "schema": inner}
    # Objects of a result have JSON names; only the class's own parameters have Python names.
    config: Any = {**dataclass.get("config", {}), "validate_by_name": False}
    described: Any = {key: dataclass[key] for key in dataclass if key != "ref"}

    def describe(_: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return handler(described)

    return core_schema.model_schema(
        kind,
        core_schema.model_fields_schema(fields, model_name=kind.__name__),
        post_init="_drop_absent" if may_be_absent else None,
        ref=dataclass.get("ref"),
        config=config,
        metadata={"pydantic_js_functions": [describe]},
    )


_OF_FIELDS = (
    "validation_alias",
    "serialization_alias",
    "serialization_exclude",
    "serialization_exclude_if",
    "frozen",
    "metadata",
)


def _may_be_absent(field: Mapping[str, Any]) -> bool:
    """Return True if a field may be both absent and null."""
    inner = field["schema"]
    has_default = inner["type"] == "default" and "default" in inner
    is_never_null = field.get("serialization_exclude_if") is not None
    return has_default and inner["default"] is None and not is_never_null


def extras_of(value: object) -> dict[str, Any]:
    """Return the properties of a dataclass that its schema doesn't name."""
    return dict(getattr(value, "__pydantic_extra__", None) or {})


def require_constants(kind: type, schema: CoreSchema) -> bool:
    """Make constant properties required again. Return True if the class has any.

    Only a constructor fills in a constant: a JSON object without it stays invalid.
    """
    members: dict[str, FieldInfo] = vars(kind).get("__pydantic_fields__", {})
    names = {name for name, field in members.items() if _is_constant(field)}
    if not names:
        return False
    inner: Any = schema
    while inner["type"] not in ("dataclass-args", "model-fields"):
        inner = inner["schema"]
    for name, field in _fields_by_name(inner["fields"]).items():
        if name in names and field["schema"]["type"] == "default":
            field["schema"] = field["schema"]["schema"]
    return True


def _fields_by_name(fields: Any) -> dict[str, Any]:
    if isinstance(fields, dict):  # a Pydantic model
        return cast("dict[str, Any]", fields)
    return {field["name"]: field for field in fields}


@cache
def constants(kind: Any) -> Mapping[str, Any]:
    """Return the values of a class's constant properties by JSON name."""
    fields: dict[str, FieldInfo] = kind.__pydantic_fields__
    return {
        name if field.alias is None else field.alias: field.default
        for name, field in fields.items()
        if _is_constant(field)
    }


def with_constants(kind: Any, members: Mapping[str, Any]) -> dict[str, Any]:
    """Add the constants of a class to the arguments of its constructor."""
    fields: dict[str, FieldInfo] = kind.__pydantic_fields__
    given_names = {
        name if field.alias is None else field.alias
        for name, field in fields.items()
        if name in members
    }
    missing = constants(kind).keys() - members.keys() - given_names
    return {**members, **{name: constants(kind)[name] for name in missing}}


def _is_constant(field: FieldInfo) -> bool:
    """Return True for a required ``const``. Other defaults mean absent."""
    return isinstance(field.default, (str, int, float))


def _is_same(value: Open, other: object) -> object:
    if type(value) is not type(other):
        return NotImplemented
    return vars(value) == vars(other) and extras_of(value) == extras_of(other)
