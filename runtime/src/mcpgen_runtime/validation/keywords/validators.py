"""Validators that take no longer than a schema and a value justify, for jsonschema.

Patterns run in bounded time. What a reference leads to is asked once for each value,
as two references that lead to two each, and so on, would take for ever.
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

# What takes too long, is no pattern or never ends, a number that no float can hold.
UNRUNNABLE = (patterns.UnrunnableError, OverflowError)

_TURNING = ("not", "oneOf", "if", "contains", "disallow", *sorted(UNEVALUATED))
_NAMES = frozenset({"$schema", "$id", "id"})  # a dialect or an address of its own
_DYNAMIC = frozenset({"$dynamicRef", "$recursiveRef"})


def errors(
    strict: Any, lenient: Callable[[], Any], value: object, most: int = MOST_PROBLEMS
) -> list[ValidationError]:
    """Return the first few ways in which a value breaks a schema.

    ``strict`` is a bounded validator. The lenient one is asked about a schema with a
    part that nobody can run.

    Raises:
        ExhaustedError: It is too expensive to say whether the value is valid.
        RecursionError: The schema or the value is too deep.
    """
    try:
        return _first(strict, value, most)
    except ExhaustedError:
        if limits.is_shared():  # by values that need not be right
            return _first(lenient(), value, most)
        raise
    except UNRUNNABLE:
        return _first(lenient(), value, most)


def guessed(lenient: Any, value: object) -> list[ValidationError]:
    """Return an error that is found at little expense, if there is one."""
    with limits.within(patterns.MOST_STEPS):
        return errors(lenient, lambda: lenient, value, 1)


def _first(validator: Any, value: object, most: int) -> list[ValidationError]:
    with limits.fresh(value):
        return list(islice(validator.iter_errors(value), most))


def bounded(kind: Any, schema: object) -> Any:
    """Return a kind of validator for a schema that never takes long.

    It raises one of ``UNRUNNABLE`` where it cannot say whether a value is valid.
    """
    is_dynamic = any(not _DYNAMIC.isdisjoint(node) for node in _nodes(schema))
    return _family(lambda each: _bounded(each, is_dynamic), is_dynamic)(kind)


def _bounded(kind: Any, is_dynamic: bool) -> Mapping[str, Check]:
    known: Mapping[str, Check] = kind.VALIDATORS
    changed = {**checks.CHECKS, **UNIONS, **UNEVALUATED}
    if "disallow" in known:  # draft-03, whose types may be schemas
        del changed["type"]
    if is_dynamic:  # what these lead to depends on the way there
        for name in ("$ref", *_DYNAMIC):
            if name in known:
                changed[name] = checks.counted(known[name], MOST_PROBLEMS)
    else:
        changed["$ref"] = checks.asked_once(known["$ref"], MOST_PROBLEMS)
    return {name: check for name, check in changed.items() if name in known}


def lenient(kind: Any) -> Any:
    """Return a kind of validator that passes over what cannot be run.

    Nothing can then be said of what turns a verdict round.
    """
    return _family(lambda each: _lenient(kind.FAMILY(each)), kind.DYNAMIC)(kind.BASE)


def _lenient(kind: Any) -> Mapping[str, Check]:
    known: Mapping[str, Check] = kind.VALIDATORS
    runnable = {name: _run(check) for name, check in known.items()}
    return runnable | dict.fromkeys(_TURNING, _say_nothing)


def _family(
    changed: Callable[[Any], Mapping[str, Check]], is_dynamic: bool
) -> Callable[[Any], Any]:
    """Return what extends a kind of validator, and those that its parts ask for.

    A part may name a dialect of its own, and has the address that it gives itself.
    """
    made: dict[Any, Any] = {}

    def extended(kind: Any) -> Any:
        if kind not in made:
            made[kind] = _extended(kind, changed(kind))
            made[kind].BASE, made[kind].FAMILY = kind, staticmethod(extended)
            made[kind].DYNAMIC = is_dynamic
        return made[kind]

    return extended


def _extended(kind: Any, keywords: Mapping[str, Any]) -> Any:
    validator_class = jsonschema_api.extended(kind, keywords)
    validator_class.evolve = _evolved
    return validator_class


def _evolved(validator: Any, **changes: Any) -> Any:
    """Return the validator of a part; jsonschema's own loses its address and bounds."""
    limits.count_part()
    schema = changes.get("schema", validator.schema)
    resolver = changes.get("_resolver")
    if not isinstance(schema, dict) or _NAMES.isdisjoint(cast("Any", schema)):
        return type(validator)(schema, _resolver=resolver or validator._resolver)
    if resolver is None:
        resolver = _entered(validator, schema)
    kind = jsonschema_api.kind_of(cast("object", schema), validator.BASE)
    return validator.FAMILY(kind)(schema, _resolver=resolver)


def _entered(validator: Any, schema: Any) -> Any:
    from referencing.jsonschema import specification_with

    resolver = validator._resolver  # nothing public says where a validator stands
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
