"""Checks paginated tools: large and small pages must show the same entries."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations

from mcpgen_runtime.display import brief

from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsontext import Json, distinct, is_object
from mcpgen.servers.endpoint.sensitivity import words_of
from mcpgen.testing.checks.lists import list_limits
from mcpgen.testing.checks.lists.pages import MEDIUM, Pages, entry_id, missing_ids, read_pages
from mcpgen.testing.run_context import RunContext

_MOST_PAGES = 12
_MOST_SMALL_PAGES = 4
_MOST_TINY_PAGES = 8
_MAX_PAIRS = 3


def check_walk(  # noqa: PLR0911 - one for each way in which pages are wrong
    lab: RunContext, case: Case
) -> list[Verdict]:
    """Read all pages, then the first ones in a smaller size, then all pages again."""
    names: dict[str, str] = case.data["paging"]
    limit = names.get("limit", "")
    largest, small = case.data.get("largest"), case.data.get("small")
    if names.keys() == {"limit"}:
        return list_limits.check_limits(lab, case)
    whole = read_pages(lab, case, {limit: largest} if limit and largest else {}, _MOST_PAGES)
    if whole is None:
        return []
    if whole.loops:
        return [Verdict("C605", "the last page names an earlier page as the next one", "walk")]
    if repeated := _repeated_ids(whole.ids):
        return [Verdict("C605", f"{repeated[0]!r} is on two pages", "walk")]
    if verdicts := _wrong_total(whole, {}) or _shorter_than_medium(lab, case, whole):
        return verdicts
    if not limit or not isinstance(small, int):
        return []
    if whole.entries and not whole.ids:
        return _check_entries(lab, case, whole, small) or _check_filters(
            lab, case, largest, whole.total
        )
    for size in dict.fromkeys((1, 2, small, MEDIUM, *_telling_sizes(whole))):
        if verdicts := _small(lab, case, whole, size):
            return verdicts
    return _check_filters(lab, case, largest, whole.total)


def _shorter_than_medium(lab: RunContext, case: Case, whole: Pages) -> list[Verdict]:
    """Report a large page with fewer entries than a smaller one, although there are more."""
    limit, largest = case.data["paging"].get("limit"), case.data.get("largest")
    if not limit or not isinstance(largest, int) or len(whole.sizes) < 2:
        return []
    first = whole.sizes[0]
    if first >= min(largest, MEDIUM):
        return []
    medium = read_pages(lab, case, {limit: MEDIUM}, 1)
    if medium is None or medium.sizes[0] <= first:
        return []
    detail = f"a page of {largest} has {first} entries, and one of {MEDIUM} has {medium.sizes[0]}"
    return [Verdict("C609", detail, "walk")]


def _wrong_total(whole: Pages, filters: dict[str, Json]) -> list[Verdict]:
    if whole.is_whole and 0 < len(whole.entries) < whole.total:
        of_filters = f" for {_named(filters)}" if filters else ""
        detail = f"the pages{of_filters} have {len(whole.entries)} of {whole.total} entries"
        return [Verdict("C609", detail, "total")]
    return []


def _telling_sizes(whole: Pages) -> list[int]:
    """Return sizes with which an entry may be lost at the end of a page.

    The last page is full, or has a single entry. A page reads across the end of a large one.
    """
    count = len(whole.entries) if whole.is_whole else 0
    full = [count // pages for pages in (1, 2, 3) if count > pages and count % pages == 0]
    rest = count - 1
    single = [rest // pages for pages in (1, 2) if rest > pages and rest % pages == 0]
    first = whole.sizes[0] if len(whole.sizes) > 1 else 0
    across = [first // 2 + 1] if first > MEDIUM // 4 else []
    return [*full, *single, *across]


def _check_entries(lab: RunContext, case: Case, whole: Pages, small: int) -> list[Verdict]:
    """Read smaller pages of entries without an ID. Large pages must have the same entries."""
    limit = case.data["paging"]["limit"]
    for size in dict.fromkeys((small, MEDIUM, *_telling_sizes(whole))):
        if not lab.input(case.name).allows({**case.data["arguments"], limit: size}):
            continue
        part = read_pages(lab, case, {limit: size}, _MOST_SMALL_PAGES)
        verdict = _other_entry(whole, part, size) if part is not None else None
        if part is None or verdict is None:
            continue
        largest = case.data.get("largest")
        again = read_pages(lab, case, {limit: largest} if largest else {}, _MOST_PAGES)
        if again is None or again.entries != whole.entries:
            return []  # they change on their own, or are ranked differently each time
        again = read_pages(lab, case, {limit: size}, _MOST_SMALL_PAGES)
        return [verdict] if again is not None and again.entries == part.entries else []
    return []


def _other_entry(whole: Pages, part: Pages, size: int) -> Verdict | None:
    """Return the first difference between small and large pages of entries without an ID."""
    count = min(len(whole.entries), len(part.entries))
    index = next((n for n in range(count) if whole.entries[n] != part.entries[n]), None)
    if index is not None:
        rule = "C612" if whole.entries[index] in part.entries else "C609"
        return Verdict(rule, f"entry {index + 1} differs on pages of {size}", "walk")
    if whole.is_whole and part.is_whole and len(whole.entries) != len(part.entries):
        detail = f"pages of {size} have {len(part.entries)} of {len(whole.entries)} entries"
        return Verdict("C609", detail, "walk")
    return None


def _check_filters(lab: RunContext, case: Case, largest: Json, of_all: int) -> list[Verdict]:
    """Read the pages for each filter and order. All entries must match it, on pages of any size.

    ``of_all`` is the total without a filter, which some servers repeat with each filter.
    """
    limit: str = case.data["paging"]["limit"]
    filters: list[tuple[str, Json]] = case.data.get("filters", [])
    entries: list[Json] = []
    for name, value in filters:
        filtered, whole = _read_filtered(lab, case, {name: value}, largest)
        if whole is None:
            continue
        tiny = read_pages(lab, filtered, {limit: 1}, _MOST_SMALL_PAGES)
        for pages in (whole, tiny or whole):
            verdict = _wrong_entry(pages, {name: value}, name)
            # A filter that no entry matches concerns something else.
            if verdict and any(_fits(entry, name, value) for entry in pages.entries):
                return [verdict]
        entries += whole.entries[:1]
        if whole.total != of_all and (verdicts := _wrong_total(whole, {name: value})):
            return verdicts
        half = (len(whole.entries) + 1) // 2  # two pages show the whole order
        for size in dict.fromkeys((3, max(1, half))):
            if verdicts := _small(lab, filtered, whole, size):
                return verdicts
    return _check_pairs_of_filters(lab, case, entries, of_all)


def _read_filtered(
    lab: RunContext, case: Case, filters: dict[str, Json], largest: Json
) -> tuple[Case, Pages | None]:
    """Return a case with filters, and its largest pages if the tool accepts these filters."""
    arguments = {**case.data["arguments"], **filters}
    filtered = replace(case, data={**case.data, "arguments": arguments})
    more: dict[str, Json] = {case.data["paging"]["limit"]: largest} if largest else {}
    return filtered, read_pages(lab, filtered, more, _MOST_PAGES)


def _named(filters: dict[str, Json]) -> str:
    return " and ".join(f"{name} {value!r}" for name, value in filters.items())


def _wrong_entry(pages: Pages, filters: dict[str, Json], name: str) -> Verdict | None:
    """Return the verdict for the first entry that doesn't match one of the filters."""
    for entry in pages.entries:
        if not _fits(entry, name, filters[name]):
            shown = entry_id(entry) or brief(json.dumps(entry), 40)
            actual = _filtered_by(entry, name)
            detail = f"{_named(filters)} gives {shown!r}, which has {actual!r}"
            return Verdict("C611", detail, f"filter {name}")
    return None


def _check_pairs_of_filters(
    lab: RunContext, case: Case, entries: list[Json], of_all: int
) -> list[Verdict]:
    """Read the pages for two filters at once, with values of an entry that matches both."""
    names = {name for name, _ in case.data.get("filters", [])}
    pairs = [
        {first: entry[first], second: entry[second]}
        for entry in entries
        if is_object(entry)
        for first, second in combinations(sorted(names & entry.keys()), 2)
    ]
    for pair in distinct(pairs)[:_MAX_PAIRS]:
        _, whole = _read_filtered(lab, case, pair, case.data.get("largest"))
        if whole is None:
            continue
        for name in pair:
            if verdict := _wrong_entry(whole, pair, name):
                return [verdict]
        if whole.total != of_all and (verdicts := _wrong_total(whole, pair)):
            return verdicts
    return []


def _fits(entry: Json, name: str, value: Json) -> bool:
    """Return True for an entry that matches a filter, or lacks the property."""
    filter_value = _filtered_by(entry, name)
    if filter_value is None or isinstance(filter_value, bool) != isinstance(value, bool):
        return True
    if name.lower().startswith("min") and isinstance(filter_value, int | float):
        return bool(filter_value >= value)
    if name.lower().startswith("max") and isinstance(filter_value, int | float):
        return bool(filter_value <= value)
    return type(filter_value) is not type(value) or bool(filter_value == value)


def _filtered_by(entry: Json, name: str) -> Json:
    """Return the property that a filter concerns, such as ``height`` for ``min_height``."""
    if not is_object(entry):
        return None
    tokens = words_of(name)
    for option in (name, "_".join(tokens[1:]) if tokens[0] in ("min", "max") else name, tokens[0]):
        if option in entry:
            return entry[option]
    return None


def _small(  # noqa: PLR0911 - one for each way in which pages are wrong
    lab: RunContext, case: Case, whole: Pages, small: int
) -> list[Verdict]:
    """Read small pages, which must have the same entries as large ones."""
    names: dict[str, str] = case.data["paging"]
    limit, largest = names["limit"], case.data.get("largest")
    if not lab.input(case.name).allows({**case.data["arguments"], limit: small}):
        return []
    part = read_pages(
        lab, case, {limit: small}, _MOST_TINY_PAGES if small < 3 else _MOST_SMALL_PAGES
    )
    if part is None or not part.sizes:
        return []
    if part.loops:
        return [Verdict("C605", "the last page names an earlier page as the next one", "walk")]
    if part.sizes[0] > small >= 1 and whole.sizes[0] > part.sizes[0]:
        detail = f"{limit} {small} gives {part.sizes[0]} entries"
        return [Verdict("C610", detail, "walk")]
    if repeated := _repeated_ids(part.ids):
        return [Verdict("C605", f"{repeated[0]!r} is on two pages", "walk")]
    if not (verdict := _difference(whole, part, small, largest)):
        return []
    again = read_pages(lab, case, {limit: largest} if largest else {}, _MOST_PAGES)
    if again is None or again.ids != whole.ids:
        return []
    again = read_pages(lab, case, {limit: small}, len(part.sizes))
    return [verdict] if again is not None and again.ids == part.ids else []


def _difference(whole: Pages, part: Pages, small: int, largest: Json) -> Verdict | None:
    """Return the first difference between the entries of small and large pages."""
    all_ids, part_ids = whole.ids, part.ids
    if whole.is_whole and not whole.entries and part_ids:
        return Verdict("C609", f"{part_ids[0]!r} is on no page of {largest}", "walk")
    both_whole = whole.is_whole and part.is_whole
    missing = missing_ids(part_ids, all_ids)
    missing += [value for value in part_ids if both_whole and value not in all_ids]
    if missing:
        size = f"of {largest}" if largest else "without a size"
        return Verdict("C609", f"{missing[0]!r} is on no page {size}", "walk")
    missing = missing_ids(all_ids, part_ids)
    missing += [value for value in all_ids if both_whole and value not in part_ids]
    if missing:
        return Verdict("C609", f"{missing[0]!r} is on no page of {small}", "walk")
    shared = [value for value in all_ids if value in part_ids]
    if shared != [value for value in part_ids if value in all_ids]:
        return Verdict("C612", f"pages of {small} begin with {part_ids[0]!r}", "walk")
    return None


def _repeated_ids(ids: list[Json]) -> list[Json]:
    return [value for value in dict.fromkeys(ids) if ids.count(value) > 1]
