"""Checks the server as a whole: its size, and definitions other than tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcpgen.codegen.agent_files import budget
from mcpgen.codegen.agent_files.budget import estimate_tokens, round_tokens
from mcpgen.contract.document import Contract
from mcpgen.findings.lint import LintProblem
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import is_array, is_object
from mcpgen.lint.checks.lint_context import INPUT, LintedTool

MOST_TOOLS = 128
HEAVY_LIST, HEAVY_TOOL = 10_000, 2_000
MUCH, MUCH_OF = 100, 0.1
"""Share of a tool from which avoiding repetition is worthwhile."""
MANY = 20


def check(contract: Contract, tools: Sequence[LintedTool]) -> Iterator[LintProblem]:
    """Check the server as a whole, and its prompts and resources."""
    costs = {tool.name: estimate_tokens(budget.definition_for_model(tool.raw)) for tool in tools}
    if len(tools) > MOST_TOOLS:
        yield LintProblem("L601", "server", "/tools", f"{len(tools)} of them")
    if (total := sum(costs.values())) > HEAVY_LIST:
        yield LintProblem("L602", "server", "/tools", _about(total, HEAVY_LIST))
    for tool in tools:
        if costs[tool.name] > HEAVY_TOOL:
            yield tool.violation("L603", "", _about(costs[tool.name], HEAVY_TOOL))
        saved = budget.hoisting_saves(tool.raw)
        if saved > MUCH and saved > MUCH_OF * costs[tool.name]:
            yield tool.violation(
                "L604",
                INPUT,
                f"about {round_tokens(saved)} of {round_tokens(costs[tool.name])} tokens",
            )
    # A bare list of tools lacks the server's own description.
    if len(tools) >= MANY and contract.capabilities and not contract.instructions.strip():
        yield LintProblem("L605", "server", "/instructions")
    yield from _prompts(contract)
    yield from _resources(contract)


def _prompts(contract: Contract) -> Iterator[LintProblem]:
    for name, raw in contract.prompts.items():
        at, subject = f"/prompts/{escape(name)}", f"prompt {name}"
        if not _says(raw.get("description")):
            yield LintProblem("L701", subject, at)
        arguments = raw.get("arguments")
        for index, argument in enumerate(arguments if is_array(arguments) else ()):
            if is_object(argument) and not _says(argument.get("description")):
                detail = repr(argument.get("name"))
                yield LintProblem("L702", subject, f"{at}/arguments/{index}", detail)


def _resources(contract: Contract) -> Iterator[LintProblem]:
    lists = (
        ("resources", "resource", contract.resources),
        ("resourceTemplates", "template", contract.resource_templates),
    )
    for member, kind, listed in lists:
        for uri, raw in listed.items():
            at, subject = f"/{member}/{escape(uri)}", f"{kind} {uri}"
            if not _says(raw.get("description")):
                yield LintProblem("L703", subject, at)
            # The resources of a template may have different types.
            if kind == "resource" and not _says(raw.get("mimeType")):
                yield LintProblem("L704", subject, at)


def _says(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip())


def _about(count: int, limit: int) -> str:
    """Return a number of tokens above a limit, never rounded to the limit itself."""
    rounded = round_tokens(count)
    return f"about {rounded}" if rounded != f"{limit:,}" else "a few more"
