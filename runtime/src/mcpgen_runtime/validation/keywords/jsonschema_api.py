"""Typed access to jsonschema, which ships no types.

It is imported by the first validation, because the import takes long.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from referencing import Registry


class ValidationError(Protocol):
    """One violation of a schema by a value."""

    @property
    def message(self) -> str:
        """The description, which may quote the value."""
        ...

    @property
    def absolute_path(self) -> Iterable[str | int]:
        """The path from the root of the value to the violation."""
        ...

    @property
    def relative_path(self) -> Iterable[str | int]:
        """The path from the value that was being checked."""
        ...


class Validator(Protocol):
    """A schema of one dialect, ready to check values."""

    def iter_errors(self, instance: object) -> Iterator[ValidationError]:
        """Yield the violations of a value one by one."""
        ...


def error(message: str, path: Iterable[str | int] = ()) -> ValidationError:
    """Return an error as jsonschema's own keywords yield it."""
    module: Any = import_module("jsonschema.exceptions")
    return cast("ValidationError", module.ValidationError(message, path=path))


def extend_class(kind: Any, keywords: Mapping[str, Any]) -> Any:
    """Return a class of validators with some of its keywords replaced."""
    return import_module("jsonschema.validators").extend(kind, keywords)


def kind_of(schema: object, default: Any = None) -> Any:
    """Return the class of validators for the dialect that a schema names.

    For a document that names none, the dialect is 2020-12 (MCP 2025-11-25, basic, "JSON Schema
    usage"), for a subschema ``default``.
    """
    module: Any = import_module("jsonschema.validators")
    return module.validator_for(schema, default=default or module.Draft202012Validator)


@cache
def meta_schemas() -> Registry[Any]:
    """Return the registry of the meta-schemas, which any document may reference."""
    return cast("Registry[Any]", import_module("jsonschema_specifications").REGISTRY)
