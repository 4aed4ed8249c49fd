"""Records coverage: called tools, properties of their results, and errors."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from mcpgen.findings.contract_tests import Case, Failure, ToolCoverage, Verdict
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.testing.answer import Answer, is_soft_error
from mcpgen.testing.arguments.value_paths import alternatives


@dataclass(slots=True)
class Coverage:
    """The coverage of each tool."""

    tools: dict[str, ToolCoverage] = field(default_factory=dict[str, ToolCoverage])

    def tool_coverage(self, tool: str) -> ToolCoverage:
        """Return the coverage of a tool."""
        return self.tools.setdefault(tool, ToolCoverage())

    def note(self, tool: str, answer: Answer) -> None:
        """Count a response."""
        tool_coverage = self.tool_coverage(tool)
        tool_coverage.calls += 1
        if answer.fault is not None:
            tool_coverage.errors[answer.fault.name.lower()] += 1
        elif answer.code is not None:
            tool_coverage.errors[str(answer.code)] += 1
        elif answer.is_tool_error:
            tool_coverage.errors["tool error"] += 1
        elif is_soft_error(answer):
            tool_coverage.errors["error in a result"] += 1
        else:
            tool_coverage.results += 1
            tool_coverage.members |= _members(answer.structured_content())

    def untested(
        self, tested: Iterable[str], skipped: Collection[str], count: int
    ) -> list[Failure]:
        """Return warnings for tools without a successful call, of ``count`` tools in all."""
        coverage = {name: self.tool_coverage(name) for name in tested}
        if count and not coverage:
            verdict = Verdict("C108", f"0 of {count} tools")
            return [Failure(Case("untested", "server"), verdict, True)]
        return [
            Failure(Case("untested", f"tool {name}"), Verdict("C107", f"{item.calls} calls"), True)
            for name, item in coverage.items()
            if item.calls and not item.results and name not in skipped
        ]


def declared_properties(schema: Json) -> set[str]:
    """Return the properties of an output schema, such as ``items.title``."""
    result: set[str] = set()
    waiting: list[tuple[str, Json]] = [("", schema)]
    while waiting and len(result) < 300:
        prefix, part = waiting.pop()
        if prefix.count(".") > 2:
            continue
        for node in alternatives(schema, part):
            listed = node.get("properties")
            for name, inner in listed.items() if is_object(listed) else ():
                path = f"{prefix}.{name}" if prefix else name
                result.add(path)
                waiting.append((path, inner))
            waiting += [(prefix, node["items"])] if is_object(node.get("items")) else []
    return result


def _members(data: Json) -> set[str]:
    result: set[str] = set()
    waiting: list[tuple[str, Json]] = [("", data)]
    while waiting and len(result) < 300:
        prefix, value = waiting.pop()
        if prefix.count(".") > 2:
            continue
        if is_object(value):
            for name, inner in value.items():
                path = f"{prefix}.{name}" if prefix else name
                result.add(path)
                waiting.append((path, inner))
        elif is_array(value):
            waiting += [(prefix, item) for item in value[:50]]
    return result
