"""Tracks the absent properties of objects, which read as ``None`` but aren't null."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Mapping
from dataclasses import InitVar
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo


@cache
def may_be_absent(kind: Hashable) -> Mapping[str, tuple[str, ...]]:
    """Map each field that may be absent or null to the names that it accepts.

    The JSON name comes first. The Python name is left out if it is the JSON name of another
    field.
    """
    fields: dict[str, FieldInfo] = vars(kind)["__pydantic_fields__"]
    wire_names = {
        name: name if field.alias is None else field.alias for name, field in fields.items()
    }
    used_names = set(wire_names.values())
    return {
        name: (wire_names[name],) if name in used_names else (wire_names[name], name)
        for name, field in fields.items()
        if field.default is None and field.exclude_if is None
    }


def drop_absent(instance: object, members: Mapping[str, object]) -> None:
    """Delete the absent fields, so that they read as the class's default."""
    attributes = vars(instance)
    kind: Any = type(instance)
    for name, names in may_be_absent(kind).items():
        if names[0] not in members and names[-1] not in members:
            attributes.pop(name, None)


def remove_absent(
    dumped: dict[str, Any], absent: set[str], kind: Hashable, *, by_alias: bool | None
) -> dict[str, Any]:
    """Remove absent fields from an object's dumped data."""
    optional_fields = may_be_absent(kind)
    keys = {optional_fields[name][0] if by_alias else name for name in absent}
    return {key: value for key, value in dumped.items() if key not in keys}


class Fields:
    """The fields of a dataclass. For an instance, the fields that are set.

    ``dataclasses.replace`` passes them to the new object, so absent fields stay absent.
    Extra properties are passed as one field.
    """

    def __init__(self, every: Mapping[str, dataclasses.Field[Any]]) -> None:
        self.every = every

    def __get__(self, instance: object, kind: type) -> Mapping[str, dataclasses.Field[Any]]:
        """Return the fields of the class, or of an object of it."""
        if instance is None:
            return self.every
        fields: dict[str, FieldInfo] = vars(kind)["__pydantic_fields__"]
        attributes = vars(instance)
        present = {
            name: field
            for name, field in self.every.items()
            if name in attributes
            and not (attributes[name] is None and fields[name].exclude_if is not None)
        }
        return {**present, **_UNNAMED} if getattr(instance, UNNAMED, None) else present


UNNAMED = "_extras"


class Extras(dict[str, Any]):
    """The properties of an object that its schema doesn't name."""


@dataclasses.dataclass
class _Carrying:
    _extras: InitVar[Extras | None] = None


# ``replace`` passes on such a field, but ``fields`` and ``asdict`` ignore it.
_UNNAMED: dict[str, dataclasses.Field[Any]] = dict(vars(_Carrying)["__dataclass_fields__"])
