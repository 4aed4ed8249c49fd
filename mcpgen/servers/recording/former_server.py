"""Imports a server written for the SDK or FastMCP, and finds the functions of its tools."""

from __future__ import annotations

import ast
import asyncio
import inspect
import keyword
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

from mcpgen.codegen import escaping
from mcpgen.codegen.former import LEGACY, FormerCall, FormerServer
from mcpgen.errors import Notice, UsageError
from mcpgen.jsonpointer import escape
from mcpgen.servers.endpoint import InProcess
from mcpgen.servers.recording import in_process

_MODULE = "mcpgen_former_server"
_SEPARATE = frozenset({"mcp", "mcpgen_runtime", "pydantic"})
"""The packages that every generated project requires."""


@dataclass(frozen=True)
class Former:
    """A former server, its source for recording, and notices about functions that aren't called."""

    server: FormerServer
    source: str
    notices: tuple[Notice, ...]


def load(location: str) -> Former:
    """Import a file, and find its server and functions.

    Args:
        location: ``FILE.py``, ``FILE.py:NAME`` or ``FILE.py:FUNCTION(LITERAL, ...)``.

    Raises:
        UsageError: There is no such file, or no server in it.
        UnreachableError: Importing it fails.
    """
    file, _, name = location.partition(".py:")
    path = Path(f"{file}.py" if name else location)
    if path.suffix != ".py" or not path.is_file():
        raise UsageError("there is no such file", str(path), "--from takes FILE.py or FILE.py:NAME")
    if not path.stem.isidentifier():
        raise UsageError(f"a module can't be named {path.stem!r}", str(path), "rename the file")
    loaded = in_process.find(InProcess(str(path), name))
    module = ModuleType(_MODULE)
    module.__dict__["server"] = loaded.server
    sys.modules[_MODULE] = module  # recorded without a second import
    text = path.read_text("utf-8")
    functions = [*_functions(loaded.server)]
    calls: dict[tuple[str, str], FormerCall] = {}
    notices: list[Notice] = []
    for function in functions:
        call = _call(function, loaded, path.stem)
        if isinstance(call, FormerCall):
            calls[function.kind, function.key] = call
        else:
            notices.append(Notice(function.pointer, f"{call}; its method is a stub", "former"))
    if not functions:
        notices.append(Notice("", _LOW_LEVEL, "former"))
    notices += _neighbors(text, path)
    needs_server = any(f"{LEGACY}.SERVER" in call.start for call in calls.values())
    former = FormerServer(
        module=path.stem,
        text=text,
        server=loaded.name if needs_server else "",
        calls=calls,
        requirements=tuple(_requirements(text, path)),
    )
    return Former(former, f"{_MODULE}:server", tuple(notices))


_LOW_LEVEL = (
    "the server is written for the SDK's low-level class, which doesn't know functions by"
    " name; all methods are stubs"
)


@dataclass(frozen=True)
class _Function:
    kind: str
    key: str
    function: Callable[..., Any]
    injected: tuple[str, ...]
    structure: str | None
    """The key of the structured content, as for ``call_former_tool``."""

    @property
    def pointer(self) -> str:
        member = "resourceTemplates" if self.kind == "template" else f"{self.kind}s"
        return f"/{member}/{escape(self.key)}"


def _functions(server: Any) -> Iterator[_Function]:
    """Yield the functions of an MCPServer or a FastMCP server."""
    if hasattr(server, "_tool_manager"):
        resources = server._resource_manager
        lists: tuple[Iterable[Any], ...] = (
            server._tool_manager.list_tools(),
            server._prompt_manager.list_prompts(),
            resources.list_resources(),
            resources.list_templates(),
        )
    elif hasattr(server, "list_resource_templates"):
        lists = asyncio.run(_components(server))
    else:
        return
    for kind, components in zip(("tool", "prompt", "resource", "template"), lists, strict=True):
        for component in components:
            function = getattr(component, "fn", None)
            if function is not None:
                yield _function(kind, component, function)


async def _components(server: Any) -> tuple[Iterable[Any], ...]:
    return (
        await server.list_tools(),
        await server.list_prompts(),
        await server.list_resources(),
        await server.list_resource_templates(),
    )


def _function(kind: str, component: Any, function: Callable[..., Any]) -> _Function:
    parameters = [*inspect.signature(function).parameters]
    published = _published_arguments(kind, component)
    return _Function(
        kind=kind,
        key=str(getattr(component, _KEYS[kind])),
        function=function,
        injected=tuple(name for name in parameters if name not in published),
        structure=_structure(component) if kind == "tool" else None,
    )


_KEYS = {"tool": "name", "prompt": "name", "resource": "uri", "template": "uri_template"}


def _published_arguments(kind: str, component: Any) -> set[str]:
    if kind == "resource":
        return set()
    if kind == "prompt":
        return {argument.name for argument in component.arguments or ()}
    return set(component.parameters.get("properties", {}))


def _structure(tool: Any) -> str | None:
    """Return the key of the value in the structured content of a tool's results."""
    schema = getattr(tool, "output_schema", None)
    if schema is None:
        return None
    is_wrapped = getattr(getattr(tool, "fn_metadata", None), "wrap_output", False)
    return "result" if is_wrapped or schema.get("x-fastmcp-wrap-result") else ""


def _call(function: _Function, loaded: in_process.Found, module: str) -> FormerCall | str:
    """Return the call of a former function, or the reason if there is none."""
    if function.injected:
        return f"its function takes {', '.join(function.injected)} from the former library"
    name = getattr(function.function, "__name__", "")
    if (attribute := _attribute(function.function, getattr(loaded.module, name, None))) is None:
        if function.kind != "tool":
            return "its function isn't in the namespace of the module"
        key = escaping.string(function.key)
        return FormerCall("call_former_server", f"{LEGACY}.SERVER, {key}")
    expression = f"{LEGACY}.{module}.{name}{attribute}"
    if function.kind == "tool":
        end = "" if function.structure is None else f'key="{function.structure}"'
        return FormerCall("call_former_tool", expression, end)
    return FormerCall(f"call_former_{_RUNTIME_KINDS[function.kind]}", expression)


_RUNTIME_KINDS = {"prompt": "prompt", "resource": "resource", "template": "resource"}


def _attribute(function: Any, member: Any) -> str | None:
    """Return the attributes that lead from a module's member to a function, or None."""
    if member is None or keyword.iskeyword(function.__name__):
        return None
    if _without_wrapper(member) is _without_wrapper(function):
        return ""
    return ".fn" if getattr(member, "fn", None) is function else None


def _without_wrapper(function: Any) -> Any:
    """Return a function without the wrapper that validates its arguments."""
    return getattr(function, "raw_function", function)


def _requirements(text: str, path: Path) -> Iterator[str]:
    """Yield the distributions that a file imports, with their installed versions."""
    owners = metadata.packages_distributions()
    names = {*_top_level_imports(text), *_own_package(path)}
    distributions = {name for top in names - _SEPARATE for name in owners.get(top, ())}
    for name in sorted(distributions, key=str.lower):
        yield f"{name}>={metadata.version(name)}"


def _own_package(path: Path) -> Iterator[str]:
    """Yield the installed package that the file belongs to, whose metadata it may read."""
    resolved = path.resolve()
    for folder in map(Path, sys.path):
        if resolved.is_relative_to(folder.resolve()) and folder.name == "site-packages":
            yield resolved.relative_to(folder.resolve()).parts[0]


def _neighbors(text: str, path: Path) -> Iterator[Notice]:
    """Yield a notice for each import of a module next to the file, which isn't copied."""
    for name in sorted(_top_level_imports(text)):
        folder = path.parent / name
        if (path.parent / f"{name}.py").is_file() or (folder / "__init__.py").is_file():
            reason = f"{path.name} imports {name}, which is next to it and isn't copied"
            yield Notice("", f"{reason}; make it a package and a dependency", "former")


def _top_level_imports(text: str) -> set[str]:
    """Return the top-level names of all absolute imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names
