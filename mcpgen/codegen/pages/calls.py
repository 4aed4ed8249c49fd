"""Example calls of a tool: valid arguments, in Python, for a shell, and as JSON."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from mcpgen_runtime.shell.arguments import ParsedArguments
from mcpgen_runtime.shell.options import Options, WordsError

from mcpgen.codegen import escaping, naming
from mcpgen.codegen.pages.values import Call
from mcpgen.codegen.plan.client import is_free
from mcpgen.codegen.plan.package import Method
from mcpgen.codegen.plan.tool_types import ToolType
from mcpgen.contract.definitions import Prompt, Resource, Tool
from mcpgen.jsontext import Json, Written, is_array, is_object
from mcpgen.schemas import examples
from mcpgen.schemas.examples import NoExampleError
from mcpgen.schemas.validation.schemas import SchemaValidator

_WIDTH = 76
_LONGEST = 4_000
_PLAIN_OPTION = re.compile(r"[A-Za-z][\w-]*")
_PLAIN_TOOL = re.compile(r"[A-Za-z0-9_][\w.-]*")


def tool_calls(
    package: str, method: str, tool: Tool, tool_type: ToolType | None
) -> tuple[Call, ...]:
    """Return the example calls of a tool, or none if no valid arguments were found."""
    arguments = _arguments(tool)
    if arguments is None:
        return ()
    request: Json = {"name": tool.name, "arguments": arguments}
    calls = (
        Call("Python", _python(package, method, arguments, tool, tool_type)),
        Call("Shell", _shell(package, tool, arguments)),
        Call("JSON", json.dumps(request, ensure_ascii=False, indent=2)),
    )
    return calls if all(len(call.code) <= _LONGEST for call in calls) else ()


def _arguments(tool: Tool) -> dict[str, Json] | None:
    raw: Json = tool.input.raw if tool.input else {}
    return _example(Written.from_value(raw))


@lru_cache(maxsize=1_000)
def _example(schema: Written) -> dict[str, Json] | None:
    """Return valid arguments: the required ones, or the first optional one if none is required."""
    raw = schema.value
    if not is_object(raw):
        return None
    properties, required = raw.get("properties"), raw.get("required")
    listed = properties if is_object(properties) else {}
    names = [name for name in listed if is_array(required) and name in required] or list(listed)[:1]
    # Most schemas need only these, and searching a small schema takes a fraction of the time.
    smaller = _search({**raw, "properties": {name: listed[name] for name in names}})
    if smaller is not None:
        smaller = {name: value for name, value in smaller.items() if name in names}
        if SchemaValidator(raw).allows(smaller):
            return smaller
    return _search(raw)


def _search(schema: dict[str, Json]) -> dict[str, Json] | None:
    try:
        value = examples.example({**schema, "type": "object"})
    except (NoExampleError, RecursionError):
        return None
    return value if is_object(value) else None


def _python(
    package: str,
    method: str,
    arguments: Mapping[str, Json],
    tool: Tool,
    tool_type: ToolType | None,
) -> str:
    """Return the call of the generated method. Nested values are plain JSON."""
    record = tool_type.record() if tool_type else None
    if record is None or tool_type is None or is_free(tool, tool_type):
        keywords = {"arguments": dict(arguments)} if arguments else {}
    else:
        names = naming.members(tuple(member.wire for member in record.members))
        keywords = {names[k]: value for k, value in arguments.items() if k in names}
    return python_call(f"{package}.{method}", keywords)


def python_call(function: str, keywords: Mapping[str, Json]) -> str:
    """Return an awaited call, on one line if it fits."""
    parts = [f"{name}={escaping.literal(value)}" for name, value in keywords.items()]
    line = f"result = await {function}({', '.join(parts)})"
    if len(line) <= _WIDTH or not parts:
        return line
    lines = "".join(f"    {part},\n" for part in parts)
    return f"result = await {function}(\n{lines})"


def _shell(package: str, tool: Tool, arguments: dict[str, Json]) -> str:
    """Return the command. It reads arguments from stdin if options can't express them."""
    name = tool.name if _PLAIN_TOOL.fullmatch(tool.name) else shlex.quote(tool.name)
    command = f"mcpgen call {package} {name}"
    if all(map(_PLAIN_OPTION.fullmatch, arguments)):
        for options in (_options(arguments), _json_options(arguments)):
            if _is_read_back(tool, [arg for option in options for arg in option], arguments):
                return _wrap(command, options)
    document = json.dumps(arguments, ensure_ascii=False)
    return f"{command} - <<'JSON'\n{document}\nJSON"


def _options(arguments: Mapping[str, Json]) -> list[tuple[str, ...]]:
    """Return the options as a user would type them."""
    return [_option(name, value) for name, value in arguments.items()]


def _option(name: str, value: Json) -> tuple[str, ...]:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if value is True:
        return (f"--{name}",)
    return (f"--{name}={text}",) if value is False or text[:1] == "-" else (f"--{name}", text)


def _json_options(arguments: Mapping[str, Json]) -> list[tuple[str, ...]]:
    return [
        (f"--{name}:={json.dumps(value, ensure_ascii=False)}",) for name, value in arguments.items()
    ]


def _is_read_back(tool: Tool, args: list[str], arguments: dict[str, Json]) -> bool:
    """Return True if the command would parse ``args`` to these arguments."""
    options = Options.from_schema(tool.name, tool.input.raw if tool.input else {})
    parsed = ParsedArguments(options, lambda _: None)
    try:
        parsed.read(args)
    except (WordsError, ValueError):
        return False
    return repr(parsed.arguments) == repr(arguments) and not parsed.is_from_stdin


def _wrap(command: str, options: Sequence[tuple[str, ...]]) -> str:
    """Return a command with its options quoted, on one line if it fits."""
    quoted = [" ".join(map(shlex.quote, option)) for option in options]
    line = " ".join([command, *quoted])
    return line if len(line) <= _WIDTH else " \\\n    ".join([command, *quoted])


def prompt_calls(package: str, prompt: Prompt, method: Method) -> tuple[Call, ...]:
    """Return the example calls of a prompt, with its required arguments."""
    values = _strings(argument.name for argument in prompt.arguments if argument.required)
    names = {parameter.wire: parameter.name for parameter in method.parameters}
    keywords = {names[escaping.string(name)]: value for name, value in values.items()}
    request: Json = {"name": prompt.name, "arguments": values}
    return (
        Call("Python", python_call(f"{package}.prompts.{method.name}", keywords)),
        Call(
            "Shell", _wrap(f"mcpgen prompt {package} {shlex.quote(prompt.name)}", _options(values))
        ),
        Call("JSON", json.dumps(request, ensure_ascii=False, indent=2)),
    )


def resource_calls(package: str, resource: Resource, method: Method) -> tuple[Call, ...]:
    """Return the example calls of a resource or a resource template."""
    values = _strings(variable.name for variable in resource.variables if variable.required)
    names = {parameter.wire: parameter.name for parameter in method.parameters}
    keywords = {names[escaping.string(name)]: value for name, value in values.items()}
    python = Call("Python", python_call(f"{package}.resources.{method.name}", keywords))
    if resource.variables:
        return (python,)
    request: Json = {"uri": resource.uri}
    return (
        python,
        Call("Shell", f"mcpgen read {package} {shlex.quote(resource.uri)}"),
        Call("JSON", json.dumps(request, ensure_ascii=False, indent=2)),
    )


def _strings(names: Iterable[str]) -> dict[str, Json]:
    """Return readable strings as values of these arguments."""
    wires = list(names)
    schema: Json = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in wires},
        "required": list(wires),
    }
    return dict(examples.example(schema)) if wires else {}
