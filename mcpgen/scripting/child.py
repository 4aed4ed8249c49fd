"""Runs a script in a child process, which requests its calls from the parent. Not a sandbox.

The process runs this file with the standard library only, and imports nothing of mcpgen.
"""

from __future__ import annotations

import ast
import asyncio
import builtins
import contextlib
import inspect
import itertools
import json
import linecache
import os
import sys
import threading
import traceback
import types
from typing import Any

SCRIPT = "script.py"


class Parent:
    """The process that makes the calls. Messages are lines of JSON in both directions."""

    def __init__(self) -> None:
        # A script prints to stderr, so its output can't be mistaken for a message.
        self.out = os.fdopen(os.dup(1), "w", encoding="utf-8")
        self.input = os.fdopen(os.dup(0), "r", encoding="utf-8")
        os.dup2(2, 1)
        with open(os.devnull) as nothing:  # noqa: PTH123 - pathlib takes time to load
            os.dup2(nothing.fileno(), 0)
        self.numbers = itertools.count()
        self.waiting: dict[int, tuple[asyncio.AbstractEventLoop, asyncio.Future[Any]]] = {}
        self.lock = threading.Lock()

    def send(self, message: dict[str, Any]) -> None:
        """Send a message."""
        line = json.dumps(message)
        with self.lock:
            self.out.write(f"{line}\n")
            self.out.flush()

    def listen(self) -> None:
        """Pass each response to its pending call."""
        for line in self.input:
            answer = json.loads(line)
            loop, future = self.waiting.pop(answer["id"])
            loop.call_soon_threadsafe(_settle, future, answer)

    async def call(self, module: str, name: str, args: Any, kwargs: Any) -> Any:
        """Request a call, and wait for its response."""
        number = next(self.numbers)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self.waiting[number] = loop, future
        try:
            self.send({"id": number, "call": [module, name, args, kwargs]})
        except (TypeError, ValueError) as error:
            del self.waiting[number]
            raise getattr(sys.modules[module], "InvalidArguments")(f"{name}: {error}") from None  # noqa: B009 - it is made below
        answer = await future
        if "error" in answer:
            kind, problem = answer["error"]
            raise getattr(sys.modules[module], kind)(problem)
        return answer["result"]


def _settle(future: asyncio.Future[Any], answer: Any) -> None:
    if not future.done():
        future.set_result(answer)


def limit(memory: int, seconds: int) -> None:
    """Limit memory and processor time, if the system supports that."""
    if sys.platform != "win32":
        import resource

        limits = {"RLIMIT_AS": memory, "RLIMIT_CPU": seconds, "RLIMIT_CORE": 0}
        for name, value in limits.items():
            with contextlib.suppress(AttributeError, OSError, ValueError):
                resource.setrlimit(getattr(resource, name), (value, value))


def module(parent: Parent, name: str, functions: list[str], kinds: dict[str, str]) -> None:
    """Create the module of a server: a function for each tool, and its exceptions."""
    module_type = types.ModuleType(name)

    def function(tool: str) -> Any:
        async def call(*args: Any, **kwargs: Any) -> Any:
            return await parent.call(name, tool, args, kwargs)

        call.__name__ = call.__qualname__ = tool
        return call

    for tool in functions:
        setattr(module_type, tool, function(tool))
    for kind, base in kinds.items():
        setattr(module_type, kind, type(kind, (getattr(builtins, base),), {"__module__": name}))
    sys.modules[name] = module_type


def run(text: str) -> None:
    """Run a script, which may use ``await`` at the top level."""
    linecache.cache[SCRIPT] = (len(text), None, text.splitlines(keepends=True), SCRIPT)
    code = compile(text, SCRIPT, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    names: dict[str, Any] = {"__name__": "__main__"}
    if code.co_flags & inspect.CO_COROUTINE:
        asyncio.run(types.FunctionType(code, names)())
    else:
        exec(code, names)  # noqa: S102 - what this process is for


def problem(error: BaseException) -> str:
    """Return the line of the script that failed, and the reason."""
    frames = [
        frame_summary
        for frame_summary in traceback.extract_tb(error.__traceback__)
        if frame_summary.filename == SCRIPT
    ]
    lines = [f"line {frame.lineno}: {frame.line}" for frame in frames]
    return "\n".join([*lines, *(text.rstrip() for text in traceback.format_exception_only(error))])


def main() -> None:
    """Run the script that the parent sends."""
    parent = Parent()
    begun = json.loads(parent.input.readline())
    for name, functions in begun["modules"].items():
        module(parent, name, functions, begun["exceptions"])
    threading.Thread(target=parent.listen, daemon=True).start()
    limit(begun["memory"], begun["seconds"])
    failed = ""
    try:
        run(begun["script"])
    except BaseException as error:
        if not (isinstance(error, SystemExit) and not error.code):
            failed = problem(error)
    sys.stdout.flush()
    sys.stderr.flush()
    parent.send({"done": failed})
    os._exit(0)


if __name__ == "__main__":
    main()
