"""Validates arguments by a tool's raw schema. An invalid schema forbids nothing."""

from __future__ import annotations

from collections.abc import Callable

from mcpgen_runtime.display import brief

from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, is_object
from mcpgen.schemas.validation.plain import surely_admits


def problems(schema: Json, value: Json, spelling_of: Callable[[str], str]) -> list[str]:
    """Describe the first violations of a schema in a value, each with its path."""
    if surely_admits(schema, value):
        return []
    from mcpgen_runtime.validation.keywords import budgets as limits
    from mcpgen_runtime.validation.regexes.patterns import ExhaustedError

    from mcpgen.schemas.validation import schemas

    if schemas.problem(schema) is not None:
        return []
    try:
        errors = schemas.SchemaValidator(schema).errors(value)
    except ExhaustedError:
        return [limits.TOO_EXPENSIVE]
    except RecursionError:
        return [f"{limits.TOO_EXPENSIVE}: nested too deeply"]
    except OverflowError:  # the divisor was parsed as infinity
        return ["a number is too large to be checked"]
    return [_error_text(error, spelling_of) for error in errors]


def _error_text(error: Json, spelling_of: Callable[[str], str]) -> str:
    pointer = "".join(f"/{escape(str(step))}" for step in error.absolute_path)
    if error.validator == "required" and is_object(error.instance):
        missing = [name for name in error.validator_value if name not in error.instance]
        named = [spelling_of(f"{pointer}/{escape(name)}") for name in missing]
        if named:
            return f"{', '.join(named)} {'is' if len(named) == 1 else 'are'} required"
    at = spelling_of(pointer)
    return f"{at}: {brief(error.message)}" if at else brief(error.message)
