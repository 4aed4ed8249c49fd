"""Finds features that a script uses and the sandbox lacks, before the script runs.

Monty itself decides, so features of newer versions are accepted without changes here. The syntax of
the script is compiled but not run. Names, modules, attributes and keyword arguments are tried one
by one, with arguments that this module makes.
"""

from __future__ import annotations

import ast
import builtins
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache

from mcpgen_runtime.display import model_line

from mcpgen.scripting.checks.callbacks import RULE, server_callbacks
from mcpgen.scripting.checks.iterators import eager_iterators
from mcpgen.scripting.sandbox import SAMPLES, SPECIAL_METHODS, Sandbox, is_data, sandbox, types_with
from mcpgen.scripting.surface import Surface
from mcpgen.scripting.syntax import Finding, attributes, bound_names, column, imports, is_literal

_STOP = "0/0\n"  # ends the script after compilation, before its first statement
_MISSING = re.compile(
    r"has no attribute|is not defined|No module named|cannot import name|not supported(?! between)"
    r"|not yet support|Permission denied|Internal error in monty|cannot create"
)
_NO_ARGUMENT = re.compile(
    r"unexpected keyword|takes no keyword|not yet support|not supported(?! between)"
    r"|Permission denied|Internal error in monty|cannot convert|cannot create"
)
_PARSER = re.compile(r"The monty syntax parser does not (?:yet )?support (?:the )?(.*)")
_HINTS = {
    "asyncio": "asyncio.gather(*calls) runs calls concurrently; await a call to get its result",
    "sys": 'to end a script early: raise SystemExit("why")',
    "os": "a script sees no files, no environment and no processes",
    "open": "scripts can't access files: print the output instead",
    "input": "a script can't ask: set the value in the script",
    "exit": 'to end a script early: raise SystemExit("why")',
    "quit": 'to end a script early: raise SystemExit("why")',
    "collections.abc": "list, dict and Callable need no import: leave the annotation out",
    "operator": "use a lambda, such as lambda item: item[0]",
    "enum": "use plain strings",
    "contextlib": "use try and except",
    "statistics": "compute it, such as sum(values) / len(values)",
    "yield": "build and return a list",
    "del": "use .pop(...), or build a new value without it",
    "inherit": "raise ValueError, RuntimeError or another built-in exception",
    "async with": "await asyncio.gather(*calls) instead",
    "method": "call it in a lambda, such as lambda text: text.lower()",
}


def find_unsupported(
    text: str, tree: ast.Module, surfaces: Mapping[str, Surface]
) -> Iterator[Finding]:
    """Yield features that a script uses and the sandbox lacks.

    Raises:
        UsageError: Monty isn't installed.
    """
    with sandbox() as session:
        yield from _Capabilities(session, text, tree, surfaces).findings()
        yield from eager_iterators(text, tree, session)
    yield from server_callbacks(text, tree, surfaces)


class _Capabilities:
    """Compares a script with the features of the sandbox."""

    def __init__(
        self, sandbox: Sandbox, text: str, tree: ast.Module, surfaces: Mapping[str, Surface]
    ) -> None:
        self.sandbox, self.text, self.tree, self.surfaces = sandbox, text, tree, surfaces
        self.imports = dict(imports(tree))
        self.bound = set(bound_names(tree))
        self.own_attributes = set(attributes(tree))
        self.functions = {
            node.name
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        self.called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}

    def findings(self) -> Iterator[Finding]:
        """Yield each feature that the sandbox lacks."""
        yield from self._syntax()
        yield from self._modules()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
                yield from self._name(node)
            if isinstance(node, ast.Call):
                yield from self._call(node)
                yield from self._getattr(node)
            if isinstance(node, ast.ClassDef):
                yield from self._special_methods(node)

    def _syntax(self) -> Iterator[Finding]:
        """Compile each top-level statement, because Monty reports one error at a time."""
        lines = self.text.split("\n")
        for node in self.tree.body:
            first = min(
                [node.lineno, *(item.lineno for item in getattr(node, "decorator_list", ()))]
            )
            source = "\n".join(lines[first - 1 : node.end_lineno])
            problem, line = self.sandbox.failure(_STOP + source)
            if "division by zero" in problem and line == 1:
                continue
            if isinstance(node, ast.Import | ast.ImportFrom) and "ildcard" not in problem:
                continue  # `_modules` looks at it
            match = _PARSER.search(problem)
            feature = match[1] if match else problem
            suggestion = next((hint for key, hint in _HINTS.items() if key in feature), "")
            unsupported = model_line("the sandbox does not support {}", feature)
            hint = model_line("{}", suggestion)
            yield Finding(first + line - 2, 1, RULE, unsupported, hint)

    def _modules(self) -> Iterator[Finding]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                names = [(name.name, f"import {name.name}") for name in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [
                    (node.module, f"from {node.module} import {name.name}")
                    for name in node.names
                    if name.name != "*"
                ]
            else:
                continue
            for module, code in names:
                if module in self.surfaces or module == "__future__" or not _is_standard(module):
                    continue  # the type checker also reports modules that Python lacks
                if problem := self.sandbox.error(code):
                    what = f"module {module}"
                    if "cannot import name" in problem:
                        what = f"{module}.{code.rpartition(' ')[2]}"
                    yield self._finding_at(node, f"the sandbox has no {what}", _hint(module))

    def _name(self, node: ast.Attribute | ast.Name) -> Iterator[Finding]:
        path = self._path(node)
        if path is None:
            if isinstance(node, ast.Attribute):
                yield from self._method(node)
            return
        module, code = path
        if isinstance(node, ast.Attribute) and self._path(node.value) is None:
            return
        if module and not self._imports_it(module):
            return  # `_modules` has reported it
        # Some class methods can only be called.
        tried = f"{code}()" if id(node) in self.called else code
        problem = self.sandbox.error(f"import {module}\n{tried}" if module else tried)
        if _MISSING.search(problem):
            hint = _hint(code)
            if not hint and isinstance(getattr(builtins, code.partition(".")[0], None), type):
                hint = f"use a lambda, such as lambda value: value.{code.rpartition('.')[2]}()"
            yield self._finding_at(node, f"the sandbox does not support {code}", hint)

    def _imports_it(self, module: str) -> bool:
        return not self.sandbox.error(f"import {module}")

    def _method(self, node: ast.Attribute) -> Iterator[Finding]:
        """Check an attribute of a value, which may have any type with this attribute."""
        if node.attr in self.own_attributes or self._is_server(node.value):
            return
        if node.attr in vars(type):  # as in type(error).__name__
            is_function = isinstance(node.value, ast.Name) and node.value.id in self.functions
            if is_function and self.sandbox.error(f"(lambda: 1).{node.attr}"):
                problem = f"the sandbox has no attribute .{node.attr} of functions"
                yield self._finding_at(node, problem, "write the name as a string")
            return
        if any(is_data(item, node.attr) for item in SAMPLES):
            errors = [
                self.sandbox.attribute_error(item, node.attr) for item in types_with(node.attr)
            ]
            if all(_MISSING.search(error) for error in errors):
                yield self._finding_at(node, f"the sandbox has no attribute .{node.attr}", "")
            return
        types = [item for item in types_with(node.attr) if callable(getattr(item, node.attr))]
        if not types:
            return
        if id(node) not in self.called:
            if not self.sandbox.has_bound_methods:
                problem = f"the sandbox can't use the method .{node.attr} without calling it"
                hint = f'properties are read by name: ["{node.attr}"]'
                yield self._finding_at(
                    node, problem, hint if self._is_member(node) else _HINTS["method"]
                )
            return
        errors = [self.sandbox.error(f"{SAMPLES[item]}.{node.attr}()") for item in types]
        if all(_MISSING.search(error) for error in errors):
            owner = types[0].__name__
            problem = f"the sandbox has no method .{node.attr} of {owner}"
            yield self._finding_at(node, problem, _hint(owner))

    def _call(self, node: ast.Call) -> Iterator[Finding]:
        """Test the keyword arguments of a call, functions among its arguments, and constants."""
        arguments = [*map(_argument, node.args), *self._keywords(node)]
        path = self._path(node.func)
        if path is not None:
            module, code = path
            if module and not self._imports_it(module):
                return
            start = f"import {module}\n" if module else ""
            targets = [start + code]
            name = code
            if _MISSING.search(self.sandbox.error(f"{targets[0]}()")):
                return  # `_name` has reported it
        elif isinstance(node.func, ast.Attribute) and not self._is_server(node.func.value):
            name = node.func.attr
            if name in self.own_attributes:
                return
            types = [item for item in types_with(name) if callable(getattr(item, name))]
            targets = [f"{SAMPLES[item]}.{name}" for item in types]
        else:
            return
        tried = [f"{target}({', '.join(arguments)})" for target in targets]
        if name in ("open", "input") or name.startswith("os."):
            tried = [f"{target}('a')" for target in targets]
        elif not _is_worth_trying(node):
            return
        errors = [self.sandbox.error(item) for item in tried]
        if errors and all(_NO_ARGUMENT.search(error) for error in errors):
            problem = f"the sandbox does not support this call of {name}"
            if node.keywords and "Permission denied" not in errors[0]:
                text = ", ".join(str(keyword.arg) for keyword in node.keywords if keyword.arg)
                problem = f"the sandbox does not support {name} with {text}" if text else problem
            hint = _hint(name)
            if "exceptions can only be called" in errors[0]:
                problem = "the sandbox allows an exception one string argument only"
                hint = 'give one string, such as ValueError(f"{name}: {value}")'
            yield self._finding_at(node, problem, hint)

    def _getattr(self, node: ast.Call) -> Iterator[Finding]:
        """Check a method that a string names."""
        is_getattr = self._path(node.func) == ("", "getattr")
        if not is_getattr or len(node.args) < 2 or self.sandbox.has_bound_methods:
            return
        name = node.args[1].value if isinstance(node.args[1], ast.Constant) else None
        if isinstance(name, str) and name not in self.own_attributes and types_with(name):
            problem = f"the sandbox can't use the method .{name} by getattr"
            yield self._finding_at(node, problem, f"write .{name}(...)")

    def _keywords(self, node: ast.Call) -> list[str]:
        return [
            f"{keyword.arg}={_argument(keyword.value)}" for keyword in node.keywords if keyword.arg
        ]

    def _special_methods(self, node: ast.ClassDef) -> Iterator[Finding]:
        for item in node.body:
            name = getattr(item, "name", "")
            sample = SPECIAL_METHODS.get(name, "")
            if sample and self.sandbox.error(f"class A:\n    {sample}"):
                yield self._finding_at(item, f"the sandbox does not support the method {name}", "")

    def _is_member(self, node: ast.Attribute) -> bool:
        """Return True for a method of dict whose name is also a property of a result."""
        names = (surface.names.values() for surface in self.surfaces.values())
        return any(node.attr in members for lists in names for members in lists)

    def _is_server(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Name):
            return False
        return self.imports.get(node.id) in self.surfaces

    def _path(self, node: ast.expr) -> tuple[str, str] | None:
        """Return the module of a name and its dotted path, or None if a script binds it itself."""
        if isinstance(node, ast.Attribute):
            inner = self._path(node.value)
            return None if inner is None else (inner[0], f"{inner[1]}.{node.attr}")
        if not isinstance(node, ast.Name) or node.id in self.bound:
            return None
        if (imported := self.imports.get(node.id)) is not None:
            module, _, attribute = imported.partition(":")
            if module in self.surfaces or not _is_standard(module):
                return None
            return module, f"{module}.{attribute}" if attribute else module
        return ("", node.id) if hasattr(builtins, node.id) else None

    def _finding_at(self, node: ast.expr | ast.stmt, problem: str, hint: str) -> Finding:
        line = self.text.split("\n")[node.lineno - 1]
        at = column(line, node.col_offset)
        return Finding(node.lineno, at, RULE, model_line("{}", problem), model_line("{}", hint))


def _hint(name: str) -> str:
    """Return the alternative for a name, by its longest known prefix."""
    parts = name.split(".")
    starts = [".".join(parts[:length]) for length in range(len(parts), 0, -1)]
    return next((_HINTS[start] for start in starts if start in _HINTS), "")


def _argument(node: ast.expr) -> str:
    """Return a replacement for an argument: a literal unchanged, a function for a lambda."""
    if is_literal(node):
        return ast.unparse(node)
    return "(lambda *a: '')" if isinstance(node, ast.Lambda) else "'a'"


def _is_worth_trying(node: ast.Call) -> bool:
    """Return True for keywords, functions as arguments, and exceptions that Monty can't make."""
    if any(keyword.arg for keyword in node.keywords):
        return True
    if any(isinstance(arg, ast.Lambda) for arg in node.args):
        return True
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    kind = getattr(builtins, name, None)
    if inspect.isclass(kind) and all(map(is_literal, node.args)):
        return True
    return inspect.isclass(kind) and issubclass(kind, BaseException)


@cache
def _is_standard(module: str) -> bool:
    """Return True for a module of Python's standard library."""
    if module.partition(".")[0] not in sys.stdlib_module_names:
        return False
    try:
        importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return False
    return True
