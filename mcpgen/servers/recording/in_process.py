"""Finds a server object in a Python file or module: low-level, MCPServer or FastMCP."""

from __future__ import annotations

import ast
import difflib
import importlib
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from mcpgen_runtime.display import brief

from mcpgen.errors import UnreachableError, UsageError
from mcpgen.servers.endpoint import InProcess

# The attributes of MCPServer and FastMCP with their low-level server.
_WITHIN = ("_lowlevel_server", "_mcp_server")


@dataclass(frozen=True)
class Found:
    """A server object: its module, its name or creating call, and its low-level server."""

    module: ModuleType
    name: str
    server: Any
    low_level: Any


def load(target: InProcess) -> tuple[str, Any]:
    """Import a file or module. Returns the server's name and the low-level server."""
    found = find(target)
    return found.name, found.low_level


def find(target: InProcess) -> Found:
    """Import a file or module, and find its server.

    The target's name may be a call of a function with literals: ``create("UTC")``.
    """
    module = _import(target)
    for name in target.names:
        value = _value(module, name, target)
        if value is None:
            continue
        server = next((s for key in _WITHIN if (s := getattr(value, key, None))), value)
        if hasattr(server, "create_initialization_options") and hasattr(server, "run"):
            return Found(module, name, value, server)
        if target.name:
            kind = type(value).__name__
            raise UsageError(f"{name!r} isn't an MCP server but {kind}", target.module)
    tried = ", ".join(repr(name) for name in target.names)
    close = difflib.get_close_matches(target.name, dir(module), 1) if target.name else []
    hint = f"did you mean {close[0]!r}?" if close else f"name the object: {target.module}:NAME"
    raise UsageError(f"there is no MCP server named {tried} here", target.module, hint)


def _value(module: ModuleType, name: str, target: InProcess) -> Any:
    """Return an attribute of a module, or the result of calling one with literals."""
    if "(" not in name:
        return getattr(module, name, None)
    try:
        call = ast.parse(name, mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError
        arguments = [ast.literal_eval(argument) for argument in call.args]
        keywords = {item.arg: ast.literal_eval(item.value) for item in call.keywords if item.arg}
    except (ValueError, SyntaxError):
        raise UsageError(
            f"{name!r} isn't a call with literals", target.module, 'such as create_server("UTC")'
        ) from None
    function = getattr(module, call.func.id, None)
    if function is None:
        return None
    try:
        return function(*arguments, **keywords)
    except Exception as error:
        reason = brief(f"{type(error).__name__}: {error}")
        raise UnreachableError(f"{name} failed: {reason}", target.module) from None


def _import(target: InProcess) -> ModuleType:
    try:
        if target.module.endswith(".py"):
            return _import_file(Path(target.module).resolve())
        sys.path.insert(0, str(Path.cwd()))
        return importlib.import_module(target.module)
    except ModuleNotFoundError as error:
        if error.name and target.module.startswith(error.name):
            raise UsageError(f"there is no module {error.name!r}", target.module) from None
        hint = "install it next to mcpgen, or start the server as a command after --"
        raise UnreachableError(f"the server needs {error.name!r}", target.module, hint) from None
    except (Exception, SystemExit) as error:
        reason = brief(f"{type(error).__name__}: {error}")
        raise UnreachableError(
            f"importing the server failed: {reason}", target.module, "run it on its own for details"
        ) from None


def _import_file(path: Path) -> ModuleType:
    # As if Python ran the file, so that it can import files next to it.
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise UsageError("the file cannot be imported", str(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    spec.loader.exec_module(module)
    return module
