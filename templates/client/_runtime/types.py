"""The types of JSON that Python lacks, for the models of tools."""

from .formats import Date, DateTime, Uri, Uuid
from .member_types import Maybe, Nothing
from .model_bases import ClosedModel, ClosedSparseModel, OpenModel, OpenSparseModel
from .objects import CLOSED, OPEN, Closed, ClosedSparse, Open
from .raw import extras, raw_json
from .scalars import Boolean, Exactly, Integer, Number, Numeric, Whole

__all__ = [
    "CLOSED",
    "OPEN",
    "Boolean",
    "Closed",
    "ClosedModel",
    "ClosedSparse",
    "ClosedSparseModel",
    "Date",
    "DateTime",
    "Exactly",
    "Integer",
    "Maybe",
    "Nothing",
    "Number",
    "Numeric",
    "Open",
    "OpenModel",
    "OpenSparseModel",
    "Uri",
    "Uuid",
    "Whole",
    "extras",
    "raw_json",
]
