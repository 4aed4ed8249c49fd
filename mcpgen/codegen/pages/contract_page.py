"""Plans the page of a contract: every definition with its tables and example calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from mcpgen.codegen import escaping, naming
from mcpgen.codegen.pages import calls
from mcpgen.codegen.pages.anchors import anchor, segment
from mcpgen.codegen.pages.tables import Tables
from mcpgen.codegen.pages.values import Call, ContractPage, Entry, Row, Section, Table, Values
from mcpgen.codegen.paragraphs import dedent
from mcpgen.codegen.plan import documentation, methods, tool_types
from mcpgen.codegen.plan.client import CONVENTIONS, is_free
from mcpgen.codegen.plan.package import Method
from mcpgen.codegen.plan.tool_types import ToolType
from mcpgen.contract import definitions
from mcpgen.contract.definitions import Api, Argument, Prompt, Resource, Schema, Tool
from mcpgen.contract.document import Contract
from mcpgen.isolation import failure_notices, isolate

_LONGEST_TEXT = 20_000
_LONGEST_SCHEMA = 100_000
_REST = "... (The rest is in the contract.)"


def contract_page(contract: Contract, package: str) -> ContractPage:
    """Plan the page of a contract. Example calls use a client ``package`` of this name."""
    names = naming.methods(contract.tools, contract.names)
    page, failures = isolate(partial(_page, names, package), contract)
    return replace(page, notices=(*failure_notices(failures), *page.notices))


def _page(names: Mapping[str, str], package: str, contract: Contract) -> ContractPage:
    api = definitions.read(contract)
    sections = (
        Section(
            "tools", "Tools", tuple(_tool(tool, names[tool.name], package) for tool in api.tools)
        ),
        Section("prompts", "Prompts", tuple(_prompts(api, package))),
        Section("resources", "Resources", tuple(_resources(api, package, is_template=False))),
        Section(
            "templates", "Resource templates", tuple(_resources(api, package, is_template=True))
        ),
    )
    facts = {"Server": api.server, "Version": api.version, "Protocol": api.revision}
    return ContractPage(
        name=escaping.plain(api.server) or package,
        title=escaping.plain(api.title or api.server) or package,
        facts=tuple((label, escaping.plain(value)) for label, value in facts.items() if value),
        instructions=_prose(api.instructions),
        setup=_setup(package),
        sections=tuple(section for section in sections if section.entries),
        notices=api.notices,
    )


def _setup(package: str) -> tuple[Call, ...]:
    """Return the program around the example calls."""
    client = f"{naming.prefix(package)}Client"
    code = (
        f"import asyncio\n\nfrom {package} import {client}\n\n\nasync def main() -> None:\n"
        f"    async with {client}.connect() as {package}:\n"
        "        ...  # a call of this page\n\n\nasyncio.run(main())"
    )
    return (Call("Python", code),)


def _prose(text: str) -> str:
    return escaping.shorten(dedent(text), _LONGEST_TEXT, _REST)


def _tool(tool: Tool, method: str, package: str) -> Entry:
    arguments, result = tool_types.arguments(tool, method), tool_types.result(tool, method)
    title = documentation.tool_title(tool)
    return Entry(
        anchor=anchor("tool", segment(tool.name)),
        name=escaping.plain(tool.name),
        title=escaping.plain(title),
        description=_prose(tool.description),
        hints=documentation.hints(tool, "Hints, unverified"),
        warning=escaping.plain(tool.forbidden_reason),
        values=(_arguments(tool, arguments), _result(tool, result)),
        calls=calls.tool_calls(package, method, tool, arguments),
    )


def _arguments(tool: Tool, tool_type: ToolType | None) -> Values:
    heading = "Arguments"
    if tool_type is None:
        note = "The tool has no usable input schema: its arguments are unchecked JSON."
        return Values(heading, note=note)
    _, tables, links = Tables("tool", tool.name, tool_type.inferred).root()
    tables = tuple(table for table in tables if table.rows)
    note = ""
    if not tables:
        note = "Any: none is named." if is_free(tool, tool_type) else "None."
    schema = _inexact_schema(tool.input, tool_type)
    return Values(heading, note=note, tables=tables, links=links, schema=schema)


def _result(tool: Tool, tool_type: ToolType | None) -> Values:
    heading = "Result"
    observed = documentation.observed_note(tool.observed) if tool.observed else ""
    if tool_type is None:
        note = observed or "Content blocks, such as text. The tool has no output schema."
        return Values(heading, note=note)
    type_text, tables, links = Tables("result", tool.name, tool_type.inferred).root()
    notes = [observed]
    if tool.wrapped and not observed:
        notes.append("In JSON, this is the property `result` of the structured content.")
    is_one_object = type_text == "object" and tables
    schema = tool.observed.schema if tool.observed else tool.output
    return Values(
        heading,
        "" if is_one_object else type_text,
        " ".join(note for note in notes if note),
        tables,
        links,
        _inexact_schema(schema, tool_type),
    )


def _inexact_schema(schema: Schema | None, tool_type: ToolType) -> str:
    """Return the JSON of a schema that has more rules than its type, unless it is huge."""
    if schema is None or tool_type.inferred.exact:
        return ""
    text = json.dumps(schema.raw, ensure_ascii=False, indent=1)
    return text if len(text) <= _LONGEST_SCHEMA else ""


def _prompts(api: Api, package: str) -> Iterator[Entry]:
    planned = methods.only(methods.prompts(api, CONVENTIONS))
    for prompt, method in zip(api.prompts, planned, strict=True):
        yield Entry(
            anchor=anchor("prompt", segment(prompt.name)),
            name=escaping.plain(prompt.name),
            title=escaping.plain(prompt.title),
            description=_prose(prompt.description),
            values=_argument_values("prompt", prompt.name, prompt),
            calls=calls.prompt_calls(package, prompt, method),
        )


def _resources(api: Api, package: str, *, is_template: bool) -> Iterator[Entry]:
    planned = methods.only(methods.resources(api, CONVENTIONS))
    listed = [*api.resources, *api.templates]
    for resource, method in zip(listed, planned, strict=True):
        if (method.kind == "template") == is_template:
            yield _resource(resource, method, package)


def _resource(resource: Resource, method: Method, package: str) -> Entry:
    kind = "template" if method.kind == "template" else "resource"
    facts = {"URI": resource.uri, "MIME type": resource.mime_type}
    return Entry(
        anchor=anchor(kind, segment(resource.uri)),
        name=escaping.plain(resource.name or resource.uri),
        title=escaping.plain(resource.title),
        description=_prose(resource.description),
        facts=tuple((label, escaping.plain(value)) for label, value in facts.items() if value),
        values=_argument_values(kind, resource.uri, resource),
        calls=calls.resource_calls(package, resource, method),
    )


def _argument_values(kind: str, name: str, owner: Prompt | Resource) -> tuple[Values, ...]:
    is_prompt = isinstance(owner, Prompt)
    arguments = owner.arguments if isinstance(owner, Prompt) else owner.variables
    if not arguments:
        return (Values("Arguments", note="None."),) if is_prompt else ()
    rows = tuple(_argument_row(kind, name, argument) for argument in arguments)
    return (Values("Arguments" if is_prompt else "Variables", tables=(Table("", rows),)),)


def _argument_row(kind: str, name: str, argument: Argument) -> Row:
    return Row(
        anchor=anchor(kind, segment(name), segment(argument.name)),
        name=escaping.plain(argument.name),
        type="string or array of strings" if argument.repeated else "string",
        usage="required" if argument.required else "optional",
        description=_prose(argument.description),
    )
