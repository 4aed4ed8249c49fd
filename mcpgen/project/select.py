"""Selects and renames the tools of a contract: include, exclude, rename."""

from __future__ import annotations

import difflib
import keyword
from collections.abc import Collection
from dataclasses import replace
from fnmatch import fnmatchcase

from mcpgen_runtime.display import brief

from mcpgen.codegen import identifiers, naming, reserved_names
from mcpgen.codegen.plan import pin
from mcpgen.contract.document import Contract
from mcpgen.errors import UsageError
from mcpgen.project.configuration.model import Entry


def select(contract: Contract, entry: Entry) -> Contract:
    """Remove unwanted tools, and pin the names of renamed ones.

    The other tools keep their names. A pattern or name without a matching tool is rejected, because
    it is probably a typo.
    """
    included = _matching(contract.tools, entry.include, f"{entry.table_name}.include")
    excluded = _matching(contract.tools, entry.exclude, f"{entry.table_name}.exclude")
    selected = {
        name: raw
        for name, raw in contract.tools.items()
        if (name in included or not entry.include) and name not in excluded
    }
    if len(selected) < len(contract.tools):
        # Only new tools rename classes, so without pins none is renamed here.
        keep = pin if contract.classes else naming.pin
        contract = keep(contract, replace(contract, tools=selected))
    return _with_renames(contract, entry) if entry.rename else contract


def _matching(names: Collection[str], patterns: Collection[str], at: str) -> set[str]:
    result: set[str] = set()
    for pattern in patterns:
        fitting = {name for name in names if fnmatchcase(name, pattern)}
        if not fitting:
            raise _no_tool(pattern, names, at)
        result |= fitting
    return result


def _no_tool(name: str, names: Collection[str], at: str) -> UsageError:
    close = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean {close[0]!r}?" if close else f"its tools are: {', '.join(sorted(names))}"
    return UsageError(f"no tool of the contract is {name!r}", at, brief(hint, 500))


def _with_renames(contract: Contract, entry: Entry) -> Contract:
    names = naming.methods(contract.tools, contract.names)
    for wire, name in entry.rename.items():
        at = f"{entry.table_name}.rename.{wire}"
        if wire not in names:
            raise _no_tool(wire, names, at)
        if (
            not name.isidentifier()
            or keyword.iskeyword(name)
            or name != identifiers.snake(name, "x")
        ):
            hint = f"try {identifiers.snake(name, 'tool')!r}"
            raise UsageError(f"{name!r} cannot be the name of a method", at, hint)
        if name in reserved_names.METHODS:
            raise UsageError(f"{name!r} is a method that every client has", at, f"try '{name}_'")
    names |= entry.rename
    owners: dict[str, str] = {}
    for wire, name in names.items():
        other = owners.setdefault(identifiers.pascal(name).casefold(), wire)
        if other != wire:
            mine = wire if wire in entry.rename else other
            hint = f"{(other if mine == wire else wire)!r} has this name, or a similar one"
            raise UsageError(
                f"the name {name!r} is taken", f"{entry.table_name}.rename.{mine}", hint
            )
    pins = {name: names[name] for name in {*contract.names, *entry.rename} if name in names}
    return replace(contract, names=pins)
