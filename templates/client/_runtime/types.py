"""The types of JSON that Python lacks, for the models of tools."""

from typing import TYPE_CHECKING

from .formats import (
    Date,
    DateOrText,
    DateTime,
    DateTimeOrText,
    Uri,
    Uuid,
    UuidOrText,
)
from .member_types import Maybe, Nothing
from .model_bases import ClosedModel, ClosedSparseModel, OpenModel, OpenSparseModel
from .objects import CLOSED, OPEN, Closed, ClosedSparse, Open
from .raw import extras, raw_json
from .scalars import Boolean, Exactly, Integer, Number, Numeric, Whole
from .unions import ByMembers

if TYPE_CHECKING:
    from collections.abc import Sequence
else:
    # Pydantic builds the item of a ``Sequence`` twice: nested ones take 2**levels.
    Sequence = list

__all__ = [
    "CLOSED",
    "OPEN",
    "Boolean",
    "ByMembers",
    "Closed",
    "ClosedModel",
    "ClosedSparse",
    "ClosedSparseModel",
    "Date",
    "DateOrText",
    "DateTime",
    "DateTimeOrText",
    "Exactly",
    "Integer",
    "Maybe",
    "Nothing",
    "Number",
    "Numeric",
    "Open",
    "OpenModel",
    "OpenSparseModel",
    "Sequence",
    "Uri",
    "Uuid",
    "UuidOrText",
    "Whole",
    "extras",
    "raw_json",
]
