"""Reports observed results for review: properties, changes, and tools without a type."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen_runtime.display import on_one_line

from mcpgen.contract.observation.document import ObservedTool
from mcpgen.contract.observation.places import places
from mcpgen.contract.observation.tools import Observation, Told
from mcpgen.jsontext import Json

_FEW = 4
_GAP = 2


def text(observation: Observation) -> str:
    """Return a report: tools with their properties, then tools without a type."""
    lines: list[str] = []
    for told in observation.told:
        if told.observed is not None:
            lines += _tool(told, told.observed)
    left = [told for told in observation.told if told.observed is None]
    if left:
        lines += ["", "nothing observed:"] if lines else ["nothing observed:"]
        lines += [f"  {on_one_line(told.name)}: {on_one_line(_reason(told))}" for told in left]
    return "\n".join(lines) + "\n" if lines else ""


def document(observation: Observation) -> dict[str, Json]:
    """Return the report for a JSON document."""
    return {told.name: _document(told) for told in observation.told}


def summary(observation: Observation) -> str:
    """Summarize the observation in one line."""
    typed = [told.observed for told in observation.told if told.observed is not None]
    texts = sum(observed_tool.source == "text" for observed_tool in typed)
    parts = [f"{len(typed) - texts} with data", f"{texts} with text"]
    if remaining := len(observation.told) - len(typed):
        parts.append(f"{remaining} left")
    count = len(observation.told)
    return f"{count} tool{'s' if count != 1 else ''} called: {', '.join(parts)}"


def _tool(told: Told, observed: ObservedTool) -> Iterator[str]:
    yield f"{on_one_line(told.name)}: {_kind(observed)}, {_counts(told, observed)}"
    found = places(observed.schema or {})
    width = max(map(len, map(on_one_line, found)), default=0) + _GAP
    for place, words in found.items() if observed.schema is not None else ():
        yield f"  {on_one_line(place):<{width}}{words}"
    for change in told.changes:
        yield f"  * {on_one_line(change)}"


def _kind(observed: ObservedTool) -> str:
    return {
        "structured": "structured content",
        "json": "JSON as text",
        "json blocks": "JSON, an item in each block",
        "json in result": "JSON as text in the structured content",
        "text": "text",
    }[observed.source]


def _counts(told: Told, observed: ObservedTool) -> str:
    count = observed.answers
    said = f"seen in {count} different answer{'s' if count != 1 else ''}"
    if told.before:
        said += f" (before: {told.before})"
    elif count < _FEW and observed.source != "text":
        said += ", no member is required before there are four"
    return "; ".join([said, *_other_results(told)])


def _other_results(told: Told) -> Iterator[str]:
    """Describe the results that weren't used."""
    counted = [
        (told.errors, "an error", "errors"),
        (told.soft_errors, "an error in the data", "errors in the data"),
        (told.unread, "an answer not read", "answers not read"),
        (told.outdated, "an answer by another definition", "answers by another definition"),
    ]
    for count, one, several in counted:
        if count:
            yield one if count == 1 else f"{count} {several}"


def _reason(told: Told) -> str:
    return "; ".join([told.reason, *_other_results(told)])


def _document(told: Told) -> dict[str, Json]:
    result: dict[str, Json] = {"succeeded": told.answers}
    counts = {
        "errors": told.errors,
        "softErrors": told.soft_errors,
        "unread": told.unread,
        "outdated": told.outdated,
    }
    result |= {name: count for name, count in counts.items() if count}
    if told.observed is None:
        return {**result, "reason": told.reason}
    result |= {"answers": told.observed.answers, "from": told.observed.source}
    if told.observed.schema is not None:
        result["members"] = places(told.observed.schema)
    if told.changes:
        result["changes"] = list(told.changes)
    return result
