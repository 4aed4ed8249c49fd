"""Reaches the server of a contract again, according to its origin."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

from mcpgen.contract.document import Contract
from mcpgen.errors import UsageError
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.servers.endpoint import Http, Overrides, Stdio, Target, resolve
from mcpgen.servers.endpoint.redaction import Secrets
from mcpgen.servers.endpoint.variables import Expanded, expand


def recorded_target(contract: Contract, where: str, overrides: Overrides) -> Target:
    """Return the target of a contract's origin. Its variables come from this process."""
    origin, reader = contract.origin, _Reader(where, overrides)
    kind = origin.get("transport")
    if kind == "stdio":
        return reader.stdio(origin)
    if kind in ("http", "sse"):
        return reader.http(origin, contract)
    if kind == "in-process":
        return resolve(str(origin.get("target", "")), (), overrides)
    hint = "name the server itself, or record its contract from it"
    raise UsageError("the contract doesn't name its server", where, hint)


class _Reader:
    def __init__(self, where: str, overrides: Overrides) -> None:
        self.where, self.overrides = where, overrides

    def stdio(self, origin: Mapping[str, Json]) -> Stdio:
        expandeds = [
            self._expand(argument) for argument in (origin.get("command"), *_list(origin, "args"))
        ]
        names = [name for name in _list(origin, "env") if isinstance(name, str)]
        variables = self.overrides.variables()
        optional = [name for name in _list(origin, "optionalEnv") if name in variables]
        names += [name for name in optional if isinstance(name, str)]
        env = {n: self._expand(f"${{{n}}}") for n in names if n not in self.overrides.env}
        cwd = self._expand(origin.get("cwd", "."))
        program = sys.executable if expandeds[0].value == "python" else expandeds[0].value
        return Stdio(
            argv=(program, *(expanded.value for expanded in expandeds[1:])),
            written=(program, *(expanded.written for expanded in expandeds[1:])),
            env={**{name: value.value for name, value in env.items()}, **self.overrides.env},
            cwd=self.overrides.cwd or (None if cwd.value == "." else self._folder(cwd.value)),
            expanded=_secrets(*expandeds, cwd, *env.values()),
        )

    def http(self, origin: Mapping[str, Json], contract: Contract) -> Http:
        url = self._expand(origin.get("url"))
        names = {name.lower() for name in self.overrides.headers}
        headers = {
            name: value
            for name, value in self._headers(origin, contract).items()
            if name.lower() not in names
        }
        kind = self.overrides.transport or origin["transport"]
        return Http(
            url=url.value,
            written=url.written,
            headers={**{k: v.value for k, v in headers.items()}, **self.overrides.headers},
            kind="sse" if kind == "sse" else "http",
            expanded=_secrets(url, *headers.values()) | self.overrides.expanded,
            written_headers={
                **{k: v.written for k, v in headers.items()},
                **self.overrides.written_headers,
            },
        )

    def _headers(self, origin: Mapping[str, Json], contract: Contract) -> dict[str, Expanded]:
        """Return the headers with known values. A login may supply the authorization header."""
        value = origin.get("headerValues")
        values: dict[str, Json] = value if is_object(value) else {}
        headers: dict[str, Expanded] = {}
        for name in [item for item in _list(origin, "headers") if isinstance(item, str)]:
            if name in values:
                headers[name] = self._expand(values[name])
                continue
            variable = _variable(contract, name)
            if variable in self.overrides.variables() or name.lower() != "authorization":
                headers[name] = self._expand(f"${{{variable}}}")
        return headers

    def _expand(self, text: Json) -> Expanded:
        if not isinstance(text, str):
            raise UsageError("the contract's origin cannot be read", self.where)
        return expand(text, self.overrides.variables(), self.where)

    def _folder(self, path: str) -> str:
        if not Path(path).is_dir():
            hint = "the contract was recorded there; name another with --cwd"
            raise UsageError("there is no such folder", path, hint)
        return path


def _variable(contract: Contract, header: str) -> str:
    """Return the variable that generated clients read a header from."""
    from mcpgen.codegen import naming
    from mcpgen.contract import definitions

    label = f"{naming.package(definitions.server_name(contract))}_{header}"
    return re.sub(r"[^A-Z0-9]+", "_", label.upper())


def _list(origin: Mapping[str, Json], member: str) -> list[Json]:
    value = origin.get(member)
    return value if is_array(value) else []


def _secrets(*texts: Expanded) -> Secrets:
    return Secrets({value: name for text in texts for value, name in text.values.items()})
