"""Reports observed results for review: properties, changes, and tools without a type."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen_runtime.display import on_one_line

from mcpgen.contract.observation.document import ObservedTool
from mcpgen.contract.observation.observe import Observation, ToolOutcome
from mcpgen.contract.observation.places import places
from mcpgen.jsontext import Json

_FEW = 4
_GAP = 2


def text(observation: Observation) -> str:
    """Return a report: tools with their properties, then tools without a type."""
    lines: list[str] = []
    for message in observation.outcomes:
        if message.observed is not None:
            lines += _tool(message, message.observed)
    lapsed = [message for message in observation.outcomes if message.observed is None]
    if lapsed:
        lines += ["", "nothing observed:"] if lines else ["nothing observed:"]
        lines += [
            f"  {on_one_line(message.name)}: {on_one_line(_reason(message))}" for message in lapsed
        ]
    return "\n".join(lines) + "\n" if lines else ""


def document(observation: Observation) -> dict[str, Json]:
    """Return the report for a JSON document."""
    return {message.name: _document(message) for message in observation.outcomes}


def summary(observation: Observation) -> str:
    """Summarize the observation in one line."""
    typed = [message.observed for message in observation.outcomes if message.observed is not None]
    texts = sum(observed_tool.source == "text" for observed_tool in typed)
    parts = [f"{len(typed) - texts} with data", f"{texts} with text"]
    if remaining := len(observation.outcomes) - len(typed):
        parts.append(f"{remaining} left")
    count = len(observation.outcomes)
    return f"{count} tool{'s' if count != 1 else ''} called: {', '.join(parts)}"


def _tool(message: ToolOutcome, observed: ObservedTool) -> Iterator[str]:
    yield f"{on_one_line(message.name)}: {_kind(observed)}, {_counts(message, observed)}"
    types = places(observed.schema or {})
    width = max(map(len, map(on_one_line, types)), default=0) + _GAP
    for path, type_name in types.items() if observed.schema is not None else ():
        yield f"  {on_one_line(path):<{width}}{type_name}"
    for change in message.changes:
        yield f"  * {on_one_line(change)}"


def _kind(observed: ObservedTool) -> str:
    return {
        "structured": "structured content",
        "json": "JSON as text",
        "json blocks": "JSON, an item in each block",
        "json in result": "JSON as text in the structured content",
        "text": "text",
    }[observed.source]


def _counts(message: ToolOutcome, observed: ObservedTool) -> str:
    count = observed.answers
    count_note = f"{count} different result{'s' if count != 1 else ''}"
    if message.before:
        count_note += f" (before: {message.before})"
    elif count < _FEW and observed.source != "text":
        count_note += ", no property is required before there are four"
    return "; ".join([count_note, *_other_results(message)])


def _other_results(message: ToolOutcome) -> Iterator[str]:
    """Describe the results that weren't used."""
    counted = [
        (message.errors, "an error", "errors"),
        (message.soft_errors, "an error in the data", "errors in the data"),
        (message.unread, "a result not read", "results not read"),
        (message.outdated, "a result of another definition", "results of another definition"),
    ]
    for count, singular, several in counted:
        if count:
            yield singular if count == 1 else f"{count} {several}"


def _reason(message: ToolOutcome) -> str:
    return "; ".join([message.reason, *_other_results(message)])


def _document(message: ToolOutcome) -> dict[str, Json]:
    result: dict[str, Json] = {"succeeded": message.answers}
    counts = {
        "errors": message.errors,
        "softErrors": message.soft_errors,
        "unread": message.unread,
        "outdated": message.outdated,
    }
    result |= {name: count for name, count in counts.items() if count}
    if message.observed is None:
        return {**result, "reason": message.reason}
    result |= {"answers": message.observed.answers, "from": message.observed.source}
    if message.observed.schema is not None:
        result["members"] = places(message.observed.schema)
    if message.changes:
        result["changes"] = list(message.changes)
    return result
