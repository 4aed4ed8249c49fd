"""Converts the official MCP schema of a revision to Pydantic models.

Only for the official schema, not for schemas of servers. Types may become wider, never narrower.
mcpgen decides this and names every class, not datamodel-code-generator.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import warnings
from collections.abc import Mapping
from typing import Any, cast

from mcpgen_runtime.display import visible

from mcpgen import __version__
from mcpgen.codegen.formatting import format_module
from mcpgen.codegen.paragraphs import fold
from mcpgen.errors import UsageError
from mcpgen.files import write
from mcpgen.files.resources import folder
from mcpgen.schemas.validation.messages import REVISIONS, definitions

Schema = dict[str, Any]

_PRELUDE = '''\
"""Every message of revision {revision} of the Model Context Protocol, as a Pydantic model.

Read one with `CallToolRequest.model_validate(value)`, a union with `TypeAdapter(ServerRequest)`;
write one with `.model_dump(mode="json", exclude_unset=True)`, which gives back what was read.
"""

from __future__ import annotations

{imports}

def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


Integer = Annotated[int, Field(strict=True), BeforeValidator(_whole)]
"""A whole number; 2.0 is one, as in JSON Schema."""


class Message(BaseModel):
    """What all models share: members that the revision does not name are kept."""

    model_config = ConfigDict(
        extra="allow",
        strict=True,
        validate_by_alias=True,
        validate_by_name=True,
        serialize_by_alias=True,
    )
'''
_CONFIG = re.compile(r"^    model_config = ConfigDict\(\n(?:        .*\n)*    \)\n", re.MULTILINE)
_IMPORT = re.compile(r"^from (\w+) import (.*)$", re.MULTILINE)
_MODULES = ("typing", "pydantic", "typing_extensions")
_DOCUMENTED = 80
_LINK = re.compile(r"\{@link ([^}]*)\}")
# A line that continues on the next one, unless that is a list item.
_BREAK = re.compile(r"(?<=[^\s.:])\n(?=[^\W\d_]|[(`])")
# Formats are annotations: a URI or base64 text stays as it was received.
_KEPT = frozenset("$ref type const enum required minimum maximum maxItems description".split())


def generate(revision: str) -> str:
    """Return a module with a model of each definition of a revision, always with the same bytes."""
    _refuse_unknown(revision)
    imports, classes = _split(_models(_readable(definitions(revision))))
    schema = (folder("schema") / revision / "schema.json").read_bytes()
    header = (
        f"{write.HEADER} {__version__}. DO NOT EDIT.\n"
        f"# Made from the official schema of MCP {revision},\n"
        f"# sha256:{hashlib.sha256(schema).hexdigest()}\n\n"
    )
    prelude = _PRELUDE.format(revision=revision, imports=imports)
    return format_module(f"{header}{prelude}{classes}", "the models of the protocol")


def _refuse_unknown(revision: str) -> None:
    if revision in REVISIONS:
        return
    near = difflib.get_close_matches(revision, REVISIONS, n=1, cutoff=0)[0]
    raise UsageError(
        f"unknown protocol revision {revision[:40]!r}",
        hint=f"did you mean {near}? known are {', '.join(REVISIONS)}",
    )


def _models(named: Mapping[str, Schema]) -> str:
    with warnings.catch_warnings():
        # On Python 3.10, the library warns about its own plans, which don't concern our users.
        warnings.simplefilter("ignore", FutureWarning)
        return _generate_models(named)


def _generate_models(named: Mapping[str, Schema]) -> str:
    from datamodel_code_generator import GenerateConfig, InputFileType, generate
    from datamodel_code_generator.enums import DataModelType
    from datamodel_code_generator.format import Formatter, PythonVersion
    from datamodel_code_generator.parser import LiteralType

    nothing: list[Formatter] = []
    # "io.modelcontextprotocol/serverInfo" is read as `server_info`.
    prefixed = {key: _snake(key.rpartition("/")[2]) for key in _members(named) if "/" in key}
    config = GenerateConfig(
        input_file_type=InputFileType.JsonSchema,
        output_model_type=DataModelType.PydanticV2BaseModel,
        target_python_version=PythonVersion.PY_310,
        formatters=nothing,
        disable_timestamp=True,
        base_class="mcpgen_prelude.Message",
        skip_root_model=True,
        use_type_alias=True,
        use_annotated=True,
        field_constraints=True,
        snake_case_field=True,
        aliases=prefixed,
        remove_special_field_name_prefix=True,
        enum_field_as_literal=LiteralType.All,
        use_schema_description=True,
        use_field_description=True,
        use_attribute_docstrings=True,
        use_single_line_docstring=True,
        allow_remote_refs=False,
        strict_refs=True,
    )
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return cast("str", generate({"$schema": dialect, "$defs": named}, config=config))


def _split(text: str) -> tuple[str, str]:
    """Split imports from classes, and remove the parts in the prelude."""
    start = text.index("\n\n\n")
    names = {"typing": {"Annotated"}, "pydantic": {"BaseModel", "BeforeValidator", "ConfigDict"}}
    for module, imported in _IMPORT.findall(text[:start]):
        names.setdefault(module, set()).update(imported.split(", "))
    imports = [f"from {module} import {', '.join(sorted(names[module]))}" for module in _MODULES]
    return "\n".join(imports), _CONFIG.sub("", text[start:])


def _readable(named: Mapping[str, Schema]) -> dict[str, Schema]:
    """Return equal or slightly looser definitions, with a name for every object."""
    definitions: dict[str, Schema] = {}
    for name, schema in named.items():
        definitions[name] = _read(_merge(schema, named), name, named, definitions)
    if "JSONValue" in definitions:
        definitions["JSONValue"] = _any_json(definitions)
    return definitions


def _any_json(definitions: Mapping[str, Schema]) -> Schema:
    """Return the recursive type of any JSON value, including ``null``."""
    union = definitions["JSONValue"]
    options = [
        definitions[_target(part["$ref"])] if "$ref" in part else part for part in union["anyOf"]
    ]
    return {**union, "anyOf": [*options, {"type": "null"}]}


def _read(
    schema: Schema, name: str, named: Mapping[str, Schema], definitions: dict[str, Schema]
) -> Schema:
    def inner(part: Schema, suffix: str) -> Schema:
        return _extract(_merge(part, named), name + suffix, named, definitions)

    readable = {key: value for key, value in schema.items() if key in _KEPT}
    if "$ref" in readable:
        readable["$ref"] = _reference(readable["$ref"])
    if "description" in readable:
        readable["description"] = _documentation(readable["description"], named)
    if properties := schema.get("properties"):
        readable["properties"] = {
            key: inner(part, _pascal(key)) for key, part in properties.items()
        }
    elif isinstance(schema.get("additionalProperties"), dict):
        readable["additionalProperties"] = inner(schema["additionalProperties"], "Value")
    if "items" in schema:
        readable["items"] = inner(schema["items"], "Item")
    if "anyOf" in schema:
        readable["anyOf"] = [inner(part, f"Option{n}") for n, part in enumerate(schema["anyOf"], 1)]
    return _convert_types(readable)


def _extract(
    schema: Schema, name: str, named: Mapping[str, Schema], definitions: dict[str, Schema]
) -> Schema:
    """Move an object to a definition of its own, and refer to it. Other schemas stay."""
    if not schema.get("properties"):
        return _read(schema, name, named, definitions)
    assert name not in named, f"two definitions would be called {name}"
    definitions[name] = _read(schema, name, named, definitions)
    return {"$ref": _reference(name)}


def _reference(name: str) -> str:
    return f"#/$defs/{_target(name)}"


def _target(reference: str) -> str:
    return reference.rpartition("/")[2]


def _convert_types(schema: Schema) -> Schema:
    """Convert types to the form of the models: a list of types becomes a union."""
    kinds = schema.get("type")
    if isinstance(kinds, list):
        kinds = cast("list[str]", kinds)
        rest = {key: value for key, value in schema.items() if key != "type"}
        # The schema contains "integer" for `number` in its TypeScript source.
        wide = ["number" if kind == "integer" and "boolean" in kinds else kind for kind in kinds]
        return {**rest, "anyOf": [_convert_types({"type": kind}) for kind in wide]}
    if kinds == "integer" and "const" not in schema:
        return {**schema, "customTypePath": "mcpgen_prelude.Integer"}
    if kinds == "number":
        # An integer must stay an integer.
        return {**schema, "type": ["integer", "number"]}
    return schema


def _merge(schema: Schema, named: Mapping[str, Schema]) -> Schema:
    """Merge an ``allOf``. A class that narrows an inherited field wouldn't type-check."""
    if "allOf" not in schema:
        return schema
    merged: Schema = {"type": "object", "properties": {}, "required": []}
    for part in schema["allOf"]:
        target = _merge(named[_target(part["$ref"])] if "$ref" in part else part, named)
        merged["properties"] = {**merged["properties"], **target.get("properties", {})}
        merged["required"] = sorted({*merged["required"], *target.get("required", [])})
    return {**merged, "description": schema.get("description", "")}


def _documentation(text: str, named: Mapping[str, Schema]) -> str:
    """Return a description with links such as ``{@link Tool}`` replaced by plain text."""

    def plain(link: re.Match[str]) -> str:
        # The schema lost the space between a link's target and its text.
        target = max((name for name in named if link[1].startswith(name)), key=len, default="")
        rest = link[1][len(target) :]
        return rest if rest and not rest.startswith(".") else link[1]

    return "\n".join(
        fold(visible(_BREAK.sub(" ", _LINK.sub(plain, text))), _DOCUMENTED, first=_DOCUMENTED)
    )


def _members(named: Mapping[str, Schema]) -> set[str]:
    return {key for schema in named.values() for key in schema.get("properties", {})}


def _snake(wire: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", wire).lower()


def _pascal(wire: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"\W|_", wire))
