"""Checks lists that have a limit and no further pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from mcpgen_runtime.display import brief

from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsontext import Json
from mcpgen.testing.checks.lists.pages import MEDIUM, Pages, entry_id, missing_ids, read_pages
from mcpgen.testing.run_context import RunContext

_LEAST_ALIKE = 2
"""Minimum number of different limits that are exceeded by the same number of entries."""


def check_limits(lab: RunContext, case: Case) -> list[Verdict]:
    """Read a list without further pages. A shorter one must be its beginning or its end."""
    small = case.data.get("small")
    if not isinstance(small, int):
        return []
    changes: list[tuple[dict[str, Json], tuple[int, ...]]] = [({}, (1, 2, small, MEDIUM))]
    changes += [({name: value}, (3,)) for name, value in case.data.get("filters", [])]
    is_limit = False
    for change, sizes in changes:
        arguments = {**case.data["arguments"], **change}
        changed = replace(case, data={**case.data, "arguments": arguments})
        longest = _check_limit_only(lab, changed, case.data.get("largest"))
        if longest is None:
            return []
        limited = [_check_limit_only(lab, changed, size) for size in sizes]
        is_limit = is_limit or _is_limit(longest, limited, sizes)
        for shorter, size in zip(limited, sizes, strict=True):
            verdict = _other_part(longest, shorter, size) if shorter is not None else None
            if verdict is None or shorter is None:
                continue
            if not (is_limit if verdict.judge == "C610" else longest.is_whole):
                continue
            lists = (
                _check_limit_only(lab, changed, limit) for limit in (case.data["largest"], size)
            )
            again = [pages.entries for pages in lists if pages is not None]
            return [verdict] if again == [longest.entries, shorter.entries] else []
    return []


def _is_limit(longest: Pages, limited: Sequence[Pages | None], sizes: Sequence[int]) -> bool:
    """Return True if a list has as many entries as requested, or always one more, for instance.

    An argument that limits something else gives unrelated numbers of entries.
    """
    counts = {
        size: len(pages.entries)
        for pages, size in zip(limited, sizes, strict=True)
        if pages is not None and len(pages.entries) < len(longest.entries)
    }
    excess = [count - size for size, count in counts.items()]
    return 0 in excess or any(excess.count(item) >= _LEAST_ALIKE for item in excess)


def _check_limit_only(lab: RunContext, case: Case, size: Json) -> Pages | None:
    return read_pages(lab, case, {case.data["paging"]["limit"]: size} if size else {}, 1)


def _other_part(longest: Pages, shorter: Pages, size: int) -> Verdict | None:
    """Return the verdict if a shorter list is neither the beginning nor the end of a longer one."""
    entries, count = shorter.entries, len(shorter.entries)
    if size < count:
        return Verdict("C610", f"a list of {size} has {count} entries", "walk")
    if not count or count != min(size, len(longest.entries)):
        return None  # the argument limits something else
    if any(entry not in longest.entries for entry in entries):
        return None  # another list, such as a mock's for other arguments
    if entries in (longest.entries[:count], longest.entries[-count:]):
        return None
    first = brief(json.dumps(entry_id(entries[0]) or entries[0]), 40)
    if missing := missing_ids(longest.entries, entries):
        other = brief(json.dumps(entry_id(missing[0]) or missing[0]), 40)
        return Verdict("C609", f"a list of {size} begins with {first} and lacks {other}", "walk")
    return Verdict("C612", f"a list of {size} begins with {first}", "walk")
