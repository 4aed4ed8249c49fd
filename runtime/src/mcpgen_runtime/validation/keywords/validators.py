"""Validators for jsonschema with bounded time.

Patterns run in bounded time. A reference target is evaluated once per value, because
references that each lead to two others would take exponential time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, cast

from ...problem import MOST_PROBLEMS
from ..regexes import patterns
from ..regexes.patterns import ExhaustedError
from . import budgets as limits
from . import checks, jsonschema_api
from .checks import Check
from .jsonschema_api import ValidationError
from .unevaluated import UNEVALUATED
from .unions import UNIONS

# Too slow, not a pattern, endless recursion, or a number too large for a float.
UNRUNNABLE = (patterns.UnrunnableError, OverflowError)

_TURNING = ("not", "oneOf", "if", "contains", "disallow", *sorted(UNEVALUATED))
_NAMES = frozenset({"$schema", "$id", "id"})  # its own dialect or identifier
_DYNAMIC = frozenset({"$dynamicRef", "$recursiveRef"})


def errors(
    strict: Any, lenient: Callable[[], Any], value: object, most: int = MOST_PROBLEMS
) -> list[ValidationError]:
    """Return the first few violations of a schema.

    ``strict`` is a bounded validator. ``lenient`` is used for a schema with parts that
    can't be evaluated.

    Raises:
        ExhaustedError: Validation takes too long.
        RecursionError: The schema or the value is too deep.
    """
    try:
        return _first(strict, value, most)
    except ExhaustedError:
        if limits.is_shared():  # by keywords with values of the wrong type
            return _first(lenient(), value, most)
        raise
    except UNRUNNABLE:
        return _first(lenient(), value, most)


def guess_violation(lenient: Any, value: object) -> list[ValidationError]:
    """Return a violation that is cheap to find, if there is one."""
    with limits.shared_budget(patterns.MOST_STEPS):
        return errors(lenient, lambda: lenient, value, 1)


def _first(validator: Any, value: object, most: int) -> list[ValidationError]:
    with limits.fresh(value):
        return list(islice(validator.iter_errors(value), most))


def bounded_class(kind: Any, schema: object) -> Any:
    """Return a validator class with bounded time for a schema.

    It raises one of ``UNRUNNABLE`` if it can't decide.
    """
    is_dynamic = any(not _DYNAMIC.isdisjoint(node) for node in _nodes(schema))
    return _family(lambda item: _bounded_checks(item, is_dynamic), is_dynamic)(kind)


def _bounded_checks(kind: Any, is_dynamic: bool) -> Mapping[str, Check]:
    all_checks: Mapping[str, Check] = kind.VALIDATORS
    changed = {**checks.CHECKS, **UNIONS, **UNEVALUATED}
    if "disallow" in all_checks:  # draft-03, whose types may be schemas
        del changed["type"]
    if is_dynamic:  # their meaning depends on the dynamic scope
        for name in ("$ref", *_DYNAMIC):
            if name in all_checks:
                changed[name] = checks.limit_references(all_checks[name], MOST_PROBLEMS)
    else:
        changed["$ref"] = checks.asked_once(all_checks["$ref"], MOST_PROBLEMS)
    return {name: check for name, check in changed.items() if name in all_checks}


def lenient(kind: Any) -> Any:
    """Return a validator class that skips unsupported keywords.

    It also skips keywords that negate or count such parts.
    """
    return _family(lambda item: _lenient(kind.FAMILY(item)), kind.DYNAMIC)(kind.BASE)


def _lenient(kind: Any) -> Mapping[str, Check]:
    all_checks: Mapping[str, Check] = kind.VALIDATORS
    runnable = {name: _run(check) for name, check in all_checks.items()}
    return runnable | dict.fromkeys(_TURNING, _say_nothing)


def _family(
    changed: Callable[[Any], Mapping[str, Check]], is_dynamic: bool
) -> Callable[[Any], Any]:
    """Return a function that extends a validator class, and those of its subschemas.

    A subschema may have its own dialect and its own address.
    """
    classes: dict[Any, Any] = {}

    def extend_kind(kind: Any) -> Any:
        if kind not in classes:
            classes[kind] = _extend_class(kind, changed(kind))
            classes[kind].BASE, classes[kind].FAMILY = kind, staticmethod(extend_kind)
            classes[kind].DYNAMIC = is_dynamic
        return classes[kind]

    return extend_kind


def _extend_class(kind: Any, keywords: Mapping[str, Any]) -> Any:
    validator_class = jsonschema_api.extend_class(kind, keywords)
    validator_class.evolve = _evolve
    return validator_class


def _evolve(validator: Any, **changes: Any) -> Any:
    """Return the validator of a subschema. jsonschema's own loses its address and limits."""
    limits.count_part()
    schema = changes.get("schema", validator.schema)
    resolver = changes.get("_resolver")
    if not isinstance(schema, dict) or _NAMES.isdisjoint(cast("Any", schema)):
        return type(validator)(schema, _resolver=resolver or validator._resolver)
    if resolver is None:
        resolver = _enter_resource(validator, schema)
    kind = jsonschema_api.kind_of(cast("object", schema), validator.BASE)
    return validator.FAMILY(kind)(schema, _resolver=resolver)


def _enter_resource(validator: Any, schema: Any) -> Any:
    from referencing.jsonschema import specification_with

    resolver = validator._resolver  # there is no public way to get the address of a validator
    if not isinstance(schema, dict):
        return resolver
    dialect = validator.META_SCHEMA.get("$id", validator.META_SCHEMA.get("id"))
    resource: Any = specification_with(dialect).create_resource(cast("Any", schema))
    return resolver.in_subresource(resource)


def _nodes(schema: object) -> Iterator[dict[str, Any]]:
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            node = cast("dict[str, Any]", value)
            yield node
            waiting += node.values()
        elif isinstance(value, list):
            waiting += cast("list[object]", value)


def _run(check: Check) -> Check:
    def run(*arguments: Any) -> Iterator[ValidationError]:
        try:
            yield from check(*arguments) or ()
        except ExhaustedError:
            if not limits.is_shared():
                raise
        except UNRUNNABLE:
            return

    return run


def _say_nothing(*_: Any) -> Iterator[ValidationError]:
    return iter(())
