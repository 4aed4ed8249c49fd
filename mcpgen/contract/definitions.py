"""Parses the definitions of a contract into frozen values, with their JSON names.

Nonconforming definitions are kept if the tool can still be called, and reported by a notice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mcpgen.contract.document import Contract
from mcpgen.errors import Notice
from mcpgen.isolation import failure_notices, isolate
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.schemas.validation import definition_checks, headers, lint, schemas

NONCONFORMING = "odd member"
"""The kind of notices about properties that violate the protocol and are ignored."""

WRAPPED = "x-fastmcp-wrap-result"


@dataclass(frozen=True, slots=True)
class Schema:
    """A tool's schema, valid in its own dialect. ``raw`` is used for validation."""

    raw: Json
    dialect: str


@dataclass(frozen=True, slots=True)
class ObservedResult:
    """The observed results of a tool, which the server doesn't guarantee. Text has no schema.

    ``source`` is the part of the result with the data, as in the observed file.
    """

    answers: int
    source: str
    schema: Schema | None


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool. A schema is None if it is missing or invalid in its own dialect.

    If ``wrapped``, the property ``result`` of the structured content is the result.
    ``forbidden_reason`` is why no client may call the tool over HTTP. If results were ``observed``,
    they determine the type of the result.
    """

    name: str
    title: str
    description: str
    input: Schema | None
    output: Schema | None
    wrapped: bool
    annotations: Mapping[str, Json]
    forbidden_reason: str = ""
    observed: ObservedResult | None = None


@dataclass(frozen=True, slots=True)
class Argument:
    """A prompt argument, or a variable of a resource template. Values are strings."""

    name: str
    description: str
    required: bool
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt and its arguments."""

    name: str
    title: str
    description: str
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource, or with ``variables`` a resource template (RFC 6570)."""

    uri: str
    name: str
    title: str
    description: str
    mime_type: str
    variables: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class Api:
    """All definitions of a server, and notices about nonconforming ones."""

    server: str
    title: str
    version: str
    revision: str
    instructions: str
    tools: tuple[Tool, ...]
    prompts: tuple[Prompt, ...]
    resources: tuple[Resource, ...]
    templates: tuple[Resource, ...]
    notices: tuple[Notice, ...]
    has_completions: bool = False
    """Whether the server completes arguments of prompts and resource templates."""


def parse(contract: Contract) -> Api:
    """Read a contract. Nonconforming definitions cause notices, never an exception."""
    api, failures = isolate(read, contract)
    return replace(api, notices=(*failure_notices(failures), *api.notices))


def read(contract: Contract) -> Api:
    """Read a contract without isolation, for isolated callers."""
    notices = list(_nonconforming(contract))
    return Api(
        server=server_name(contract),
        title=_text(contract.server, "title"),
        version=_text(contract.server, "version"),
        revision=contract.revision,
        instructions=contract.instructions,
        tools=tuple(
            _tool_without_schemas(name, raw)
            if name in contract.untyped
            else _tool(name, raw, notices, contract.observed.get(name))
            for name, raw in sorted(contract.tools.items())
        ),
        prompts=tuple(_prompt(raw) for _, raw in sorted(contract.prompts.items())),
        resources=tuple(_resource(raw, "uri") for _, raw in sorted(contract.resources.items())),
        templates=tuple(_templates(contract, notices)),
        notices=tuple(notices),
        has_completions=is_object(contract.capabilities.get("completions")),
    )


def tools(contract: Contract, names: Iterable[str] | None = None) -> dict[str, Tool]:
    """Parse all or some tools, without notices, which take most of the time."""
    untyped, listed, observed = contract.untyped, contract.tools, contract.observed
    return {
        name: _tool_without_schemas(name, listed[name])
        if name in untyped
        else _tool(name, listed[name], None, observed.get(name))
        for name in sorted(listed if names is None else names)
    }


def _nonconforming(contract: Contract) -> Iterator[Notice]:
    """Yield definitions and properties that violate the protocol, which are ignored."""
    lists: dict[str, Mapping[str, Mapping[str, Json]]] = {
        "/tools": contract.tools,
        "/prompts": contract.prompts,
        "/resources": contract.resources,
        "/resourceTemplates": contract.resource_templates,
        "": {"server": contract.server},
    }
    for where, definitions in lists.items():
        for name, raw in definitions.items():
            for problem in definition_checks.nonconforming(raw):
                at = f"{where}/{escape(name)}{problem.pointer}"
                yield Notice(at, f"{problem.reason}; ignored", NONCONFORMING)
    for name, value in contract.capabilities.items():
        if not is_object(value):
            yield Notice(
                f"/capabilities/{escape(name)}", "expected an object; ignored", NONCONFORMING
            )


def server_name(contract: Contract) -> str:
    """Return the server's name, or "" without one."""
    return _text(contract.server, "name")


def _tool_without_schemas(name: str, raw: Mapping[str, Json]) -> Tool:
    """Return a tool without its schemas."""
    untyped = {k: v for k, v in raw.items() if k not in ("inputSchema", "outputSchema")}
    return _tool(name, untyped, None)


def _tool(
    name: str,
    raw: Mapping[str, Json],
    notices: list[Notice] | None,
    observed: Mapping[str, Json] | None = None,
) -> Tool:
    where = f"/tools/{escape(name)}"
    output = raw.get("outputSchema")
    annotations = raw.get("annotations")
    if notices is not None:
        caveats = lint.caveats(name, raw)
        notices += [
            Notice(where + caveat.pointer, caveat.reason, caveat.kind) for caveat in caveats
        ]
    schema = _input(raw, where, notices)
    result = None if output is None else _schema(output, f"{where}/outputSchema", notices)
    return Tool(
        name=name,
        title=_text(raw, "title"),
        description=_text(raw, "description"),
        input=schema,
        output=result,
        wrapped=result is not None and _is_wrapped(result.raw),
        annotations=annotations if is_object(annotations) else {},
        forbidden_reason=_forbidden_reason(schema, f"{where}/inputSchema", notices),
        observed=_read_observed(observed) if observed else None,
    )


def _read_observed(entry: Mapping[str, Json]) -> ObservedResult:
    """Read an entry of an observed file, which has a valid schema."""
    schema = entry.get("schema")
    dialect = "" if schema is None else schemas.dialect(schema) or ""
    read = None if schema is None else Schema(schema, dialect)
    return ObservedResult(entry["answers"], entry["from"], read)


def _forbidden_reason(schema: Schema | None, where: str, notices: list[Notice] | None) -> str:
    """Return why an ``x-mcp-header`` makes clients reject the tool (MCP 2026-07-28,
    server/tools).
    """
    problem = next(headers.problems(schema.raw), None) if schema else None
    if problem is None:
        return ""
    reason = f"{problem.reason}; no client may call the tool over HTTP"
    _note(notices, where + problem.pointer, reason, "header")
    return f"{problem.pointer}: {reason}"


def _note(notices: list[Notice] | None, pointer: str, reason: str, kind: str) -> None:
    if notices is not None:
        notices.append(Notice(pointer, reason, kind))


def _input(raw: Mapping[str, Json], where: str, notices: list[Notice] | None) -> Schema | None:
    at = f"{where}/inputSchema"
    schema = raw.get("inputSchema")
    if not is_object(schema):
        has = "no inputSchema" if schema is None else "an inputSchema that isn't an object"
        reason = f"the tool has {has}; its arguments are plain JSON, unchecked"
        _note(notices, at, reason, "no input schema")
        return None
    checked = _schema(schema, at, notices)
    if checked is not None and checked.raw.get("type") != "object":
        reason = 'inputSchema should have "type": "object" at its root; read as if it had'
        _note(notices, at, reason, "root type")
    return checked


def _schema(raw: Json, where: str, notices: list[Notice] | None) -> Schema | None:
    dialect = schemas.dialect(raw)
    problem = schemas.problem(raw)
    if problem is not None or dialect is None:
        pointer, reason = (problem.pointer, problem.reason) if problem else ("", "unknown dialect")
        reason = f"{reason}; left as plain JSON, unchecked"
        _note(notices, f"{where}{pointer}", reason, "no schema")
        return None
    if notices is not None:
        notices += _lint(raw, where)
    return Schema(raw, dialect)


def _lint(raw: Json, where: str) -> Iterator[Notice]:
    for pointer in lint.bad_defaults(raw):
        reason = "the default is not valid by its own schema; it is documented, never sent"
        yield Notice(f"{where}{pointer}", reason, "bad default")
    for warning in lint.uncertain_patterns(raw):
        yield Notice(f"{where}{warning.pointer}", warning.reason, "pattern")


def _is_wrapped(schema: Json) -> bool:
    if not is_object(schema) or schema.get(WRAPPED) is not True:
        return False
    properties: Any = schema.get("properties")
    is_there = is_object(properties) and "result" in properties
    return is_there and "result" in schema.get("required", ()) and schema.get("type") == "object"


def _prompt(raw: Mapping[str, Json]) -> Prompt:
    arguments: Any = raw.get("arguments")
    read: dict[str, Argument] = {}
    for entry in arguments if is_array(arguments) else []:
        if is_object(entry) and isinstance(entry.get("name"), str):
            argument = Argument(
                entry["name"], _text(entry, "description"), entry.get("required") is True
            )
            read.setdefault(argument.name, argument)
    return Prompt(
        _text(raw, "name"), _text(raw, "title"), _text(raw, "description"), tuple(read.values())
    )


def _resource(raw: Mapping[str, Json], key: str, variables: tuple[Argument, ...] = ()) -> Resource:
    return Resource(
        uri=_text(raw, key),
        name=_text(raw, "name"),
        title=_text(raw, "title"),
        description=_text(raw, "description"),
        mime_type=_text(raw, "mimeType"),
        variables=variables,
    )


def _templates(contract: Contract, notices: list[Notice]) -> Iterator[Resource]:
    for uri, raw in sorted(contract.resource_templates.items()):
        arguments = variables(uri)
        if arguments is None:
            where = f"/resourceTemplates/{escape(uri)}"
            notices.append(Notice(where, "not an RFC 6570 template; left out", "no template"))
            continue
        yield _resource(raw, "uriTemplate", arguments)


_VARIABLE = re.compile(r"(?P<name>(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}|\.)+)(?::\d{1,4}|(?P<star>\*))?")


def variables(template: str) -> tuple[Argument, ...] | None:
    """Return the variables of a URI template (RFC 6570, section 2.3), or None if it is
    malformed.
    """
    arguments: dict[str, Argument] = {}
    if re.search(r"[{}]", re.sub(r"\{[^{}]*\}", "", template)):
        return None
    for operator, body in re.findall(r"\{([+#./;?&]?)([^{}]*)\}", template):
        for part in body.split(","):
            match = _VARIABLE.fullmatch(part)
            if match is None:
                return None
            # A missing value expands to nothing, and only query variables are optional.
            optional = operator in ("?", "&")
            name = match["name"]
            arguments.setdefault(name, Argument(name, "", not optional, bool(match["star"])))
    return tuple(arguments.values())


def _text(raw: Mapping[str, Json], key: str) -> str:
    value = raw.get(key)
    return value if isinstance(value, str) else ""
