"""Bases of the Pydantic models of JSON objects, for the style ``basemodel``."""

from __future__ import annotations

from typing import Any

from pydantic import (
    BaseModel,
    GetCoreSchemaHandler,
    ModelWrapValidatorHandler,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)
from pydantic_core import CoreSchema
from typing_extensions import Self

from .absent import may_be_absent, remove_absent
from .objects import CLOSED, OPEN, hide_return_type, require_constants, with_constants


class _Model(BaseModel):
    """Base of a model whose constructor fills in constant properties."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        if require_constants(cls, handler.resolve_ref_schema(schema)):
            type.__setattr__(cls, "__init__", _init)
        return schema


def _init(self: _Model, /, **members: Any) -> None:
    BaseModel.__init__(self, **with_constants(type(self), members))


# Otherwise Pydantic would call it for each JSON object that it validates.
vars(_init)["__pydantic_base_init__"] = True


class _SparseModel(_Model):
    """Base of a model with properties that may be absent or null."""

    def _absent(self) -> set[str]:
        kind: Any = type(self)
        return may_be_absent(kind).keys() - self.model_fields_set

    def __eq__(self, other: object) -> bool:
        """Compare, with null and absent distinct."""
        is_same = super().__eq__(other)
        if is_same is not True or not isinstance(other, _SparseModel):
            return is_same
        return self._absent() == other._absent()

    __hash__ = BaseModel.__hash__  # None, because a model is mutable

    @model_serializer(mode="wrap")
    @hide_return_type
    def _without_absent(
        self, handler: SerializerFunctionWrapHandler, info: SerializationInfo
    ) -> dict[str, Any]:
        dumped: dict[str, Any] = handler(self)
        kind: Any = type(self)
        return remove_absent(dumped, self._absent(), kind, by_alias=info.by_alias)


class OpenModel(_Model):
    """Base of a model that keeps unknown properties."""

    model_config = OPEN

    @model_validator(mode="wrap")
    @classmethod
    def _unset_shadowed_fields(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Treat no field as set because an unknown property has its Python name."""
        model = handler(data)
        if model.model_extra and isinstance(data, dict):
            for name in model.model_extra.keys() & cls.model_fields.keys():
                if cls.model_fields[name].alias not in data:
                    model.model_fields_set.discard(name)
        return model


class ClosedModel(_Model):
    """Base of a model without unknown properties."""

    model_config = CLOSED


class OpenSparseModel(_SparseModel, OpenModel):
    """Base of open models with fields that may be absent or null."""


class ClosedSparseModel(_SparseModel, ClosedModel):
    """Base of closed models with fields that may be absent or null."""
