"""Validation of values by the schemas of the contract.

jsonschema-rs is used if it is installed, and jsonschema if that can't decide.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial, reduce
from typing import Any, Literal, cast

from ..jsonpointer import append_step
from ..package import Tool
from ..problem import Problem
from .keywords import budgets as limits
from .keywords import jsonschema_api, native, validators
from .keywords.jsonschema_api import ValidationError, Validator
from .keywords.older_drafts import translate_drafts
from .regexes.patterns import ExhaustedError

Side = Literal["inputSchema", "outputSchema"]

_LONGEST_REASON = 200


def problems(tool: Tool[Any], direction: Side, value: Any) -> list[Problem]:
    """Return the first few violations of a tool's schema in a value."""
    problems_found = quick_problems(tool, direction, value)
    return (
        problems_by_jsonschema(tool, direction, value) if problems_found is None else problems_found
    )


def quick_problems(tool: Tool[Any], direction: Side, value: Any) -> list[Problem] | None:
    """Return the same as :func:`problems`, or None if only jsonschema can decide."""
    problems_found = _judge(tool, direction).problems_of_large(value)
    if problems_found is None:
        return None
    return [
        Problem(reduce(append_step, problem.path, ""), _shorten(problem.message))
        for problem in problems_found
    ]


@cache
def _judge(tool: Tool[Any], direction: Side) -> native.NativeValidator:
    return native.NativeValidator(tool.info.definition[direction])


def problems_by_jsonschema(tool: Tool[Any], direction: Side, value: Any) -> list[Problem]:
    """Return the same as :func:`problems`, without jsonschema-rs."""
    lenient = partial(_validator, tool, direction, is_lenient=True)
    return _problems(_validator(tool, direction), lenient, value)


def _problems(strict: Validator, lenient: Callable[[], Validator], value: Any) -> list[Problem]:
    try:
        errors = validators.errors(strict, lenient, value)
    except ExhaustedError:
        return [Problem("", f"{limits.TOO_EXPENSIVE}: {limits.MOST_SECONDS:g} s are over")]
    except RecursionError:
        return [Problem("", f"{limits.TOO_EXPENSIVE}: nested too deeply")]
    except OverflowError:  # multipleOf with an infinite number
        return [Problem("", "a number is too large to be checked")]
    return [Problem(_pointer(error), _shorten(error.message)) for error in errors]


def problems_in(schema: object, value: Any) -> list[Problem]:
    """Return the violations of a schema outside the contract in a value."""
    try:
        if native.NativeValidator(schema).surely_allows(value):
            return []
        return _problems(
            _build_validator(schema), partial(_build_validator, schema, is_lenient=True), value
        )
    except Exception as error:  # an invalid schema
        return [Problem("", f"the schema cannot be read: {_shorten(str(error))}")]


def allows(schema: object, value: Any) -> bool:
    """Return True if a schema outside the contract certainly allows a value."""
    if native.NativeValidator(schema).surely_allows(value):
        return True
    try:
        strict = _build_validator(schema)
        lenient = partial(_build_validator, schema, is_lenient=True)
        return not validators.errors(strict, lenient, value)
    except Exception:  # an invalid schema
        return False


@cache
def _validator(tool: Tool[Any], direction: Side, *, is_lenient: bool = False) -> Validator:
    return _build_validator(tool.info.definition[direction], is_lenient=is_lenient)


def _build_validator(raw: Any, *, is_lenient: bool = False) -> Validator:
    """Build a validator of the schema's own dialect that follows no ``$ref`` elsewhere.

    Formats are annotations, not assertions (JSON Schema 2020-12, validation, section
    7.2.1).
    """
    from referencing.jsonschema import DRAFT202012

    schema = translate_drafts(raw)
    kind = jsonschema_api.kind_of(schema)
    # References can only reach the document and the meta-schemas. Nothing is fetched.
    registry = jsonschema_api.meta_schemas()
    if "$dynamicRef" in kind.VALIDATORS:  # these are looked up in all parts
        resource = DRAFT202012.create_resource(schema)
        registry = registry.with_resource(resource.id() or "", resource).crawl()
    kind = validators.bounded_class(kind, schema)
    kind = validators.lenient(kind) if is_lenient else kind
    return cast("Validator", kind(schema, registry=registry))


def _pointer(error: ValidationError) -> str:
    return reduce(append_step, error.absolute_path, "")


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_REASON else f"{line[:_LONGEST_REASON]}..."
