"""Plans requests of lists, pages, prompts, resources and unknown names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice
from typing import Any

from mcpgen.contract.document import Contract
from mcpgen.contract.lists import LISTINGS
from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.schemas.validation import uri_templates
from mcpgen.servers.recording.wire.handshake import MODERN_REVISIONS
from mcpgen.servers.shell.tool_call import prompt_schema
from mcpgen.testing.arguments import safety
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.plan.subjects import Subjects

_MOST_RESOURCES = 5
_MOST_SUBSETS = 12
_MOST_LEFT_OUT = 3
_MAX_COMPLETIONS = 12
_COMPLETED = ("", "a", "'\"%{(*\\")
_LEVELS = ("emergency", "info", "debug")
_ODD_TEXTS = ("it's", "100%", "a b", "{}", "Zo\u00eb", "x" * 300)
_NOBODY = "mcpgen_no_such"
_NO_REVISION = "2000-01-01"


def offered_cases(contract: Contract) -> Iterator[Case]:
    """Yield a case for each definition of a contract, which the server should list."""
    for listing in LISTINGS:
        for key in getattr(contract, listing.attribute):
            data = {"method": listing.method, "key": key}
            yield Case("offered", f"{listing.definition.lower()} {key}", data)


def of_server(subjects: Subjects) -> Iterator[Case]:
    """Yield the lists, unknown names, and listed resources and prompts."""
    contract = subjects.lab.contract
    if contract.revision not in MODERN_REVISIONS:
        yield Case("ping", "server")
        yield Case("revision", "server", {"revision": _NO_REVISION})
    for listing in LISTINGS:
        if listing.capability in contract.capabilities or getattr(contract, listing.attribute):
            yield Case("pages", "server", {"method": listing.method})
    if contract.tools:
        yield _unknown("tools/call", {"name": _absent(contract.tools), "arguments": {}})
    if contract.prompts:
        # The arguments are those of a known prompt, so only the name can be refused.
        arguments = _example_arguments(next(iter(contract.prompts.values())), subjects.seed)
        yield _unknown("prompts/get", {"name": _absent(contract.prompts), "arguments": arguments})
    if contract.resources or contract.resource_templates:
        yield _unknown("resources/read", {"uri": "mcpgen-no-such://nowhere/at-all"})
    for uri in islice(contract.resources, _MOST_RESOURCES):
        yield _request_case(f"resource {uri}", "resources/read", {"uri": uri}, is_sure=True)
    for template, definition in contract.resource_templates.items():
        yield from _template(subjects, template, str(definition.get("name", "")))
    for name, definition in contract.prompts.items():
        yield from _prompt(name, definition, subjects.seed)
    yield from islice(_completions(contract), _MAX_COMPLETIONS)
    if contract.revision not in MODERN_REVISIONS:
        yield from _settings(contract)


def _completions(contract: Contract) -> Iterator[Case]:
    """Yield requests for the completion of prompt arguments and template variables."""
    if "completions" not in contract.capabilities:
        return
    of_prompts: list[tuple[dict[str, Json], str]] = [
        ({"type": "ref/prompt", "name": name}, str(item.get("name")))
        for name, definition in contract.prompts.items()
        for item in _arguments_of(definition)
    ]
    of_templates: list[tuple[dict[str, Json], str]] = [
        ({"type": "ref/resource", "uri": template}, variable)
        for template in contract.resource_templates
        for variable in uri_templates.variables(template)
    ]
    for reference, argument in [*of_prompts, *of_templates]:
        if not safety.is_secret(argument):
            for value in _COMPLETED:
                params: dict[str, Json] = {"ref": reference}
                params["argument"] = {"name": argument, "value": value}
                yield _utility("completion/complete", params, "completions")


def _settings(contract: Contract) -> Iterator[Case]:
    """Yield subscriptions, and levels of log messages. The last level shows all messages."""
    resources = contract.capabilities.get("resources")
    if is_object(resources) and resources.get("subscribe") is True:
        for uri in islice(contract.resources, 1):
            for method in ("resources/subscribe", "resources/unsubscribe"):
                yield _utility(method, {"uri": uri}, "resources.subscribe")
    if "logging" in contract.capabilities:
        for level in _LEVELS:
            yield _utility("logging/setLevel", {"level": level}, "logging")


def _utility(method: str, params: dict[str, Json], capability: str) -> Case:
    data: dict[str, Json] = {"method": method, "params": params, "capability": capability}
    return Case("utility", "server", data)


def request_ids(subjects: Subjects) -> Iterator[Case]:
    """Yield a case on the IDs of responses, with a call that works."""
    calls: list[Json] = [
        {"name": subject.name, "arguments": subject.good[0]}
        for subject in subjects.every()
        if subjects.reads_only(subject)
    ]
    yield Case("ids", "server", {"calls": calls[:1]})


def _template(subjects: Subjects, template: str, name: str) -> Iterator[Case]:
    """Yield reads of a template with values of results, and with odd ones."""
    from mcp import InvalidUriTemplate, UriTemplate

    try:
        parsed = UriTemplate.parse(template)
    except InvalidUriTemplate:
        return
    values: dict[str, Json] = {}
    variables = Schema({"properties": {variable: {} for variable in parsed.variable_names}})
    for variable in parsed.variable_names:
        candidates = [
            item
            for _, items, _ in subjects.lab.known_values.matching(name, variable)
            for item in items
        ]
        if not candidates or safety.is_secret(variable):
            return
        values[variable] = str(candidates[0])
    rows = [values]
    for variable in values:
        if safety.is_path(variable, variables):
            continue
        rows += [{**values, variable: text} for text in _ODD_TEXTS]
    for row in rows:
        uri = parsed.expand(row)
        yield _request_case(f"resource {uri}", "resources/read", {"uri": uri}, is_sure=False)


def _prompt(name: str, definition: Mapping[str, Json], seed: int) -> Iterator[Case]:
    named = _arguments_of(definition)
    if any(safety.is_secret(str(item.get("name"))) for item in named):
        return
    if any(item.get("required") is True for item in named):
        example_arguments = _example_arguments(definition, seed)
        optional = [str(item.get("name")) for item in named if item.get("required") is not True]
        for left_out in _subsets([text for text in optional if text in example_arguments]):
            arguments = {
                key: value for key, value in example_arguments.items() if key not in left_out
            }
            params = {"name": name, "arguments": arguments}
            yield _request_case(f"prompt {name}", "prompts/get", params, is_sure=False)
        yield from _incomplete(name, named, example_arguments)
    else:
        yield _request_case(f"prompt {name}", "prompts/get", {"name": name}, is_sure=True)


def _example_arguments(prompt: Mapping[str, Json], seed: int) -> dict[str, Json]:
    nothing: dict[str, Json] = {}
    return next(Schema(prompt_schema(prompt)).examples(seed), nothing)


def _arguments_of(prompt: Mapping[str, Json]) -> list[dict[str, Json]]:
    listed = prompt.get("arguments")
    return [item for item in (listed if is_array(listed) else []) if is_object(item)]


def _incomplete(
    name: str, named: Sequence[dict[str, Json]], arguments: Mapping[str, Json]
) -> Iterator[Case]:
    """Yield a prompt without each of its required arguments."""
    for item in [item for item in named if item.get("required") is True][:_MOST_LEFT_OUT]:
        rest = {key: value for key, value in arguments.items() if key != item.get("name")}
        params = {"name": name, "arguments": rest}
        case = _request_case(f"prompt {name}", "prompts/get", params, is_sure=False)
        yield replace(case, data={**case.data, "is_incomplete": True})


def _subsets(names: list[str]) -> Iterator[tuple[str, ...]]:
    """Yield sets of names to omit: none, single ones, all but one, all."""
    yield ()
    sizes = dict.fromkeys((1, len(names) - 1, len(names)))
    combinations_ = (
        combination
        for size in sizes
        if 0 < size <= len(names)
        for combination in combinations(names, size)
    )
    yield from islice(dict.fromkeys(combinations_), _MOST_SUBSETS)


def _request_case(subject: str, method: str, params: dict[str, Json], *, is_sure: bool) -> Case:
    """Return a request of a listed definition. ``is_sure`` means that no argument is made up."""
    return Case("given", subject, {"method": method, "params": params, "surely": is_sure})


def _unknown(method: str, params: dict[str, Json]) -> Case:
    return Case("unknown", "server", {"method": method, "params": params})


def _absent(arguments: Mapping[str, Any]) -> str:
    name = _NOBODY
    while name in arguments:
        name += "_"
    return name
