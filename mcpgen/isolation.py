"""Isolates failures: a definition that fails is simplified or left out, and reported.

The steps of the pipeline don't know about isolation. They work on one or all definitions, and may
raise any exception. Steps on several definitions run in :func:`surviving`.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from mcpgen.errors import BugError, ContractError, McpgenError, Notice
from mcpgen.jsonpointer import escape

FAILURE = "failure"
"""The kind of notices about failures of mcpgen itself."""

REFUSED = "refused"
"""The kind of notices about unusable definitions."""

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")
_Own = TypeVar("_Own", bound="Divisible")


@dataclass(frozen=True, slots=True)
class DefinitionKey:
    """A definition, by its list and its key. The schemas of an ``untyped`` definition are
    ignored.
    """

    member: str
    key: str
    untyped: bool = False

    @property
    def pointer(self) -> str:
        """JSON pointer of the definition in the contract."""
        return f"/{self.member}/{escape(self.key)}"


@dataclass(frozen=True, slots=True)
class Failure(Generic[_Item]):
    """An item that failed, the item that replaced it, if any, and the error."""

    item: _Item
    replacement: _Item | None
    error: Exception


class Divisible(Protocol):
    """A value made of parts, such as a contract, that can be reduced to some of them."""

    def parts(self) -> Sequence[DefinitionKey]:
        """Return all parts."""
        ...

    def only(self: _Own, parts: Collection[DefinitionKey]) -> _Own:
        """Return a copy with these parts only."""
        ...


def isolate(
    make: Callable[..., _Made], *contracts: Divisible
) -> tuple[_Made, tuple[Failure[DefinitionKey], ...]]:
    """Call ``make`` with contracts, leaving out definitions that it fails on.

    A failing tool is first tried as plain JSON. Failing definitions are left out of all contracts.
    """
    parts = list(dict.fromkeys(part for contract in contracts for part in contract.parts()))
    return surviving(
        parts, lambda remaining: make(*(contract.only(remaining) for contract in contracts)), _plain
    )


def _plain(part: DefinitionKey) -> DefinitionKey | None:
    is_plainer = part.member == "tools" and not part.untyped
    return DefinitionKey(part.member, part.key, untyped=True) if is_plainer else None


def surviving(
    items: Sequence[_Item],
    make: Callable[[Sequence[_Item]], _Made],
    plainer: Callable[[_Item], _Item | None] = lambda _: None,
) -> tuple[_Made, tuple[Failure[_Item], ...]]:
    """Call ``make`` with as many items as possible, and return the result and the failures.

    If ``make`` fails without any items, its exception propagates.
    """
    search = _Search(make, plainer)
    error = search.error(items)
    if error is None:
        return search.made_values[0], ()
    if search.error([]) is not None:
        raise error
    working = search.working(items)
    return make(working), tuple(search.failures)


@dataclass(slots=True)
class _Search(Generic[_Item, _Made]):
    """Finds the items for which ``make`` succeeds, by bisection."""

    make: Callable[[Sequence[_Item]], _Made]
    plainer: Callable[[_Item], _Item | None]
    made_values: list[_Made] = field(default_factory=list["_Made"])
    failures: list[Failure[_Item]] = field(default_factory=list["Failure[_Item]"])

    def error(self, items: Sequence[_Item]) -> Exception | None:
        """Return the exception that ``make`` raises for these items, or None."""
        try:
            self.made_values = [self.make(items)]
        except Exception as error:  # errors of the search never replace the original error
            if _is_no_items(error):
                raise
            return error
        return None

    def working(self, items: Sequence[_Item]) -> list[_Item]:
        """Return the items that don't fail, neither individually nor in combination."""
        if len(items) < 2:
            return self._add([], items)
        if self.error(items) is None:
            return list(items)
        middle = len(items) // 2
        remaining, right = self.working(items[:middle]), self.working(items[middle:])
        both = [*remaining, *right]
        if self.error(both) is None:
            return both
        # Definitions that failed before are tried first.
        suspects = [item for item in both if not self._has_failed(item)]
        if len(suspects) < len(both) and self.error(suspects) is None:
            return self._add(suspects, [item for item in both if self._has_failed(item)])
        return self._add(remaining, right)

    def _has_failed(self, item: _Item) -> bool:
        """Return True if an item replaced a failed item."""
        return any(failure.replacement is item for failure in self.failures)

    def _add(self, working: list[_Item], items: Sequence[_Item]) -> list[_Item]:
        """Add items one by one: unchanged, simplified, or not at all."""
        for item in items:
            error = self.error([*working, item])
            if error is None:
                working = [*working, item]
                continue
            other = self.plainer(item)
            if other is not None and self.error([*working, other]) is not None:
                other = None
            self._note(item, other, error)
            working = working if other is None else [*working, other]
        return working

    def _note(self, item: _Item, other: _Item | None, error: Exception) -> None:
        """Record a failure once per item, even for a replacement."""
        before = [failure for failure in self.failures if failure.replacement is item]
        for failure in before:
            self.failures.remove(failure)
        self.failures.append(Failure(before[0].item if before else item, other, error))


def _is_no_items(error: Exception) -> bool:
    """Return True if an error doesn't depend on the items: out of memory, or a usage error."""
    if isinstance(error, McpgenError):
        return not isinstance(error, ContractError)
    return isinstance(error, MemoryError)


def failure_notices(failures: Sequence[Failure[DefinitionKey]]) -> tuple[Notice, ...]:
    """Return a notice for each definition that failed."""
    return tuple(_notice(failure) for failure in sorted(failures, key=lambda f: f.item.pointer))


def _notice(failure: Failure[DefinitionKey]) -> Notice:
    error, at = failure.error, failure.item.pointer
    became = "its arguments and its result are plain JSON, unchecked"
    outcome = f"{reason(error)}; {became if failure.replacement else 'left out'}"
    if not is_ours(error):
        where = getattr(error, "where", "")
        return Notice(where if where.startswith(f"{at}/") else at, outcome, REFUSED)
    return Notice(at, f"{outcome}; please report this", FAILURE)


def is_ours(error: Exception) -> bool:
    """Return True if an error is a defect of mcpgen."""
    return isinstance(error, BugError) or not isinstance(error, McpgenError)


def reason(error: Exception) -> str:
    """Describe a failure for a notice."""
    if isinstance(error, McpgenError):
        return error.problem
    files = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    doing = next((doing for file in reversed(files) if (doing := _doing(file))), "reading it")
    text = " ".join(str(error).split())[:_LONGEST]
    return f"mcpgen failed in {doing} ({type(error).__name__}{f': {text}' if text else ''})"


_LONGEST = 100
_PACKAGE = Path(__file__).parent

_ANSWERS = "validating the server's definition of it"
_ADDRESSES = "checking how it is reached"
_DOING: Mapping[str, str] = {
    "schemas/validation": "checking its schemas",
    **dict.fromkeys(
        (
            "schemas/validation/definition_checks",
            "schemas/validation/messages",
            "servers/recording",
        ),
        _ANSWERS,
    ),
    **dict.fromkeys(("schemas/validation/headers", "schemas/validation/uri_templates"), _ADDRESSES),
    "schemas/types": "finding types for its schemas",
    "schemas/examples": "finding example data for it",
    "codegen/naming": "choosing its names",
    "codegen/escaping": "writing its texts",
    "codegen/plan": "planning its code",
    "codegen/render": "writing its code",
    "codegen/allowlist": "checking its code",
    "codegen/formatting": "laying out its code",
    "compare": "comparing it",
    "codegen/agent_files/budget": "weighing it",
    "codegen/agent_files/hoisting": "weighing it",
    "lint": "linting it",
    "testing/mock": "serving it",
}


def _doing(file: str) -> str:
    """Describe the task of a module, or return "" if users don't know it."""
    path = Path(file)
    inner = (
        path.relative_to(_PACKAGE).with_suffix("").parts if path.is_relative_to(_PACKAGE) else ()
    )
    candidates = ("/".join(inner[:length]) for length in range(len(inner), 0, -1))
    return next((_DOING[name] for name in candidates if name in _DOING), "")
