"""Writes shell commands that reproduce a case with other commands of mcpgen."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json, is_object
from mcpgen.testing.arguments.safety import redact

_OWN = frozenset(
    "help env header account cwd timeout transport era capability strict verbose quiet json format"
    " save yes unchecked".split()
)
_LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Lines:
    """The common part of commands for this server: options, and its name or command."""

    options: Sequence[str] = ()
    server: str = ""
    command: Sequence[str] = ()

    def line_for(self, case: Case) -> str:
        """Return the command for a case, or "" if none exists."""
        data = redact(case.data)
        if case.check in ("call", "idempotent", "read-only"):
            return self._call(case.name, data["arguments"])
        if case.check == "chain":
            source = data["source"]
            first = self._call(source["tool"], source["arguments"])
            return f"{first}; then {case.name} with {data['argument']}"
        if case.check == "text":
            arguments = {**data["arguments"], data["argument"]: "mcpgen test Zo\u00eb"}
            return self._call(case.name, arguments)
        if data.get("method") == "resources/read":
            return self._line("read", [data["params"]["uri"]])
        if data.get("method") == "prompts/get" and case.check == "given":
            parts = [
                token
                for name, value in data["params"].get("arguments", {}).items()
                for token in (f"--{name}", str(value))
            ]
            return self._line("prompt", [data["params"]["name"], *parts])
        return ""

    def _call(self, tool: str, arguments: Json) -> str:
        if not is_object(arguments) or len(json.dumps(arguments)) > _LONGEST:
            return ""
        if all(re.fullmatch(r"[A-Za-z]\w*", name) and name not in _OWN for name in arguments):
            parts = [
                f"--{name}:={json.dumps(value, ensure_ascii=False)}"
                for name, value in arguments.items()
                if name != "mcpgen_unknown"
            ]
            if len(parts) == len(arguments):
                return self._line("call", [tool, *parts], "--unchecked")
        text = shlex.quote(json.dumps(arguments, ensure_ascii=False))
        return f"echo {text} | {self._line('call', [tool, '-'], '--unchecked')}"

    def _line(self, command: str, parts: Sequence[str], *more: str) -> str:
        if self.command:
            return shlex.join(
                ["mcpgen", command, *more, *self.options, *parts, "--", *self.command]
            )
        return shlex.join(["mcpgen", command, *more, *self.options, self.server, *parts])
