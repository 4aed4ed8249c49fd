"""The types of JSON that Python lacks: strict numbers, objects, faithful formats."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import Field as Member
from datetime import date, datetime
from functools import cache
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ForwardRef,
    Literal,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
    get_origin,
)
from uuid import UUID

from pydantic import (
    AnyUrl,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    ModelWrapValidatorHandler,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    Strict,
    TypeAdapter,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_serializer,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import ArgsKwargs, CoreSchema, core_schema, to_jsonable_python
from typing_extensions import Never, Self, TypeAliasType

from .absent import UNNAMED, Extras, Fields, forget, may_be_absent, without

T = TypeVar("T")


def _unannounced(method: T) -> T:
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


class _Dataclass:
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


class Closed(_Dataclass):
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
    def _note_absent(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        members = data.kwargs or {} if isinstance(data, ArgsKwargs) else data
        made = handler(data)
        if isinstance(members, dict):
            forget(made, cast("dict[str, Any]", members))
        return made

    @model_serializer(mode="wrap")
    @_unannounced
    def _without_absent(
        self, handler: SerializerFunctionWrapHandler, info: SerializationInfo
    ) -> dict[str, Any]:
        return _dumped(self, handler, info)


class Open(_Dataclass):
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
    def _set_apart(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Take unknown members away before they could be set as attributes."""
        is_made_here = isinstance(data, ArgsKwargs)
        members = data.kwargs or {} if is_made_here else data
        if not isinstance(members, dict):
            return handler(data)
        given = cast("dict[str, Any]", members)
        kind: Any = cls
        known = _names(kind) if is_made_here else _wire_names(kind)
        if given.keys() <= known:
            made = handler(data)
            forget(made, given)
            return made
        unknown = {name: given[name] for name in given if name not in known}
        if is_made_here and isinstance(unknown.get(UNNAMED), Extras):
            unknown = {**unknown.pop(UNNAMED), **unknown}  # of what this one replaces
        kept = {name: given[name] for name in given if name in known}
        made = handler(ArgsKwargs(data.args, kept) if is_made_here else kept)
        forget(made, kept)
        made._extras = Extras(unknown)
        return made

    @model_serializer(mode="wrap")
    @_unannounced
    def _with_extras(
        self, handler: SerializerFunctionWrapHandler, info: SerializationInfo
    ) -> dict[str, Any]:
        return extras(self) | _dumped(self, handler, info)


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


def _is_same(one: Open, other: object) -> object:
    if type(one) is not type(other):
        return NotImplemented
    return vars(one) == vars(other) and extras(one) == extras(other)


class _SparseModel(BaseModel):
    """Base of a model with members that may be absent or null."""

    def _absent(self) -> set[str]:
        kind: Any = type(self)
        return may_be_absent(kind).keys() - self.model_fields_set

    def __eq__(self, other: object) -> bool:
        """Tell null from absent."""
        is_same = super().__eq__(other)
        if is_same is not True or not isinstance(other, _SparseModel):
            return is_same
        return self._absent() == other._absent()

    __hash__ = BaseModel.__hash__  # none: a model can be changed

    @model_serializer(mode="wrap")
    @_unannounced
    def _without_absent(
        self, handler: SerializerFunctionWrapHandler, info: SerializationInfo
    ) -> dict[str, Any]:
        known: dict[str, Any] = handler(self)
        kind: Any = type(self)
        return without(known, self._absent(), kind, by_alias=info.by_alias)


class OpenModel(BaseModel):
    """Base of a model whose unknown members are kept."""

    model_config = OPEN

    @model_validator(mode="wrap")
    @classmethod
    def _tell_apart(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Call no field set because an unknown member has its name in Python."""
        made = handler(data)
        if made.model_extra and isinstance(data, dict):
            for name in made.model_extra.keys() & cls.model_fields.keys():
                if cls.model_fields[name].alias not in data:
                    made.model_fields_set.discard(name)
        return made


class ClosedModel(BaseModel):
    """Base of a model that has no unknown members."""

    model_config = CLOSED


class OpenSparseModel(_SparseModel, OpenModel):
    """Base of one with members that may be absent or null; both are told apart."""


class ClosedSparseModel(_SparseModel, ClosedModel):
    """Base of one with members that may be absent or null; both are told apart."""


def extras(value: object) -> dict[str, Any]:
    """Return the members of an object that its schema does not name."""
    if isinstance(value, BaseModel):
        return dict(value.model_extra or {})
    if isinstance(value, Open):
        return dict(getattr(value, "_extras", {}))
    if isinstance(value, Closed):
        return {}
    raise TypeError(f"{type(value).__name__} is no object of this package")


def raw_json(value: object) -> Any:
    """Return the JSON that a result, or a part of one, was made of, as it was sent.

    Of a dataclass that was made here nobody knows it: that raises ``LookupError``. A
    model says what it holds now.
    """
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if isinstance(value, list | tuple):
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
            f"this {type(value).__name__} is no part of a result"
        ) from None


def remember(value: object, raw: Any) -> None:
    """Keep the JSON of each part of a result beside it, for :func:`raw_json`."""
    waiting: list[tuple[Any, Any]] = [(value, raw)]
    for part, said in waiting:  # which grows meanwhile: results may be deep
        kind = type(cast("object", part))
        if kind is list or kind is tuple:
            _keep_each(part, said, waiting)
        elif kind is dict:
            _keep_each(part.values(), [said[key] for key in part], waiting)
        elif issubclass(kind, _Dataclass):
            _keep(part, said)
            held = vars(cast("_Dataclass", part))
            for name, wire in _holding(cast("Hashable", kind)):
                if wire in said:
                    waiting.append((held[name], said[wire]))


_keep = vars(_Dataclass)["_raw"].__set__
_ATOMS = frozenset({str, int, float, bool, type(None)})


def _keep_each(
    parts: Iterable[Any], said: Iterable[Any], waiting: list[tuple[Any, Any]]
) -> None:
    """Keep the JSON of objects that hold no others at once; the rest have to wait."""
    simple: type | None = None
    for part, raw in zip(parts, said, strict=True):
        kind = type(cast("object", part))
        if kind is simple:
            _keep(part, raw)
        elif kind in _ATOMS:
            continue
        elif issubclass(kind, _Dataclass) and not _holding(cast("Hashable", kind)):
            simple = kind
            _keep(part, raw)
        else:
            waiting.append((part, raw))


@cache
def _holding(kind: Hashable) -> tuple[tuple[str, str], ...]:
    """Return the members of a dataclass that may hold objects, and their wire names."""
    fields: dict[str, FieldInfo] = vars(kind)["__pydantic_fields__"]
    return tuple(
        (name, name if field.alias is None else field.alias)
        for name, field in fields.items()
        if _may_hold(field.annotation)
    )


def _may_hold(annotation: Any) -> bool:
    """Say whether objects may be in a value of a type; of one with a name they may."""
    if get_origin(annotation) is Literal:
        return False
    inner = get_args(annotation)
    if inner:
        return any(map(_may_hold, inner))
    if isinstance(annotation, type):
        return issubclass(annotation, Open | Closed)
    return isinstance(annotation, str | ForwardRef | TypeAliasType)


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
        integer = core_schema.int_schema(strict=True, **bounds)
        step = bounds.pop("multiple_of", 1)

        def whole(value: object) -> object:
            # Pydantic's own check lets large numbers pass that are nearly a multiple.
            if isinstance(value, float) and value % step == 0:
                return value
            raise ValueError(f"Input should be a multiple of {step}")

        pointed = core_schema.no_info_before_validator_function(
            whole, core_schema.float_schema(strict=True, allow_inf_nan=False, **bounds)
        )
        return core_schema.union_schema([integer, pointed], mode="left_to_right")


class Numeric:
    """Marks a number of JSON: ``2`` stays an ``int``; ``True`` and ``"2"`` are no
    numbers.
    """

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Accept integers and floats, within the bounds that stand beside.

        A number beyond the range of a double is read as infinite, by the SDK too.
        """
        bounds = _bounds(source, handler)
        whole: dict[str, Any] = {
            name: _ROUNDED[name](bound) for name, bound in bounds.items()
        }
        number = core_schema.float_schema(strict=True, allow_inf_nan=False, **bounds)
        integer = core_schema.int_schema(strict=True, **whole)
        large = core_schema.no_info_after_validator_function(
            _infinite, core_schema.float_schema(strict=True, **bounds)
        )
        choices: list[Any] = [integer, number, large]
        return core_schema.union_schema(choices, mode="left_to_right")


def _infinite(value: float) -> float:
    if math.isinf(value):
        return value
    raise ValueError("Input should be a finite number")


class Exactly:
    """Marks a choice of numbers or booleans: 1 is 1.0, but neither is ``True``."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Accept the values of the ``Literal`` that stands beside, as they are."""
        expected = cast("dict[str, Any]", handler(source))["expected"]
        allowed = {(isinstance(value, bool), value) for value in expected}

        def parse(value: object) -> object:
            is_known = isinstance(value, str | int | float)
            if is_known and (isinstance(value, bool), value) in allowed:
                return value
            listed = ", ".join(map(repr, expected))
            raise ValueError(f"Input should be {listed}")

        return core_schema.no_info_plain_validator_function(parse)


class _NotNull:
    """Undoes ``None`` for the validator: an absent member reads as ``None``, but null
    is refused.
    """

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema = handler(source)
        return schema["schema"] if schema["type"] == "nullable" else schema


def _is_absent(value: object) -> bool:
    return value is None


Maybe: TypeAlias = Annotated[T | None, _NotNull(), Field(exclude_if=_is_absent)]
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
        del value
        raise ValueError("no value is allowed here")


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
    Nothing: TypeAlias = Never
    Date: TypeAlias = date | str
    DateTime: TypeAlias = datetime | str
    Uuid: TypeAlias = UUID | str
    Uri: TypeAlias = AnyUrl | str
else:
    # A format is no assertion: a text in another form is still valid.
    Nothing = Annotated[Any, _Refused()]
    Date = Annotated[Any, _faithful(date, datetime)]
    DateTime = Annotated[Any, _faithful(datetime)]
    Uuid = Annotated[Any, _faithful(UUID)]
    Uri = Annotated[Any, _faithful(AnyUrl)]
