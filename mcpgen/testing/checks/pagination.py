"""A tool that lists in pages: walked in large pages and in small ones, both must show the same."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from mcpgen_runtime.display import brief

from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.servers.endpoint.sensitivity import words_of
from mcpgen.testing.answer import is_soft_error
from mcpgen.testing.entities import id_of
from mcpgen.testing.run_context import RunContext
from mcpgen.testing.values import Schema

_MOST_PAGES = 12
_MOST_SMALL_PAGES = 4
_MOST_TINY_PAGES = 8
_MEDIUM = 20
_LIMITS = (
    *({"limit"}, {"size"}, {"page", "size"}, {"page", "limit"}, {"per", "page"}),
    *({"max", "results"}, {"max", "items"}, {"take"}, {"top"}, {"max"}),
)
_CURSORS = ({"cursor"}, {"page", "token"}, {"next", "token"}, {"continuation"})
_CURSORS_IF_SHOWN = ({"after"}, {"starting", "after"}, {"start", "after"}, {"marker"}, {"bookmark"})
"""Names of cursors that other servers use for filters: they count if results name a next page."""
_OFFSETS = ({"offset"}, {"skip"}, {"start", "index"})
_PAGES = ({"page"}, {"page", "number"})
_LARGE = (100, 50, 25, 20, 10)
"""Sizes of large pages, of which a tool may allow some."""


def paging(names: Collection[str], shown: Collection[str]) -> dict[str, str]:
    """Return which arguments turn pages: the kind of one, and a limit if there is one.

    ``shown`` are the names of the members that results of the tool had.
    """
    result: dict[str, str] = {}
    has_next = any(_is_next(name) for name in shown)
    for name in names:
        tokens = {token.lower() for token in words_of(name)}
        for kind, sets in (("cursor", _CURSORS), ("offset", _OFFSETS), ("page", _PAGES)):
            if any(tokens == item or (kind == "cursor" and item <= tokens) for item in sets):
                result.setdefault(kind, name)
        if has_next and tokens in _CURSORS_IF_SHOWN:
            result.setdefault("cursor", name)
        if tokens in _LIMITS:
            result.setdefault("limit", name)
    return result


@dataclass(slots=True)
class _Walk:
    """The results of all pages of a list."""

    entries: list[Json] = field(default_factory=list["Json"])
    sizes: list[int] = field(default_factory=list[int])
    loops: bool = False
    is_whole: bool = False
    """Whether the last page was read."""
    totals: list[int] = field(default_factory=list[int])
    """The number of all entries, if pages tell it."""

    @property
    def total(self) -> int:
        """The number of all entries that each page tells, or 0."""
        is_told = len(self.totals) == len(self.sizes) and len(set(self.totals)) == 1
        return self.totals[0] if is_told else 0

    @property
    def ids(self) -> list[Json]:
        """The id of each entry that has one."""
        ids = [identity for entry in self.entries if (identity := id_of(entry)) is not None]
        # The ID of something else, such as the author of each book, may be there several times.
        is_own = all(len(words_of(name)) == 1 for name, _ in ids) or not self._has_repetitions()
        return [value for _, value in ids] if is_own else []

    def _has_repetitions(self) -> bool:
        """Return True if two entries of the same page have the same ID."""
        start = 0
        for size in self.sizes:
            ids = [_id(entry) for entry in self.entries[start : start + size]]
            start += size
            if any(value is not None and ids.count(value) > 1 for value in ids):
                return True
        return False


def check_walk(  # noqa: PLR0911 - one for each way in which pages are wrong
    lab: RunContext, case: Case
) -> list[Verdict]:
    """Read all pages, then the first ones in a smaller size, then all pages again."""
    names: dict[str, str] = case.data["paging"]
    limit = names.get("limit", "")
    largest, small = case.data.get("largest"), case.data.get("small")
    whole = _walk(lab, case, {limit: largest} if limit and largest else {}, _MOST_PAGES)
    if whole is None:
        return []
    if whole.loops:
        return [Verdict("C605", "the last page names a page that was there before", "walk")]
    if repeated := _repeated_ids(whole.ids):
        return [Verdict("C605", f"{repeated[0]!r} is on two pages", "walk")]
    if whole.is_whole and 0 < len(whole.entries) < whole.total:
        detail = f"the pages have {len(whole.entries)} of {whole.total} entries"
        return [Verdict("C609", detail, "total")]
    if not limit or not isinstance(small, int):
        return []
    if names.keys() == {"limit"} and not whole.is_whole:
        return []
    if whole.entries and not whole.ids:
        return _check_entries(lab, case, whole, small) or _check_filters(lab, case, largest)
    for size in (1, 2, small, 20):
        if verdicts := _small(lab, case, whole, size):
            return verdicts
    return _check_filters(lab, case, largest)


def _check_entries(lab: RunContext, case: Case, whole: _Walk, small: int) -> list[Verdict]:
    """Read smaller pages of entries without an ID: they must be the same as on large ones."""
    limit = case.data["paging"]["limit"]
    for size in (small, _MEDIUM):
        if not lab.input(case.name).allows({**case.data["arguments"], limit: size}):
            continue
        part = _walk(lab, case, {limit: size}, _MOST_SMALL_PAGES)
        verdict = _other_entry(whole, part, size) if part is not None else None
        if part is None or verdict is None:
            continue
        largest = case.data.get("largest")
        again = _walk(lab, case, {limit: largest} if largest else {}, _MOST_PAGES)
        if again is None or again.entries != whole.entries:
            return []  # they change on their own, or are ranked in another way each time
        again = _walk(lab, case, {limit: size}, _MOST_SMALL_PAGES)
        return [verdict] if again is not None and again.entries == part.entries else []
    return []


def _other_entry(whole: _Walk, part: _Walk, size: int) -> Verdict | None:
    """Return the first difference of entries without an ID from those of large pages."""
    count = min(len(whole.entries), len(part.entries))
    index = next((n for n in range(count) if whole.entries[n] != part.entries[n]), None)
    if index is not None:
        rule = "C612" if whole.entries[index] in part.entries else "C609"
        return Verdict(rule, f"entry {index + 1} is another on pages of {size}", "walk")
    if whole.is_whole and part.is_whole and len(whole.entries) != len(part.entries):
        detail = f"pages of {size} have {len(part.entries)} of {len(whole.entries)} entries"
        return Verdict("C609", detail, "walk")
    return None


def _check_filters(lab: RunContext, case: Case, largest: Json) -> list[Verdict]:
    """Read the pages for each filter and order. All entries must match it, on pages of any size."""
    names: dict[str, str] = case.data["paging"]
    limit = names.get("limit", "")
    for name, value in case.data.get("filters", []):
        arguments = {**case.data["arguments"], name: value}
        filtered = replace(case, data={**case.data, "arguments": arguments})
        whole: _Walk | None = None
        for size in dict.fromkeys((1, 3, largest)):
            more: dict[str, Json] = {limit: size} if limit and size else {}
            if not lab.input(case.name).allows({**arguments, **more}):
                continue
            whole = _walk(lab, filtered, more, _MOST_SMALL_PAGES if size in (1, 3) else _MOST_PAGES)
            if whole is None:
                break
            wrong = [entry for entry in whole.entries if not _fits(entry, name, value)]
            if wrong and len(wrong) < len(whole.entries):
                first = _id(wrong[0]) or brief(json.dumps(wrong[0]), 40)
                actual = _filtered_by(wrong[0], name)
                detail = f"{name} {value!r} gives {first!r}, which has {actual!r}"
                return [Verdict("C611", detail, f"filter {name}")]
        if whole is not None and (verdicts := _small(lab, filtered, whole, 3)):
            return verdicts
    return []


def _fits(entry: Json, name: str, value: Json) -> bool:
    """Return True for an entry that a filter lets through, or that does not tell."""
    filter_value = _filtered_by(entry, name)
    if filter_value is None or isinstance(filter_value, bool) != isinstance(value, bool):
        return True
    if name.lower().startswith("min") and isinstance(filter_value, int | float):
        return bool(filter_value >= value)
    if name.lower().startswith("max") and isinstance(filter_value, int | float):
        return bool(filter_value <= value)
    return type(filter_value) is not type(value) or bool(filter_value == value)


def _filtered_by(entry: Json, name: str) -> Json:
    """Return the member that a filter is about: ``min_height`` is about ``height``."""
    if not is_object(entry):
        return None
    tokens = [token.lower() for token in words_of(name)]
    for option in (name, "_".join(tokens[1:]) if tokens[0] in ("min", "max") else name, tokens[0]):
        if option in entry:
            return entry[option]
    return None


def _small(  # noqa: PLR0911 - one for each way in which pages are wrong
    lab: RunContext, case: Case, whole: _Walk, small: int
) -> list[Verdict]:
    """Read small pages, which must have the same entries as large ones."""
    names: dict[str, str] = case.data["paging"]
    limit, largest = names["limit"], case.data.get("largest")
    if not lab.input(case.name).allows({**case.data["arguments"], limit: small}):
        return []
    part = _walk(lab, case, {limit: small}, _MOST_TINY_PAGES if small < 3 else _MOST_SMALL_PAGES)
    if part is None or not part.sizes:
        return []
    if part.loops:
        return [Verdict("C605", "the last page names a page that was there before", "walk")]
    if part.sizes[0] > small >= 1 and whole.sizes[0] > part.sizes[0]:
        detail = f"{limit} {small} gives {part.sizes[0]} entries"
        return [Verdict("C610", detail, "walk")]
    if repeated := _repeated_ids(part.ids):
        return [Verdict("C605", f"{repeated[0]!r} is on two pages", "walk")]
    verdict = _difference(whole, part, small, largest)
    if verdict is None and names.keys() == {"limit"}:
        verdict = _other_beginning(whole, part, small)
    if verdict is None:
        return []
    again = _walk(lab, case, {limit: largest} if largest else {}, _MOST_PAGES)
    if again is None or again.ids != whole.ids:
        return []
    again = _walk(lab, case, {limit: small}, len(part.sizes))
    return [verdict] if again is not None and again.ids == part.ids else []


def _difference(whole: _Walk, part: _Walk, small: int, largest: Json) -> Verdict | None:
    """Return the first difference between the entries of small and large pages."""
    if whole.is_whole and not whole.entries and part.ids:
        return Verdict("C609", f"{part.ids[0]!r} is on no page of {largest}", "walk")
    if missing := _missing_ids(whole.ids, part.ids):
        return Verdict("C609", f"{missing[0]!r} is on no page of {small}", "walk")
    if whole.is_whole and part.is_whole:
        if missing := [value for value in part.ids if value not in whole.ids]:
            size = f"of {largest}" if largest else "without a size"
            return Verdict("C609", f"{missing[0]!r} is on no page {size}", "walk")
        if missing := [value for value in whole.ids if value not in part.ids]:
            return Verdict("C609", f"{missing[0]!r} is on no page of {small}", "walk")
    shared = [value for value in whole.ids if value in part.ids]
    if shared != [value for value in part.ids if value in whole.ids]:
        return Verdict("C612", f"pages of {small} begin with {part.ids[0]!r}", "walk")
    return None


def _other_beginning(whole: _Walk, part: _Walk, small: int) -> Verdict | None:
    """Return the entry that a list of a smaller size has in place of the first or last one."""
    count = len(part.ids)
    if not whole.is_whole or not count or count > len(whole.ids):
        return None
    if part.ids in (whole.ids[:count], whole.ids[-count:]):  # such as the last events
        return None
    return Verdict("C612", f"a list of {small} begins with {part.ids[0]!r}", "walk")


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
    walk = _walk(lab, case, more, most)
    is_whole = walk is not None and not walk.loops and len(walk.sizes) < most
    return walk.entries if walk is not None and is_whole else None


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
    for size in _LARGE if limit else ():
        if limit and schema.allows({**base, limit: size}):
            return {limit: size}
    return {}


def _says_more(data: Json, count: int) -> bool:
    """Return True if a result has only some of the entries."""
    if not is_object(data):
        return False
    members = [pair for part in (data, *data.values()) if is_object(part) for pair in part.items()]
    for name, value in members:
        tokens = {token.lower() for token in words_of(name)}
        if value is True and tokens & {"more", "truncated", "incomplete", "partial"}:
            return True
        if "total" in tokens and type(value) is int and value > count:
            return True
    return _next(data) is not None


def _walk(lab: RunContext, case: Case, more: Mapping[str, Json], most: int) -> _Walk | None:
    """Return the entries of all pages, or None if a page is rejected or has no list."""
    names: dict[str, str] = case.data["paging"]
    walk = _Walk()
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
        if not entries or walk.loops or (len(entries) < walk.sizes[0] and "cursor" not in names):
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
    """Yield the numbers of all entries that a page tells beside its own entries."""
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
        for name, value in within.items():
            if _is_next(name) and isinstance(value, str | int) and not isinstance(value, bool):
                return value if value != "" else None
    return None


def _is_next(name: str) -> bool:
    tokens = {token.lower() for token in words_of(name)}
    return "next" in tokens or any(item <= tokens for item in _CURSORS)


def _values(data: Json) -> Iterator[Json]:
    if is_object(data):
        for value in data.values():
            yield value
            if is_object(value):
                yield from value.values()


def _id(entry: Json) -> Json:
    identity = id_of(entry)
    return identity[1] if identity else None


def _repeated_ids(ids: list[Json]) -> list[Json]:
    return [value for value in dict.fromkeys(ids) if ids.count(value) > 1]


def _missing_ids(whole: list[Json], part: list[Json]) -> list[Json]:
    """Return entries of one walk that a second walk lacks, between its first and last entry."""
    indexes = [whole.index(value) for value in part if value in whole]
    if len(indexes) < 2 or indexes != sorted(indexes):
        return []
    return [value for value in whole[indexes[0] : indexes[-1]] if value not in part]
