"""Finds what a script uses and the sandbox lacks, before anything of the script runs.

Monty itself decides, so a feature that it gains is accepted at once. The syntax of the script is
compiled but not run. Names, modules, attributes and keyword arguments are tried one by one, with
arguments of our own.
"""

from __future__ import annotations

import ast
import builtins
import datetime
import decimal
import importlib.util
import inspect
import pathlib
import re
import sys
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

from mcpgen.errors import UsageError
from mcpgen.scripting.findings import Finding
from mcpgen.scripting.surface import EXCEPTIONS, Surface

if TYPE_CHECKING:
    from pydantic_monty import MontySession

RULE = "unsupported-in-sandbox"

_STOP = "0/0\n"  # ends the script before its first statement, once all of it is compiled
_MISSING = re.compile(
    r"has no attribute|is not defined|No module named|cannot import name|not supported(?! between)"
    r"|not yet support|Permission denied|Internal error in monty|cannot create"
)
_NO_ARGUMENT = re.compile(
    r"unexpected keyword|takes no keyword|not yet support|not supported(?! between)"
    r"|Permission denied|Internal error in monty|cannot convert|cannot create"
)
_PARSER = re.compile(r"The monty syntax parser does not (?:yet )?support (?:the )?(.*)")
# A value of each type of Python that a script meets, and its spelling.
_SAMPLES: Mapping[type, str] = {
    str: "'a'",
    bytes: "b'a'",
    int: "(1)",
    float: "(1.5)",
    complex: "(1j)",
    list: "[1]",
    tuple: "(1,)",
    dict: "{'a': 1}",
    set: "{1}",
    frozenset: "frozenset([1])",
    range: "range(1)",
    ValueError: "ValueError('a')",
    re.Match: "__import_re.match('a', 'a')",
    re.Pattern: "__import_re.compile('a')",
    datetime.datetime: "__import_datetime.datetime(2024, 1, 1)",
    datetime.date: "__import_datetime.date(2024, 1, 1)",
    datetime.timedelta: "__import_datetime.timedelta(1)",
    datetime.timezone: "__import_datetime.timezone.utc",
    pathlib.PurePosixPath: "__import_pathlib.Path('a')",
    pathlib.Path: "__import_pathlib.Path('a')",
    decimal.Decimal: "__import_decimal.Decimal('1')",
    Counter: "__import_collections.Counter('a')",
    defaultdict: "__import_collections.defaultdict(list)",
    deque: "__import_collections.deque([1])",
}
_SAMPLE_MODULES = ("re", "datetime", "pathlib", "decimal", "collections")
_SPECIAL_METHODS = {
    "__len__": "def __len__(self): return 1\n{0}len(A())",
    "__bool__": "def __bool__(self): return False\n{0}assert not A()",
    "__lt__": "def __lt__(self, other): return True\n{0}A() < A()",
    "__gt__": "def __gt__(self, other): return True\n{0}A() > A()",
    "__le__": "def __le__(self, other): return True\n{0}A() <= A()",
    "__ge__": "def __ge__(self, other): return True\n{0}A() >= A()",
    "__eq__": "def __eq__(self, other): return True\n{0}assert A() == 1",
    "__ne__": "def __ne__(self, other): return False\n{0}assert not A() != 1",
    "__hash__": "def __hash__(self): return 1\n{0}assert hash(A()) == 1",
    "__str__": "def __str__(self): return 'a'\n{0}assert str(A()) == 'a'",
    "__repr__": "def __repr__(self): return 'a'\n{0}assert repr(A()) == 'a'",
    "__format__": "def __format__(self, spec): return 'a'\n{0}assert f'{{A():x}}' == 'a'",
    "__iter__": "def __iter__(self): return iter([1])\n{0}assert list(A()) == [1]",
    "__next__": "def __next__(self): return 1\n{0}assert next(A()) == 1",
    "__contains__": "def __contains__(self, item): return True\n{0}assert 1 in A()",
    "__getitem__": "def __getitem__(self, key): return 1\n{0}assert A()[0] == 1",
    "__setitem__": "def __setitem__(self, key, value): pass\n{0}A()[0] = 1",
    "__call__": "def __call__(self): return 1\n{0}assert A()() == 1",
    "__add__": "def __add__(self, other): return 1\n{0}assert A() + 1 == 1",
    "__radd__": "def __radd__(self, other): return 1\n{0}assert 1 + A() == 1",
    "__sub__": "def __sub__(self, other): return 1\n{0}assert A() - 1 == 1",
    "__mul__": "def __mul__(self, other): return 1\n{0}assert A() * 1 == 1",
    "__or__": "def __or__(self, other): return 1\n{0}assert A() | 1 == 1",
    "__and__": "def __and__(self, other): return 1\n{0}assert A() & 1 == 1",
    "__neg__": "def __neg__(self): return 1\n{0}assert -A() == 1",
    "__getattr__": "def __getattr__(self, name): return 1\n{0}assert A().x == 1",
    "__setattr__": "def __setattr__(self, name, value): pass\n{0}A().x = 1",
    "__enter__": "def __enter__(self): return 1\n    def __exit__(self, *a): pass\n"
    "{0}with A() as x: assert x == 1",
    "__post_init__": "",
    "__class_getitem__": "def __class_getitem__(cls, key): return 1\n{0}assert A[0] == 1",
    "__await__": "def __await__(self): return iter(())\n{0}assert 0",
    "__aiter__": "def __aiter__(self): return self\n{0}assert 0",
}
# Functions of Python that call what they are given. None of them can wait for a server.
_PASSES_ON = frozenset({"partial", "gather", "run"})
_HINTS = {
    "asyncio": "asyncio.gather(*calls) runs calls side by side; await a call for its result",
    "sys": 'to end a script early: raise SystemExit("why")',
    "os": "a script sees no files, no environment and no processes",
    "open": "a script sees no files: print what is to be kept",
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


def unsupported(text: str, tree: ast.Module, surfaces: Mapping[str, Surface]) -> Iterator[Finding]:
    """Yield what a script uses and the sandbox lacks. Raises: UsageError: Monty isn't installed."""
    try:
        import pydantic_monty as monty
    except ImportError:
        raise UsageError(
            "to check scripts for the sandbox Monty is needed",
            hint='install it with: pip install "mcpgen[scripts]"',
        ) from None
    limits: monty.ResourceLimits = {"max_feed_duration_secs": 5.0, "max_memory": 2**28}
    with monty.Monty(max_processes=1) as pool:
        session = pool.checkout(script_name="script.py", limits=limits)
        with session as worker:
            sandbox = _Sandbox(worker)
            yield from _Capabilities(sandbox, text, tree, surfaces).findings()


class _Sandbox:
    """A session of Monty, and what was learned from it."""

    def __init__(self, worker: MontySession) -> None:
        self._worker = worker
        self._known: dict[str, tuple[str, int]] = {}
        for name in _SAMPLE_MODULES:
            self.error(f"import {name} as __import_{name}")

    def error(self, code: str) -> str:
        """Run code of ours. Return why it fails, or ""."""
        return self.failure(code)[0]

    def failure(self, code: str) -> tuple[str, int]:
        """Run code of ours. Return why it fails, or "", and the line."""
        if code not in self._known:
            self._known[code] = self._run(code)
        return self._known[code]

    def _run(self, code: str) -> tuple[str, int]:
        from pydantic_monty import MontyError, MontyRuntimeError

        try:
            self._worker.feed_run(code, print_callback=_discard)
        except MontyRuntimeError as error:
            lines = [each.line for each in error.traceback()]
            return error.display("msg") or type(error.exception()).__name__, lines[
                -1
            ] if lines else 1
        except MontyError as error:
            return str(error), 1
        return "", 0

    @property
    def has_bound_methods(self) -> bool:
        """Whether a method can be used without calling it."""
        return not self.error("{}.get")


def _discard(_stream: str, _text: str) -> None:
    pass


class _Capabilities:
    """Compares one script with the sandbox."""

    def __init__(
        self, sandbox: _Sandbox, text: str, tree: ast.Module, surfaces: Mapping[str, Surface]
    ) -> None:
        self.sandbox, self.text, self.tree, self.surfaces = sandbox, text, tree, surfaces
        self.imports = dict(_imports(tree))
        self.bound = set(_bound(tree))
        self.own_attributes = set(_own_attributes(tree))
        self.called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}

    def findings(self) -> Iterator[Finding]:
        """Yield each feature that the sandbox lacks."""
        yield from self._syntax()
        yield from self._modules()
        suspending = self._suspending()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
                yield from self._name(node)
            if isinstance(node, ast.Call):
                yield from self._call(node)
                yield from self._getattr(node)
                yield from self._callback(node, suspending)
            if isinstance(node, ast.ClassDef):
                yield from self._special_methods(node)

    def _syntax(self) -> Iterator[Finding]:
        """Compile each top-level statement, because Monty reports one error at a time."""
        lines = self.text.split("\n")
        for node in self.tree.body:
            first = min(
                [node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))]
            )
            source = "\n".join(lines[first - 1 : node.end_lineno])
            problem, line = self.sandbox.failure(_STOP + source)
            if "division by zero" in problem and line == 1:
                continue
            if _is_import(node) and "ildcard" not in problem:
                continue  # `_modules` looks at it
            said = _PARSER.search(problem)
            feature = said[1] if said else problem
            hint = next((hint for key, hint in _HINTS.items() if key in feature), "")
            yield self._finding(
                first + line - 2, 1, f"the sandbox does not support {feature}", hint
            )

    def _modules(self) -> Iterator[Finding]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                names = [(each.name, f"import {each.name}") for each in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [
                    (node.module, f"from {node.module} import {each.name}")
                    for each in node.names
                    if each.name != "*"
                ]
            else:
                continue
            for module, code in names:
                if module in self.surfaces or module == "__future__" or not _is_standard(module):
                    continue  # the type checker reports what Python lacks, too
                if problem := self.sandbox.error(code):
                    what = f"module {module}"
                    if "cannot import name" in problem:
                        what = f"{module}.{code.rpartition(' ')[2]}"
                    yield self._at(node, f"the sandbox has no {what}", _hint(module))

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
        # Some class methods are there only to be called.
        tried = f"{code}()" if id(node) in self.called else code
        problem = self.sandbox.error(f"import {module}\n{tried}" if module else tried)
        if _MISSING.search(problem):
            yield self._at(node, f"the sandbox does not support {code}", _hint(code))

    def _imports_it(self, module: str) -> bool:
        return not self.sandbox.error(f"import {module}")

    def _method(self, node: ast.Attribute) -> Iterator[Finding]:
        """Look at an attribute of a value, whose type is any that has it."""
        if node.attr in self.own_attributes or self._is_server(node.value):
            return
        if node.attr in vars(type):
            return  # as in type(error).__name__
        if any(_is_data(each, node.attr) for each in _SAMPLES):
            errors = [self._attribute_error(each, node.attr) for each in _having(node.attr)]
            if all(_MISSING.search(error) for error in errors):
                yield self._at(node, f"the sandbox has no attribute .{node.attr}", "")
            return
        types = [each for each in _having(node.attr) if callable(getattr(each, node.attr))]
        if not types:
            return
        if id(node) not in self.called:
            if not self.sandbox.has_bound_methods:
                problem = f"the sandbox can't use the method .{node.attr} without calling it"
                yield self._at(node, problem, _HINTS["method"])
            return
        errors = [self.sandbox.error(f"{_SAMPLES[each]}.{node.attr}()") for each in types]
        if all(_MISSING.search(error) for error in errors):
            owner = types[0].__name__
            problem = f"the sandbox has no method .{node.attr} of {owner}"
            yield self._at(node, problem, _hint(owner))

    def _attribute_error(self, kind: type, name: str) -> str:
        call = "" if _is_data(kind, name) else "()"
        return self.sandbox.error(f"{_SAMPLES[kind]}.{name}{call}")

    def _call(self, node: ast.Call) -> Iterator[Finding]:
        """Try the keyword arguments of a call, functions among its arguments, and constants."""
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
            types = [each for each in _having(name) if callable(getattr(each, name))]
            targets = [f"{_SAMPLES[each]}.{name}" for each in types]
        else:
            return
        tried = [f"{target}({', '.join(arguments)})" for target in targets]
        if name in ("open", "input") or name.startswith("os."):
            tried = [f"{target}('a')" for target in targets]
        elif not _is_worth_trying(node):
            return
        errors = [self.sandbox.error(each) for each in tried]
        if errors and all(_NO_ARGUMENT.search(error) for error in errors):
            problem = f"the sandbox does not support this call of {name}"
            if node.keywords and not _is_about_files(errors[0]):
                given = ", ".join(str(each.arg) for each in node.keywords if each.arg)
                problem = f"the sandbox does not support {name} with {given}" if given else problem
            hint = _hint(name)
            if "exceptions can only be called" in errors[0]:
                problem = "the sandbox allows an exception one string argument only"
                hint = 'give one string, such as ValueError(f"{name}: {value}")'
            yield self._at(node, problem, hint)

    def _getattr(self, node: ast.Call) -> Iterator[Finding]:
        """Look at a method that is named by a string."""
        is_getattr = self._path(node.func) == ("", "getattr")
        if not is_getattr or len(node.args) < 2 or self.sandbox.has_bound_methods:
            return
        name = node.args[1].value if isinstance(node.args[1], ast.Constant) else None
        if isinstance(name, str) and name not in self.own_attributes and _having(name):
            problem = f"the sandbox can't use the method .{name} by getattr"
            yield self._at(node, problem, f"write .{name}(...)")

    def _keywords(self, node: ast.Call) -> list[str]:
        return [f"{each.arg}={_argument(each.value)}" for each in node.keywords if each.arg]

    def _callback(self, node: ast.Call, suspending: Collection[str]) -> Iterator[Finding]:
        """Find a function of a server that Python's own functions would call."""
        last = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else last
        if name in _PASSES_ON or name in self.bound or name in self.own_attributes:
            return
        if isinstance(node.func, ast.Attribute) and self._is_server(node.func.value):
            return
        for value in [*node.args, *(each.value for each in node.keywords)]:
            if self._suspends(value, suspending):
                problem = f"in the sandbox {name or 'this function'} can't call a server"
                yield self._at(value, problem, "use a for loop, or a list comprehension")

    def _suspending(self) -> set[str]:
        """Return the script's synchronous functions that call a server, at once or later."""
        functions = [each for each in ast.walk(self.tree) if isinstance(each, ast.FunctionDef)]
        found: set[str] = set()
        while True:
            more = {
                each.name
                for each in functions
                if any(self._calls_server(line, found) for line in each.body)
            }
            if more == found:
                return found
            found = more

    def _suspends(self, value: ast.expr, suspending: Collection[str]) -> bool:
        if isinstance(value, ast.Lambda):
            return self._calls_server(value.body, suspending)
        return self._is_function(value, suspending)

    def _calls_server(self, node: ast.AST, suspending: Collection[str]) -> bool:
        if isinstance(node, ast.AsyncFunctionDef):
            return False
        if isinstance(node, ast.Call) and self._is_function(node.func, suspending):
            return True
        return any(self._calls_server(each, suspending) for each in ast.iter_child_nodes(node))

    def _is_function(self, node: ast.expr, suspending: Collection[str]) -> bool:
        if isinstance(node, ast.Attribute):
            return self._is_server(node.value) and node.attr not in EXCEPTIONS
        if not isinstance(node, ast.Name):
            return False
        module, _, attribute = self.imports.get(node.id, "").rpartition(":")
        is_imported = module in self.surfaces and attribute not in EXCEPTIONS
        return node.id in suspending or is_imported

    def _special_methods(self, node: ast.ClassDef) -> Iterator[Finding]:
        for each in node.body:
            name = getattr(each, "name", "")
            sample = _SPECIAL_METHODS.get(name, "")
            if not sample:
                continue
            body = sample.format("")
            if self.sandbox.error(f"class A:\n    {body}"):
                yield self._at(each, f"the sandbox does not support the method {name}", "")

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

    def _at(self, node: ast.expr | ast.stmt, problem: str, hint: str) -> Finding:
        line = self.text.split("\n")[node.lineno - 1]
        column = len(line.encode()[: node.col_offset].decode("utf-8", "ignore")) + 1
        return self._finding(node.lineno, column, problem, hint)

    def _finding(self, line: int, column: int, problem: str, hint: str) -> Finding:
        return Finding(line, column, RULE, problem, hint)


def _hint(name: str) -> str:
    """Return what to write instead, by the longest part of a name that is known."""
    parts = name.split(".")
    starts = [".".join(parts[:length]) for length in range(len(parts), 0, -1)]
    return next((_HINTS[start] for start in starts if start in _HINTS), "")


def _argument(node: ast.expr) -> str:
    """Return a stand-in for an argument: a constant as it is, a function for a function."""
    if _is_literal(node):
        return ast.unparse(node)
    return "(lambda *a: '')" if isinstance(node, ast.Lambda) else "'a'"


def _is_worth_trying(node: ast.Call) -> bool:
    """Return True for keywords, functions as arguments, and exceptions that Monty can't make."""
    if any(each.arg for each in node.keywords):
        return True
    if any(isinstance(each, ast.Lambda) for each in node.args):
        return True
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    kind = getattr(builtins, name, None)
    if inspect.isclass(kind) and all(map(_is_literal, node.args)):
        return True
    return inspect.isclass(kind) and issubclass(kind, BaseException)


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _having(name: str) -> list[type]:
    """Return the types of Python that have an attribute."""
    return [each for each in _SAMPLES if any(name in vars(base) for base in each.__mro__)]


def _is_about_files(problem: str) -> bool:
    return "Permission denied" in problem


def _is_data(kind: type, name: str) -> bool:
    """Return True for an attribute that holds a value, such as ``date.year``."""
    value = inspect.getattr_static(kind, name, None)
    return value is not None and not callable(value) and inspect.isdatadescriptor(value)


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


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield what imports bind: a name, and ``module`` or ``module:attribute``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                top = each.name.partition(".")[0]
                yield (each.asname, each.name) if each.asname else (top, top)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for each in node.names:
                yield each.asname or each.name, f"{node.module}:{each.name}"


def _bound(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a script binds other than by an import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield node.rest


def _own_attributes(tree: ast.Module) -> Iterable[str]:
    """Yield the attributes of the script's own classes and objects."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for each in ast.walk(node):
                if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield each.name
                elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                    yield each.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "namedtuple":
            for argument in ast.walk(node):
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield from argument.value.replace(",", " ").split()
