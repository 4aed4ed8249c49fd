"""A Monty session that tests which Python features the sandbox has."""

from __future__ import annotations

import datetime
import decimal
import inspect
import pathlib
import re
from collections import Counter, defaultdict, deque
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mcpgen import installing
from mcpgen.errors import UsageError

if TYPE_CHECKING:
    from pydantic_monty import MontySession, ResourceLimits

SAMPLES: Mapping[type, str] = {
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
"""A sample value of each type in scripts, as source."""

_SAMPLE_MODULES = ("re", "datetime", "pathlib", "decimal", "collections")
SPECIAL_METHODS: Mapping[str, str] = {
    "__len__": "def __len__(self): return 1\nlen(A())",
    "__bool__": "def __bool__(self): return False\nassert not A()",
    "__lt__": "def __lt__(self, other): return True\nA() < A()",
    "__gt__": "def __gt__(self, other): return True\nA() > A()",
    "__le__": "def __le__(self, other): return True\nA() <= A()",
    "__ge__": "def __ge__(self, other): return True\nA() >= A()",
    "__eq__": "def __eq__(self, other): return True\nassert A() == 1",
    "__ne__": "def __ne__(self, other): return False\nassert not A() != 1",
    "__hash__": "def __hash__(self): return 1\nassert hash(A()) == 1",
    "__str__": "def __str__(self): return 'a'\nassert str(A()) == 'a'",
    "__repr__": "def __repr__(self): return 'a'\nassert repr(A()) == 'a'",
    "__format__": "def __format__(self, spec): return 'a'\nassert f'{A():x}' == 'a'",
    "__iter__": "def __iter__(self): return iter([1])\nassert list(A()) == [1]",
    "__next__": "def __next__(self): return 1\nassert next(A()) == 1",
    "__contains__": "def __contains__(self, item): return True\nassert 1 in A()",
    "__getitem__": "def __getitem__(self, key): return 1\nassert A()[0] == 1",
    "__setitem__": "def __setitem__(self, key, value): pass\nA()[0] = 1",
    "__call__": "def __call__(self): return 1\nassert A()() == 1",
    "__add__": "def __add__(self, other): return 1\nassert A() + 1 == 1",
    "__radd__": "def __radd__(self, other): return 1\nassert 1 + A() == 1",
    "__sub__": "def __sub__(self, other): return 1\nassert A() - 1 == 1",
    "__mul__": "def __mul__(self, other): return 1\nassert A() * 1 == 1",
    "__or__": "def __or__(self, other): return 1\nassert A() | 1 == 1",
    "__and__": "def __and__(self, other): return 1\nassert A() & 1 == 1",
    "__neg__": "def __neg__(self): return 1\nassert -A() == 1",
    "__getattr__": "def __getattr__(self, name): return 1\nassert A().x == 1",
    "__setattr__": "def __setattr__(self, name, value): pass\nA().x = 1",
    "__enter__": "def __enter__(self): return 1\n    def __exit__(self, *a): pass\n"
    "with A() as x: assert x == 1",
    "__class_getitem__": "def __class_getitem__(cls, key): return 1\nassert A[0] == 1",
    "__await__": "def __await__(self): return iter(())\nassert 0",
    "__aiter__": "def __aiter__(self): return self\nassert 0",
}
"""A method of a class A, and a statement that needs the method."""


@contextmanager
def sandbox() -> Generator[Sandbox]:
    """Start a session for test snippets. Raises: UsageError: Monty isn't installed."""
    try:
        import pydantic_monty as monty
    except ImportError:
        raise UsageError(
            "checking a script for the sandbox needs Monty",
            hint=installing.extra_hint("scripts"),
        ) from None
    limits: ResourceLimits = {"max_feed_duration_secs": 5.0, "max_memory": 2**28}
    with (
        monty.Monty(max_processes=1) as pool,
        pool.checkout(script_name="script.py", limits=limits) as worker,
    ):
        yield Sandbox(worker)


class Sandbox:
    """A session of Monty. Each snippet runs once; its outcome is remembered."""

    def __init__(self, worker: MontySession) -> None:
        self._worker = worker
        self._outcomes: dict[str, tuple[str, int]] = {}
        for name in _SAMPLE_MODULES:
            self.error(f"import {name} as __import_{name}")

    def error(self, code: str) -> str:
        """Run a snippet. Returns why it fails, or ""."""
        return self.failure(code)[0]

    def failure(self, code: str) -> tuple[str, int]:
        """Run a snippet. Returns why it fails, or "", and the line."""
        if code not in self._outcomes:
            self._outcomes[code] = self._run(code)
        return self._outcomes[code]

    def _run(self, code: str) -> tuple[str, int]:
        from pydantic_monty import MontyError, MontyRuntimeError

        try:
            self._worker.feed_run(code, print_callback=_discard)
        except MontyRuntimeError as error:
            lines = [frame.line for frame in error.traceback()] or [1]
            return error.display("msg") or type(error.exception()).__name__, lines[-1]
        except MontyError as error:
            return str(error), 1
        return "", 0

    @property
    def has_bound_methods(self) -> bool:
        """Whether a method can be used without calling it."""
        return not self.error("{}.get")

    def attribute_error(self, kind: type, name: str) -> str:
        """Return why a value of a type lacks an attribute, or ""."""
        call = "" if is_data(kind, name) else "()"
        return self.error(f"{SAMPLES[kind]}.{name}{call}")


def _discard(_stream: str, _text: str) -> None:
    pass


def types_with(name: str) -> list[type]:
    """Return the types of Python that have an attribute."""
    return [kind for kind in SAMPLES if any(name in vars(base) for base in kind.__mro__)]


def is_data(kind: type, name: str) -> bool:
    """Return True for an attribute that holds a value, such as ``date.year``."""
    value = inspect.getattr_static(kind, name, None)
    return value is not None and not callable(value) and inspect.isdatadescriptor(value)
