"""What fails for one definition costs that one alone: it is made plainer or left out, and named.

Stages know nothing of this. They may work on one definition or on all of them at once, and raise
what they like: whatever is made of several things is made within :func:`surviving`.
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
"""The kind of the notices on what mcpgen itself failed with: each is a fault of ours."""

REFUSED = "refused"
"""The kind of the notices on definitions of which nothing can be made."""

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")
_Own = TypeVar("_Own", bound="Divided")


@dataclass(frozen=True, slots=True)
class Part:
    """A definition by its list and its key there; of an ``untyped`` one no schema is read."""

    member: str
    key: str
    untyped: bool = False

    @property
    def pointer(self) -> str:
        """Where it is, as a JSON pointer into the contract."""
        return f"/{self.member}/{escape(self.key)}"


@dataclass(frozen=True, slots=True)
class Failure(Generic[_Item]):
    """An item that something failed with, and what was taken in its place, if anything was."""

    item: _Item
    replacement: _Item | None
    error: Exception


class Divided(Protocol):
    """What consists of parts, and of which fewer can be taken."""

    def parts(self) -> Sequence[Part]:
        """Return all parts."""
        ...

    def only(self: _Own, parts: Collection[Part]) -> _Own:
        """Return what has these parts alone."""
        ...


def isolated(
    make: Callable[..., _Made], *contracts: Divided
) -> tuple[_Made, tuple[Failure[Part], ...]]:
    """Make something of contracts; a definition that this fails with costs itself alone.

    A tool becomes plain JSON if that is of use; everything else is left out of all contracts.
    """
    parts = list(dict.fromkeys(part for contract in contracts for part in contract.parts()))
    return surviving(
        parts, lambda left: make(*(contract.only(left) for contract in contracts)), _plain
    )


def _plain(part: Part) -> Part | None:
    is_plainer = part.member == "tools" and not part.untyped
    return Part(part.member, part.key, untyped=True) if is_plainer else None


def surviving(
    items: Sequence[_Item],
    make: Callable[[Sequence[_Item]], _Made],
    plainer: Callable[[_Item], _Item | None] = lambda _: None,
) -> tuple[_Made, tuple[Failure[_Item], ...]]:
    """Make something of as many items as can be; one that this fails with costs itself alone.

    Where nothing can be made of no items either, none is at fault, and what was raised is raised.
    """
    search = _Search(make, plainer)
    error = search.error(items)
    if error is None:
        return search.made[0], ()
    if search.error([]) is not None:
        raise error
    working = search.working(items)
    return make(working), tuple(search.failures)


@dataclass(slots=True)
class _Search(Generic[_Item, _Made]):
    """Finds the items that something can be made of, by halves."""

    make: Callable[[Sequence[_Item]], _Made]
    plainer: Callable[[_Item], _Item | None]
    made: list[_Made] = field(default_factory=list["_Made"])
    failures: list[Failure[_Item]] = field(default_factory=list["Failure[_Item]"])

    def error(self, items: Sequence[_Item]) -> Exception | None:
        """Return what is raised when something is made of these items."""
        try:
            self.made = [self.make(items)]
        except Exception as error:  # whatever it is, it costs no more than what it is raised for
            if _is_no_items(error):
                raise
            return error
        return None

    def working(self, items: Sequence[_Item]) -> list[_Item]:
        """Return these items without those that fail, alone or together."""
        if len(items) < 2:
            return self._added([], items)
        if self.error(items) is None:
            return list(items)
        middle = len(items) // 2
        left, right = self.working(items[:middle]), self.working(items[middle:])
        both = [*left, *right]
        if self.error(both) is None:
            return both
        # What has failed before is suspected before what has not.
        others = [item for item in both if not self._has_failed(item)]
        if len(others) < len(both) and self.error(others) is None:
            return self._added(others, [item for item in both if self._has_failed(item)])
        return self._added(left, right)

    def _has_failed(self, item: _Item) -> bool:
        """Say whether an item stands in the place of one that failed."""
        return any(failure.replacement is item for failure in self.failures)

    def _added(self, working: list[_Item], items: Sequence[_Item]) -> list[_Item]:
        """Add items one by one, each as it is, plainer or not at all."""
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
        """Note a failure once, also of an item that stood in the place of another."""
        before = [failure for failure in self.failures if failure.replacement is item]
        for failure in before:
            self.failures.remove(failure)
        self.failures.append(Failure(before[0].item if before else item, other, error))


def _is_no_items(error: Exception) -> bool:
    """Say whether an error is of the machine, or of what was asked for."""
    if isinstance(error, McpgenError):
        return not isinstance(error, ContractError)
    return isinstance(error, MemoryError)


def noticed(failures: Sequence[Failure[Part]]) -> tuple[Notice, ...]:
    """Say which definitions something failed for, and what became of them."""
    return tuple(_notice(failure) for failure in sorted(failures, key=lambda f: f.item.pointer))


def _notice(failure: Failure[Part]) -> Notice:
    error, at = failure.error, failure.item.pointer
    became = "its arguments and its result are plain JSON, unchecked"
    outcome = f"{reason(error)}; {became if failure.replacement else 'left out'}"
    if not is_ours(error):
        where = getattr(error, "where", "")
        return Notice(where if where.startswith(f"{at}/") else at, outcome, REFUSED)
    return Notice(at, f"{outcome}; please report this", FAILURE)


def is_ours(error: Exception) -> bool:
    """Say whether an error is a fault of mcpgen's, and not of what it was given."""
    return isinstance(error, BugError) or not isinstance(error, McpgenError)


def reason(error: Exception) -> str:
    """Say in plain words what failed."""
    if isinstance(error, McpgenError):
        return error.problem
    files = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    doing = next((doing for file in reversed(files) if (doing := _doing(file))), "reading it")
    text = " ".join(str(error).split())[:_LONGEST]
    return f"mcpgen failed in {doing} ({type(error).__name__}{f': {text}' if text else ''})"


_LONGEST = 100
_PACKAGE = Path(__file__).parent

_ANSWERS = "checking what the server said of it"
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
    """Say what the module that a file is does, ``""`` of none that a user has heard of."""
    path = Path(file)
    inner = (
        path.relative_to(_PACKAGE).with_suffix("").parts if path.is_relative_to(_PACKAGE) else ()
    )
    candidates = ("/".join(inner[:length]) for length in range(len(inner), 0, -1))
    return next((_DOING[name] for name in candidates if name in _DOING), "")
