"""Unions of objects that contain themselves, validated in linear time.

Pydantic tries every alternative at every level, so the time for a filter of ``and`` and ``or``
doubles with each level.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, cast, get_args, get_origin

from pydantic import GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema, PydanticCustomError, core_schema
from typing_extensions import NotRequired, get_type_hints, is_typeddict

_ALL = -1


@dataclass
class _State(threading.local):
    """The alternative that a union tries now, and the outcomes so far."""

    chosen: int = _ALL
    depth: int = 0
    outcomes: dict[tuple[int, int], tuple[object, Any]] = field(default_factory=dict[Any, Any])


_STATE = _State()


class ByMembers:
    """Marks a union of objects whose properties decide which class a value becomes.

    The class that names most of the value's properties is tried
    first. Pydantic handles other values.
    """

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return a union with a gate before each alternative."""
        schema = cast("dict[str, Any]", handler(source))
        kinds = get_args(source)
        if schema["type"] != "union" or len(schema["choices"]) != len(kinds):
            return cast("CoreSchema", schema)
        gated = [
            (core_schema.no_info_wrap_validator_function(_gate(at), choice), name)
            for at, (choice, name) in enumerate(map(_choice_with_name, schema["choices"], kinds))
        ]
        return core_schema.no_info_wrap_validator_function(
            _Alternatives(kinds).validate, cast("Any", {**schema, "choices": gated})
        )


def _choice_with_name(choice: Any, kind: Any) -> tuple[Any, str]:
    schema: Any = cast("Any", choice)[0] if isinstance(choice, tuple) else choice
    return schema, getattr(kind, "__name__", str(kind))


def _gate(own: int) -> Callable[[Any, Callable[[Any], Any]], Any]:
    def enter(value: Any, handler: Callable[[Any], Any]) -> Any:
        if _STATE.chosen not in (own, _ALL):
            raise PydanticCustomError("other_alternative", "The union tries another alternative")
        return handler(value)

    return enter


@dataclass(frozen=True)
class _Shape:
    """The properties of a class, each with its JSON name and its Python name."""

    names: frozenset[str]
    required: tuple[frozenset[str], ...] = ()
    constants: Mapping[str, frozenset[object]] = field(
        default_factory=dict[str, "frozenset[object]"]
    )
    is_closed: bool = False

    def fits(self, value: Mapping[str, object]) -> bool:
        """Return False if an object certainly isn't valid for this class."""
        return (
            not any(names.isdisjoint(value) for names in self.required)
            and not (self.is_closed and value.keys() - self.names)
            and all(
                name not in value or _is_among(value[name], constants)
                for name, constants in self.constants.items()
            )
        )


def _is_among(value: object, constants: frozenset[object]) -> bool:
    return isinstance(value, str) and value in constants


class _Alternatives:
    """The classes of one union. Their shapes are read with the first value."""

    def __init__(self, kinds: Sequence[Any]) -> None:
        self._kinds = kinds

    def validate(self, value: Any, handler: Callable[[Any], Any]) -> Any:
        """Validate an object with the first class that accepts it."""
        state = _STATE
        if not isinstance(value, dict):
            return _validate_as(state, _ALL, value, handler)
        key = id(cast("object", value)), id(self)
        if key not in state.outcomes:
            state.depth += 1
            try:
                outcome = self._outcome(cast("dict[str, object]", value), handler)
            finally:
                state.depth -= 1
                if not state.depth:
                    state.outcomes.clear()
            if not state.depth:
                return _result_or_raise(outcome)
            # Keep the object alive, so that no other object gets its identity.
            state.outcomes[key] = value, outcome
        return _result_or_raise(state.outcomes[key][1])

    def _outcome(self, value: dict[str, object], handler: Callable[[Any], Any]) -> object:
        failures: list[Exception] = []
        for at in self._candidates(value):
            try:
                return _validate_as(_STATE, at, value, handler)
            except ValidationError as error:
                failures.append(error)
        return failures[0] if failures else self._mismatch

    def _candidates(self, value: dict[str, object]) -> list[int]:
        """Return the possible classes of an object, sorted by how many properties they name."""
        fitting = [
            (-len(value.keys() & shape.names) if shape else 1, at)
            for at, shape in enumerate(self._shapes)
            if shape is None or shape.fits(value)
        ]
        return [at for _, at in sorted(fitting)]

    @cached_property
    def _mismatch(self) -> PydanticCustomError:
        names = [getattr(kind, "__name__", str(kind)) for kind in self._kinds]
        reason = "Input should have the members of {names}"
        return PydanticCustomError("no_alternative", reason, {"names": ", ".join(names)})

    @cached_property
    def _shapes(self) -> list[_Shape | None]:
        return [_shape(kind) for kind in self._kinds]


def _validate_as(state: _State, chosen: int, value: Any, handler: Callable[[Any], Any]) -> Any:
    outer, state.chosen = state.chosen, chosen
    try:
        return handler(value)
    finally:
        state.chosen = outer


def _result_or_raise(outcome: Any) -> Any:
    if isinstance(outcome, ValidationError | PydanticCustomError):
        raise outcome
    return outcome


def _shape(kind: Any) -> _Shape | None:
    """Return the shape of a class, or None if it isn't an object class."""
    if is_typeddict(kind):
        return _dict_shape(kind)
    fields = getattr(kind, "__pydantic_fields__", None)
    if not fields:
        return None
    names = {name: frozenset({name, field.alias or name}) for name, field in fields.items()}
    hints = {
        spelling: field.annotation for name, field in fields.items() for spelling in names[name]
    }
    return _Shape(
        frozenset(hints),
        tuple(names[name] for name, field in fields.items() if field.is_required()),
        _constants(hints),
        _is_closed(kind),
    )


def _dict_shape(kind: Any) -> _Shape:
    hints = get_type_hints(kind)
    return _Shape(
        frozenset(hints),
        tuple(frozenset({name}) for name in kind.__required_keys__),
        _constants({name: _present(hint) for name, hint in hints.items()}),
        _is_closed(kind),
    )


def _is_closed(kind: Any) -> bool:
    config = getattr(kind, "model_config", None) or getattr(kind, "__pydantic_config__", {})
    return config.get("extra") == "forbid"


def _present(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is NotRequired else hint


def _constants(hints: Mapping[str, Any]) -> dict[str, frozenset[object]]:
    """Return the constant strings of the properties that have them."""
    literals = {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Literal}
    return {
        name: frozenset(values)
        for name, values in literals.items()
        if all(isinstance(value, str) for value in values)
    }
