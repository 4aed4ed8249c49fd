"""Names the variables of a recorded origin after its package, so that servers share none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from mcpgen.contract.document import LISTS, Contract
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.servers.recording.build_contract import Recorded

# A server may repeat its arguments, so a variable may occur anywhere.
_PARTS = ("origin", "server", "instructions", *LISTS.values())
_VARIABLE = re.compile(r"\$\{([A-Za-z_]\w*)")


def with_own_variables(
    recorded: Recorded, package: str, previous: Contract | None = None
) -> Recorded:
    """Return the recording with variables such as ``FILES_ARG_1`` instead of ``MCP_ARG_1``.

    A previous contract keeps its names, so that its bytes stay the same.
    """
    if not recorded.is_live or not recorded.variables:
        return recorded
    used_names = _used(previous.origin) if previous is not None else set[str]()
    prefix = re.sub(r"[^A-Z0-9]+", "_", package.rpartition(".")[2].upper()).strip("_")
    if not prefix or prefix[0].isdecimal():
        prefix = f"MCP_{prefix}".rstrip("_")
    names = {
        variable: f"{prefix}_{variable.removeprefix('MCP_')}"
        for variable in recorded.variables
        if variable not in used_names
    }
    if not names:
        return recorded
    contract = recorded.contract
    parts = {part: _rename_variables(getattr(contract, part), names) for part in _PARTS}
    contract = replace(contract, **parts)
    paths = {names.get(variable, variable): path for variable, path in recorded.paths.items()}
    return replace(recorded, contract=contract, paths=paths)


def _used(value: Json) -> set[str]:
    """Return the variables in a JSON value."""
    if isinstance(value, str):
        return set(_VARIABLE.findall(value))
    inner: Json = [*value.values()] if is_object(value) else value
    return {name for item in inner for name in _used(item)} if is_array(inner) else set()


def _rename_variables(value: Json, names: Mapping[str, str]) -> Json:
    if isinstance(value, str):
        return _VARIABLE.sub(lambda match: f"${{{names.get(match[1], match[1])}", value)
    if is_array(value):
        return [_rename_variables(item, names) for item in value]
    if is_object(value):
        return {
            _rename_variables(key, names): _rename_variables(item, names)
            for key, item in value.items()
        }
    return value
