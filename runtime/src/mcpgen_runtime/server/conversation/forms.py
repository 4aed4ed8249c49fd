"""Forms for the user of a client, written as dataclasses (MCP, "Elicitation")."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from inspect import cleandoc
from typing import Any, Literal, TypeVar, cast
from weakref import WeakKeyDictionary

from mcp import types
from pydantic import TypeAdapter, ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import NullableSchema, WithDefaultSchema

from ...problem import problems_of
from ..errors import InvalidAnswer

F = TypeVar("F")


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The outcome of a form that the user declined to fill in, or closed."""

    action: Literal["decline", "cancel"]


def message_of(form: type[Any]) -> str:
    """Return the first paragraph of a form's docstring.

    Raises:
        TypeError: It has none. The one that ``dataclass`` writes doesn't count.
    """
    doc = form.__doc__ or ""
    if not doc or doc.startswith(f"{form.__name__}("):
        raise TypeError(f"{form.__name__} needs a docstring, or a message: ask(Form, message)")
    return " ".join(cleandoc(doc).split("\n\n")[0].split())


def schema_of(form: type[Any]) -> Mapping[str, Any]:
    """Return the requested schema of a form: a flat object of simple fields.

    Raises:
        TypeError: It isn't a dataclass, or has a field that the protocol doesn't allow.
    """
    if not is_dataclass(form):
        raise TypeError(f"{form!r} isn't a dataclass")
    schema = _adapter(form).json_schema(schema_generator=_FormSchema)
    definitions = schema.get("$defs", {})
    properties = {
        name: _field(form, name, _resolve(raw, definitions))
        for name, raw in schema.get("properties", {}).items()
    }
    required = {"required": schema["required"]} if "required" in schema else {}
    return {"type": "object", "properties": properties, **required}


def answer_of(form: type[F], result: types.ElicitResult) -> F | Unanswered:
    """Convert the client's response to the form.

    Raises:
        InvalidAnswer: The response doesn't fit the form.
    """
    if result.action != "accept":
        return Unanswered(result.action)
    try:
        # As JSON, strictly: a date is a string, and "5" isn't a number.
        return _adapter(form).validate_json(json.dumps(result.content or {}), strict=True)
    except ValidationError as error:
        raise InvalidAnswer(form.__name__, problems_of(error)) from None


def _adapter(form: type[F]) -> TypeAdapter[F]:
    adapter: TypeAdapter[F] | None = _ADAPTERS.get(form)
    if adapter is None:
        adapter = _ADAPTERS[form] = TypeAdapter(form)
    return adapter


_ADAPTERS: WeakKeyDictionary[type[Any], TypeAdapter[Any]] = WeakKeyDictionary()


class _FormSchema(GenerateJsonSchema):
    """Writes ``T | None`` as ``T``. A field that may be left out isn't required."""

    def nullable_schema(self, schema: NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: WithDefaultSchema) -> JsonSchemaValue:
        written = super().default_schema(schema)
        if written.get("default", ...) is None:
            del written["default"]
        return written


def _resolve(raw: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a field, with the definition of an enum in place of its reference."""
    schema = {**raw}
    reference = schema.pop("$ref", None)
    if reference is not None:
        schema = {**definitions[reference.removeprefix("#/$defs/")], **schema}
    if "items" in schema:
        schema["items"] = _resolve(schema["items"], definitions)
        schema["items"].pop("title", None)
    if "const" in schema:
        schema["enum"] = [schema.pop("const")]
    if schema.get("format") not in (None, "email", "uri", "date", "date-time"):
        del schema["format"]
    return schema


def _field(form: type[Any], name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a field.

    Raises:
        TypeError: It is neither a number, a boolean, a string nor a choice of strings.
    """
    kind = schema.get("type")
    is_choice = "enum" in schema
    if kind == "array":
        items = cast("dict[str, Any]", schema.get("items", {}))
        is_allowed = items.get("type") == "string" and "enum" in items
    else:
        is_allowed = kind == "string" or (
            kind in ("integer", "number", "boolean") and not is_choice
        )
    if not is_allowed:
        raise TypeError(
            f"{form.__name__}.{name} isn't allowed: forms have strings, numbers, booleans"
            " and choices of strings"
        )
    return schema
