"""Reads the pages of a tool that lists: finds its paging arguments, and collects the entries."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.servers.endpoint.sensitivity import words_of
from mcpgen.testing.answer import is_soft_error
from mcpgen.testing.arguments.entities import ID_NAMES, id_of
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.run_context import RunContext

_LIMITS = (
    *({"limit"}, {"size"}, {"page", "size"}, {"page", "limit"}, {"per", "page"}),
    *({"max", "results"}, {"max", "items"}, {"take"}, {"top"}),
)
_FIRST = {"first"}
"""The name of a limit if there is a cursor. Otherwise it may be a first day."""
_CURSORS = ({"cursor"}, {"page", "token"}, {"next", "token"}, {"continuation"})
_CURSORS_IF_SHOWN = ({"after"}, {"starting", "after"}, {"start", "after"}, {"marker"}, {"bookmark"})
"""Names of cursors that other servers use for filters. They count if results name a next page."""
_ENDS = ({"end"}, {"last", "id"})
"""Names of the last entry on a page. They count only with a flag, as an event has an end, too."""
_MORE = frozenset("more truncated incomplete partial".split())
_OFFSETS = ({"offset"}, {"skip"}, {"start", "index"})
_PAGES = ({"page"}, {"page", "number"})
MEDIUM = 20
"""A usual size of pages, between small and large ones."""
_LARGE = (100, 50, 25, 20, 10)
"""Sizes of large pages to try, because tools have different limits."""


def paging(names: Collection[str], result_names: Collection[str]) -> dict[str, str]:
    """Return the paging arguments by kind, such as cursor, and a limit if there is one.

    ``result_names`` are the property names in the tool's results.
    """
    result: dict[str, str] = {}
    has_next = any(_is_next(name, result_names) for name in result_names)
    for name in names:
        tokens = {*words_of(name)}
        for kind, sets in (("cursor", _CURSORS), ("offset", _OFFSETS), ("page", _PAGES)):
            if any(tokens == item or (kind == "cursor" and item <= tokens) for item in sets):
                result.setdefault(kind, name)
        if has_next and tokens in _CURSORS_IF_SHOWN:
            result.setdefault("cursor", name)
        if tokens in _LIMITS or (tokens == {"max"} and "min" not in names):
            result.setdefault("limit", name)
    for name in names if "cursor" in result else ():
        if {*words_of(name)} == _FIRST:
            result.setdefault("limit", name)
    return result


@dataclass(slots=True)
class Pages:
    """The results of all pages of a list."""

    entries: list[Json] = field(default_factory=list["Json"])
    sizes: list[int] = field(default_factory=list[int])
    loops: bool = False
    is_whole: bool = False
    """Whether the last page was read."""
    totals: list[int] = field(default_factory=list[int])
    """The total numbers of entries on the pages, if given."""

    @property
    def total(self) -> int:
        """The total number of entries if all pages agree on it, otherwise 0."""
        is_told = len(self.totals) == len(self.sizes) and len(set(self.totals)) == 1
        return self.totals[0] if is_told else 0

    @property
    def ids(self) -> list[Json]:
        """The id of each entry that has one."""
        ids = [identity for entry in self.entries if (identity := id_of(entry)) is not None]
        # The ID of something else, such as the author of each book, may occur several times.
        is_own = all(name in ID_NAMES for name, _ in ids) or not self._has_repetitions()
        return [value for _, value in ids] if is_own else []

    def _has_repetitions(self) -> bool:
        """Return True if two entries of the same page have the same ID."""
        start = 0
        for size in self.sizes:
            ids = [entry_id(entry) for entry in self.entries[start : start + size]]
            start += size
            if any(value is not None and ids.count(value) > 1 for value in ids):
                return True
        return False


def all_entries(
    lab: RunContext, tool: str, arguments: dict[str, Json], names: Mapping[str, str], most: int
) -> list[Json] | None:
    """Return the entries on all pages of a tool, or None if they can't all be known."""
    turned = set(names.values())
    base = {key: value for key, value in arguments.items() if key not in turned}
    case = Case("walk", f"tool {tool}", {"arguments": base, "paging": dict(names)})
    more = largest(lab.input(tool), base, names.get("limit"))
    if not names.keys() - {"limit"}:
        return _entries_of_one_page(lab, tool, base, more)
    walk = read_pages(lab, case, more, most, trusts_total=True)
    is_known = walk is not None and not walk.loops and (walk.is_whole or len(walk.sizes) < most)
    return walk.entries if walk is not None and is_known else None


def _entries_of_one_page(
    lab: RunContext, tool: str, base: dict[str, Json], more: dict[str, int]
) -> list[Json] | None:
    """Return the entries of a tool that has no other pages, or None if it may have some."""
    answer = lab.call(tool, {**base, **more})
    entries = _entries(answer.data()) if answer.is_success else None
    if entries is None or any(len(entries) >= size for size in more.values()):
        return None
    return None if _says_more(answer.data(), len(entries)) else entries


def largest(schema: Schema, base: dict[str, Json], limit: str | None) -> dict[str, int]:
    """Return the argument for the largest page that a tool allows, or nothing."""
    most = schema.highest(limit, base) if limit else None
    most = most if isinstance(most, int) and most < _LARGE[0] else _LARGE[0]
    for size in (most, *_LARGE) if limit else ():
        if limit and schema.allows({**base, limit: size}):
            return {limit: size}
    return {}


def _says_more(data: Json, count: int) -> bool:
    """Return True if a result has only some of the entries."""
    if not is_object(data):
        return False
    members = [pair for part in (data, *data.values()) if is_object(part) for pair in part.items()]
    for name, value in members:
        if value is True and _tells_more(name):
            return True
        if "total" in words_of(name) and type(value) is int and value > count:
            return True
    return _next(data) is not None


def read_pages(
    lab: RunContext, case: Case, more: Mapping[str, Json], most: int, *, trusts_total: bool = False
) -> Pages | None:
    """Return the entries of all pages, or None if a page is rejected or has no list.

    With ``trusts_total``, no page is requested beyond the total number of entries.
    """
    names: dict[str, str] = case.data["paging"]
    walk = Pages()
    turned: dict[str, Json] = {}
    visited: list[Json] = []
    for number in range(most):
        arguments = {**case.data["arguments"], **more, **turned}
        if not lab.input(case.name).allows(arguments):
            return None
        answer = lab.call(case.name, arguments)
        data = answer.data()
        entries = _entries(data)
        if not answer.is_success or is_soft_error(answer) or entries is None:
            return None
        walk.entries += entries
        walk.sizes.append(len(entries))
        walk.totals += islice(_totals(data), 1)
        if "cursor" in names:
            if turned:
                lab.with_cursor[case.name] = arguments
            cursor = _next(data)
            if cursor is None:
                lab.last_pages[case.name] = arguments
                walk.is_whole = True
                return walk
            walk.loops = cursor in visited
            visited.append(cursor)
            turned = {names["cursor"]: cursor}
        elif "offset" in names:
            turned = {names["offset"]: len(walk.entries)}
        elif "page" in names:
            turned = {names["page"]: number + 2}
        else:  # there are no other pages
            size = arguments.get(names["limit"])
            walk.is_whole = isinstance(size, int) and len(entries) < size
            return walk
        is_last = len(entries) < walk.sizes[0] or (
            trusts_total and 0 < walk.total <= len(walk.entries)
        )
        if not entries or walk.loops or (is_last and "cursor" not in names):
            walk.is_whole = not walk.loops
            return walk
    return walk


def _entries(data: Json) -> list[Json] | None:
    """Return the list of a result, the longest if there are several."""
    if is_array(data):
        return data
    lists = [value for value in _values(data) if is_array(value)]
    return max(lists, key=len, default=None)


_COUNTED = frozenset("total count results items entries hits matches".split())


def _totals(data: Json) -> Iterator[int]:
    """Yield the total numbers of entries that a page gives."""
    for part in (data, *_values(data)) if is_object(data) else ():
        for name, value in part.items() if is_object(part) else ():
            tokens = {*words_of(name)}
            if "total" in tokens and tokens <= _COUNTED and type(value) is int:
                yield value


def _next(data: Json) -> Json:
    """Return the value that requests the next page."""
    if not is_object(data):
        return None
    for within in (data, *(item for item in data.values() if is_object(item))):
        if any(value is False and _tells_more(name) for name, value in within.items()):
            return None
        for name, value in within.items():
            is_scalar = isinstance(value, str | int) and not isinstance(value, bool)
            if is_scalar and _is_next(name, within):
                return value if value != "" else None
    return None


def _tells_more(name: str) -> bool:
    """Return True for the name of a flag for further entries, such as `has_more`."""
    tokens = {*words_of(name)}
    return bool(tokens & _MORE) or {"has", "next"} <= tokens


def _is_next(name: str, names: Collection[str]) -> bool:
    """Return True for the name of a cursor. ``names`` has all names of the same object."""
    tokens = {*words_of(name)}
    if tokens in _ENDS:
        return any(map(_tells_more, names))
    return "next" in tokens or any(item <= tokens for item in _CURSORS)


def _values(data: Json) -> Iterator[Json]:
    if is_object(data):
        for value in data.values():
            yield value
            if is_object(value):
                yield from value.values()


def entry_id(entry: Json) -> Json:
    """Return the ID of an entry, or None."""
    identity = id_of(entry)
    return identity[1] if identity else None


def missing_ids(whole: list[Json], part: list[Json]) -> list[Json]:
    """Return entries of one walk that a second walk lacks, between its first and last entry."""
    indexes = [whole.index(value) for value in part if value in whole]
    if len(indexes) < 2 or indexes != sorted(indexes):
        return []
    return [value for value in whole[indexes[0] : indexes[-1]] if value not in part]
