"""The person at the terminal, asked as generated clients ask: by the same code, loaded then."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import redirect_stderr
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from types import ModuleType
from typing import Any

from mcpgen.files import resources
from mcpgen.jsontext import Json

_PACKAGE = "_mcpgen_asking"
"""The package that the runtime of clients is loaded as, which holds no client."""
_SHARED = {
    "regexes": "mcpgen.validation.regexes",
    "keywords": "mcpgen.validation.keywords",
    "wire": "mcpgen.recording.wire",
    "login": "mcpgen.login",
    "visible": "mcpgen.display",
}
"""What is copied into clients, and is here already."""


def is_there() -> bool:
    """Say whether a person can be asked."""
    try:
        return sys.stdin.isatty() and sys.stderr.isatty()
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


def terminal(server: str) -> Terminal | None:
    """Return the person at the terminal, ``None`` where nobody can be asked."""
    return Terminal(server) if is_there() else None


class Terminal:
    """A person at the terminal; ``server`` is what the questions are said to come from."""

    def __init__(self, server: str) -> None:
        self.server = server
        self.waited = 0.0
        self._stderr = sys.stderr  # that of the SDK's sessions is a file

    def answer(self, params: Json) -> Json:
        """Ask what the server wants to know; what is no question is declined."""
        from mcp.types import ElicitRequestFormParams, ElicitRequestURLParams
        from pydantic import ValidationError

        is_page = params.get("mode") == "url"
        kind = ElicitRequestURLParams if is_page else ElicitRequestFormParams
        try:
            read = kind.model_validate(params)
        except ValidationError:
            return {"action": "decline"}
        question = _runtime("questions").read_question(self.server, read)
        answered = self._waited(lambda: _runtime("asking").ask_in_terminal(question))
        document: Json = answered.model_dump(mode="json", by_alias=True, exclude_none=True)
        return document

    def confirms(self, definition: Mapping[str, Json], arguments: Json) -> bool:
        """Ask whether a tool may be called."""
        info = _runtime("contract").tool_info(definition["name"], dict(definition))
        said = self._waited(lambda: _runtime("asking").ask_in_terminal(info, arguments))
        return said is True

    def _waited(self, ask: Callable[[], Awaitable[Any]]) -> Any:
        """Ask in a thread of its own: whoever waits here may be within an event loop."""
        import anyio

        began = time.monotonic()
        done: list[Any] = []
        failed: list[BaseException] = []

        async def asked() -> None:
            done.append(await ask())

        def run() -> None:
            try:
                with redirect_stderr(self._stderr):
                    anyio.run(asked)
            except BaseException as error:  # raised below
                failed.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join()
        self.waited += time.monotonic() - began
        if failed:
            raise failed[0]
        return done[0]


def _runtime(module: str) -> Any:
    """Return a module of the runtime of clients, which lies in the templates."""
    if _PACKAGE not in sys.modules:
        folder = resources.folder("templates") / "client" / "_runtime"
        sys.modules[_PACKAGE] = ModuleType(_PACKAGE)
        name = f"{_PACKAGE}._runtime"
        loader = SourceFileLoader(name, str(folder / "__init__.py"))
        inner = module_from_spec(ModuleSpec(name, loader, is_package=True))
        inner.__path__ = [str(folder)]
        sys.modules[name] = inner
        loader.exec_module(inner)
        for shared, ours in _SHARED.items():
            sys.modules[f"{name}.{shared}"] = import_module(ours)
    return import_module(f"{_PACKAGE}._runtime.{module}")
