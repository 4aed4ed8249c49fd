"""Generates results that the schemas allow. The same seed gives the same result."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

from mcp import MCPError, UriTemplate, types
from mcp.server import ServerRequestContext
from mcpgen_runtime.display import brief
from mcpgen_runtime.validation.keywords import budgets as limits
from mcpgen_runtime.validation.regexes.patterns import ExhaustedError

from mcpgen.contract.definitions import Prompt, Resource, Tool
from mcpgen.errors import Problem
from mcpgen.jsonpointer import pointer
from mcpgen.jsontext import Json, is_object
from mcpgen.schemas.examples import NoExampleError, example
from mcpgen.schemas.validation import schemas

Context: TypeAlias = ServerRequestContext[Any, Any]

MODERN = "2026-07-28"
"""From this revision on, structured content may be any JSON value, not only an object."""


_MOST_PROBLEMS = 20

# One black pixel, for content that isn't text.
_PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)


def tool_result(
    tool: Tool, arguments: dict[str, Json], revision: str, seed: int
) -> types.CallToolResult:
    """Validate the arguments, and return a result that the output schema allows."""
    problems = _problems(tool.input.raw, arguments) if tool.input else []
    if problems:
        lines = [f"{problem.pointer or '/'}: {problem.reason}" for problem in problems]
        return error_result("\n".join([f"invalid arguments for {tool.name}", *lines]))
    if tool.output is None:
        return types.CallToolResult(content=[_text(_sentence(tool, arguments))])
    try:
        value = example(tool.output.raw, _seed(seed, tool.name, arguments))
    except NoExampleError as error:
        return error_result(f"{error.problem}: the output schema of {tool.name} {error.where}")
    text = _text(json.dumps(value, ensure_ascii=False))
    if revision < MODERN and not is_object(value):
        return types.CallToolResult(content=[text])
    return types.CallToolResult(content=[text], structured_content=value)


def error_result(text: str) -> types.CallToolResult:
    """Return an error result."""
    return types.CallToolResult(content=[_text(text)], is_error=True)


def _problems(schema: Json, arguments: Json) -> list[Problem]:
    """Return the violations of the schema in the arguments, up to a limit."""
    try:
        errors = schemas.SchemaValidator(schema).errors(arguments, _MOST_PROBLEMS)
    except ExhaustedError:
        return [Problem("", limits.TOO_EXPENSIVE)]
    except RecursionError:
        return [Problem("", f"{limits.TOO_EXPENSIVE}: nested too deeply")]
    return [Problem(pointer(error.absolute_path), brief(error.message)) for error in errors]


def _seed(seed: int, name: str, arguments: Mapping[str, Json]) -> int:
    call = json.dumps([seed, name, arguments], sort_keys=True)
    return int.from_bytes(hashlib.sha256(call.encode()).digest()[:6], "big")


def _sentence(tool: Tool, arguments: Mapping[str, Json]) -> str:
    pairs = [f"{name} = {json.dumps(v, ensure_ascii=False)}" for name, v in arguments.items()]
    return f"{tool.title or tool.name}: done{' with ' if pairs else ''}{', '.join(pairs)}"


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def prompt_result(prompt: Prompt, arguments: Mapping[str, str]) -> types.GetPromptResult:
    """Render a prompt with its description and arguments."""
    missing = [a.name for a in prompt.arguments if a.required and a.name not in arguments]
    if missing:
        problem = f"Prompt {prompt.name} needs {', '.join(missing)}"
        raise MCPError(types.INVALID_PARAMS, problem)
    lines = [prompt.description or prompt.title or prompt.name]
    lines += [f"{name}: {value}" for name, value in arguments.items()]
    message = types.PromptMessage(role="user", content=_text("\n".join(lines)))
    return types.GetPromptResult(description=prompt.description or None, messages=[message])


def resource_contents(
    resource: Resource, uri: str, variables: Mapping[str, Json]
) -> types.TextResourceContents | types.BlobResourceContents:
    """Generate contents of a resource, with its declared MIME type."""
    mime = resource.mime_type or "text/plain"
    if mime.split("/")[0] in ("image", "audio", "video") or mime.endswith("octet-stream"):
        return types.BlobResourceContents(uri=uri, mime_type=mime, blob=_PIXEL)
    text = f"{resource.title or resource.name}\n\n{resource.description or uri}"
    if mime.endswith("json"):
        text = json.dumps({"uri": uri, "name": resource.name, **variables}, ensure_ascii=False)
    return types.TextResourceContents(uri=uri, mime_type=mime, text=text)


def template_variables(template: str, uri: str) -> Mapping[str, str | list[str]] | None:
    """Return the variables with which a template expands to a URI, or None."""
    with contextlib.suppress(ValueError):
        return UriTemplate.parse(template).match(uri)
    return None


_CONTENT = ("content", "contents", "messages")
"""Properties that handlers leave empty for a scripted response."""

_redactions: ContextVar[dict[str, Json] | None] = ContextVar("kept", default=None)


@contextmanager
def keeping() -> Generator[dict[str, Json]]:
    """Collect replacements during a request or a task."""
    redactions: dict[str, Json] = {}
    token = _redactions.set(redactions)
    try:
        yield redactions
    finally:
        _redactions.reset(token)


def put(result: Mapping[str, Json]) -> None:
    """Respond to the request with these properties, and ignore its handler's result."""
    redactions = _redactions.get()
    if redactions is not None:
        redactions.update(result)


def with_kept(result: Mapping[str, Json], redactions: Mapping[str, Json]) -> dict[str, Json]:
    """Return a result with its content replaced, if there is a replacement."""
    if not redactions:
        return dict(result)
    own = {name: value for name, value in result.items() if name not in _CONTENT}
    return {**own, **redactions}


def without_later(result: Mapping[str, Json], revision: str) -> Mapping[str, Json]:
    """Remove structured content that makes clients of a revision reject the result."""
    if revision >= MODERN or is_object(result.get("structuredContent")):
        return result
    return {name: value for name, value in result.items() if name != "structuredContent"}
