"""Types of arguments and results, imported on first use."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..package import Tool as Tool
    from .arrays import Sequence as Sequence
    from .bases import ClosedModel as ClosedModel
    from .bases import ClosedSparseModel as ClosedSparseModel
    from .bases import OpenModel as OpenModel
    from .bases import OpenSparseModel as OpenSparseModel
    from .formats import Date as Date
    from .formats import DateOrText as DateOrText
    from .formats import DateTime as DateTime
    from .formats import DateTimeOrText as DateTimeOrText
    from .formats import Uri as Uri
    from .formats import Uuid as Uuid
    from .formats import UuidOrText as UuidOrText
    from .members import Maybe as Maybe
    from .members import Nothing as Nothing
    from .objects import CLOSED as CLOSED
    from .objects import OPEN as OPEN
    from .objects import Closed as Closed
    from .objects import ClosedSparse as ClosedSparse
    from .objects import Open as Open
    from .results import ToolResult as ToolResult
    from .scalars import Boolean as Boolean
    from .scalars import Exactly as Exactly
    from .scalars import Integer as Integer
    from .scalars import Number as Number
    from .scalars import Numeric as Numeric
    from .scalars import Whole as Whole
    from .unions import ByMembers as ByMembers
else:
    from ..lazy import attach

    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "..package": "Tool",
            ".arrays": "Sequence",
            ".bases": "ClosedModel ClosedSparseModel OpenModel OpenSparseModel",
            ".formats": "Date DateOrText DateTime DateTimeOrText Uri Uuid UuidOrText",
            ".members": "Maybe Nothing",
            ".objects": "CLOSED OPEN Closed ClosedSparse Open",
            ".results": "ToolResult",
            ".scalars": "Boolean Exactly Integer Number Numeric Whole",
            ".unions": "ByMembers",
        },
    )
