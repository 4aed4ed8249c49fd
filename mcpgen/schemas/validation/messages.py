"""Validates messages against the official MCP schema of a revision."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from mcpgen_runtime.display import brief
from mcpgen_runtime.validation.keywords import native

from mcpgen.errors import ContractError, Problem, UsageError
from mcpgen.files.resources import folder
from mcpgen.jsonpointer import pointer
from mcpgen.jsontext import Json

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
"""The released revisions of the protocol, oldest first."""

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def nearest(revision: str) -> str:
    """Return the newest known revision that isn't later than the given one.

    Raises:
        ContractError: The revision isn't a date, or is older than all known ones.
    """
    earlier = [revision_ for revision_ in REVISIONS if revision_ <= revision]
    if not _DATE.fullmatch(revision) or not earlier:
        raise ContractError(
            f"unknown protocol revision {brief(repr(revision), 40)}",
            hint=f"known are {', '.join(REVISIONS)}",
        )
    return earlier[-1]


@cache
def document(revision: str) -> dict[str, Json]:
    """Return the official JSON Schema of a known revision. It is shared, so don't change it."""
    if revision not in REVISIONS:
        raise UsageError(
            f"unknown protocol revision {brief(repr(revision), 40)}",
            hint=f"known are {', '.join(REVISIONS)}",
        )
    path = folder("schema") / revision / "schema.json"
    return cast("dict[str, Json]", json.loads(path.read_text(encoding="utf-8")))


def definitions(revision: str) -> dict[str, dict[str, Json]]:
    """Return the named types of a known revision, such as ``Tool`` and ``InitializeResult``."""
    # The schemas of the first three revisions are draft-07, which has no "$defs".
    return cast("dict[str, dict[str, Json]]", document(revision)[_key(revision)])


def _key(revision: str) -> str:
    return "$defs" if "$defs" in document(revision) else "definitions"


def problems(revision: str, definition: str, value: Json) -> tuple[Problem, ...]:
    """Return all violations of a named type of a protocol revision.

    For an unknown revision, the :func:`nearest` is used. Validate the entries of a list separately,
    such as each ``Tool`` of a ``ListToolsResult``, so that an invalid entry doesn't affect the
    others.
    """
    revision_ = nearest(revision)
    if _judge(revision_, definition).surely_allows(value):
        return ()
    check = _validator(revision_, definition)
    try:
        unique = {_problem(error) for error in check.iter_errors(value)}
    except RecursionError:
        return (Problem("", "the message is nested too deeply"),)
    return tuple(sorted(unique, key=lambda problem: (problem.pointer, problem.reason)))


@cache
def _judge(revision: str, definition: str) -> native.NativeValidator:
    return native.NativeValidator(_schema(revision, definition))


@cache
def _validator(revision: str, definition: str) -> Validator:
    from jsonschema import Draft7Validator, Draft202012Validator

    kind: Any = Draft202012Validator if _key(revision) == "$defs" else Draft7Validator
    return cast("Validator", kind(_schema(revision, definition)))


def _schema(revision: str, definition: str) -> Json:
    root, key = document(revision), _key(revision)
    if definition not in root[key]:
        raise UsageError(f"revision {revision} of the protocol has no type {definition!r}")
    return {"$schema": root["$schema"], "$ref": f"#/{key}/{definition}", key: root[key]}


def _problem(error: ValidationError) -> Problem:
    from jsonschema import exceptions

    best_match = cast("Any", exceptions).best_match
    while error.context:
        branches = _branches(error.context)
        closest = [errors for errors in branches if not any(map(_is_misnamed, errors))]
        if len(closest) != 1:
            return _union_problem(error, branches, named=len(closest) > 0)
        error = best_match(closest[0])
    return Problem(pointer(error.absolute_path), brief(error.message))


def _branches(errors: Iterable[ValidationError]) -> list[list[ValidationError]]:
    """Group the errors of a union by its members."""
    branches: dict[Any, list[ValidationError]] = {}
    for error in errors:
        branches.setdefault(error.schema_path[0], []).append(error)
    return list(branches.values())


def _is_misnamed(error: ValidationError) -> bool:
    """Return True if the value has another ``type`` or ``method``."""
    return error.validator == "const" and len(error.relative_path) == 1


def _union_problem(
    error: ValidationError, branches: list[list[ValidationError]], *, named: bool
) -> Problem:
    mismatches = [next(filter(_is_misnamed, errors), None) for errors in branches]
    if (
        named
        or len({mismatch.relative_path[0] if mismatch else None for mismatch in mismatches}) != 1
    ):
        return Problem(pointer(error.absolute_path), brief(error.message))
    first = cast("ValidationError", mismatches[0])
    expected_values = ", ".join(
        sorted({repr(mismatch.validator_value) for mismatch in mismatches if mismatch})
    )
    return Problem(
        pointer(first.absolute_path),
        brief(f"{first.instance!r} is not one of {expected_values}", 400),
    )
