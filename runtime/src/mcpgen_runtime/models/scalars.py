"""Numbers and choices as JSON Schema defines them, which is stricter than Pydantic."""

from __future__ import annotations

import math
from typing import Annotated, Any, TypeAlias, cast

from pydantic import GetCoreSchemaHandler, Strict
from pydantic_core import CoreSchema, core_schema

_BOUNDS = ("ge", "gt", "le", "lt", "multiple_of")

# The bounds of a number, rounded to integers within them.
_ROUNDED = {"ge": math.ceil, "gt": math.floor, "le": math.floor, "lt": math.ceil}


def _bounds(source: Any, handler: GetCoreSchemaHandler) -> dict[str, Any]:
    inner = cast("dict[str, Any]", handler(source))
    return {name: inner[name] for name in _BOUNDS if name in inner}


class Whole:
    """Marks a JSON integer. ``2.0`` is one and stays a float; ``True`` and ``"2"`` aren't."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Accept the integers of JSON Schema within the annotated bounds."""
        bounds = _bounds(source, handler)
        integer = core_schema.int_schema(strict=True, **bounds)
        step = bounds.pop("multiple_of", 1)

        def check_multiple(value: object) -> object:
            # Pydantic's own check lets large numbers pass that are nearly a multiple.
            if not isinstance(value, float):
                raise ValueError("Input should be an integer, or one like 2.0")
            if value % step:
                raise ValueError(f"Input should be a multiple of {step}")
            return value

        with_point = core_schema.no_info_before_validator_function(
            check_multiple,
            core_schema.float_schema(strict=True, allow_inf_nan=False, **bounds),
        )
        return core_schema.union_schema([integer, with_point], mode="left_to_right")


class Numeric:
    """Marks a JSON number. ``2`` stays an ``int``; ``True`` and ``"2"`` aren't numbers."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Accept integers and floats within the annotated bounds.

        A number beyond the range of a double becomes infinite, as in the SDK.
        """
        bounds = _bounds(source, handler)
        integer_bounds: dict[str, Any] = {
            name: _ROUNDED[name](bound) for name, bound in bounds.items()
        }
        number = core_schema.float_schema(strict=True, allow_inf_nan=False, **bounds)
        integer = core_schema.int_schema(strict=True, **integer_bounds)
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
    """Marks a choice of numbers or booleans. 1 equals 1.0, but not ``True``."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Accept exactly the values of the annotated ``Literal``."""
        expected = cast("dict[str, Any]", handler(source))["expected"]
        allowed = {(isinstance(value, bool), value) for value in expected}

        def parse(value: object) -> object:
            is_known = isinstance(value, str | int | float)
            if is_known and (isinstance(value, bool), value) in allowed:
                return value
            listed = ", ".join(map(repr, expected))
            raise ValueError(f"Input should be {listed}")

        return core_schema.no_info_plain_validator_function(parse)


Integer: TypeAlias = Annotated[int, Whole()]
Number: TypeAlias = Annotated[float, Numeric()]
Boolean: TypeAlias = Annotated[bool, Strict()]
