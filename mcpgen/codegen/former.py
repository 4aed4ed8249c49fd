"""The former server whose functions a new server calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LEGACY = "legacy"
"""The subpackage with the former server's file."""


@dataclass(frozen=True, slots=True)
class FormerCall:
    """How a method calls its former function.

    Attributes:
        function: The function of the runtime that makes the call.
        start: Its first arguments, as code.
        end: Its last arguments, as code.
    """

    function: str
    start: str
    end: str = ""

    def code(self, arguments: str) -> str:
        """Return the statement of the method."""
        parts = ", ".join(part for part in (self.start, arguments, self.end) if part)
        return f"return await {self.function}({parts})"


@dataclass(frozen=True, slots=True)
class FormerServer:
    """The file of a former server, and the calls of its functions.

    Attributes:
        module: The name of the file without its suffix.
        text: Its content.
        server: The expression for the server object, if methods need it.
        calls: The calls by kind of method (``tool``, ``prompt``, ``resource`` or ``template``) and
            name, URI or template.
        requirements: The distributions that the file imports, such as ``tzlocal>=5.3``.
    """

    module: str
    text: str
    server: str
    calls: Mapping[tuple[str, str], FormerCall]
    requirements: tuple[str, ...] = ()

    def files(self, package: str) -> dict[str, str]:
        """Return the files of the subpackage, by path below the project."""
        folder = f"src/{package}/{LEGACY}"
        start = f'"""The former server: {self.module}.py is a copy of its file."""\n\n'
        start += f"from . import {self.module} as {self.module}\n"
        if self.server:
            start += f"\nSERVER = {self.module}.{self.server}\n"
        return {f"{folder}/__init__.py": start, f"{folder}/{self.module}.py": self.text}
