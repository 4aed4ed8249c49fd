"""Exact types agree with their schema on every value: valid ones, near misses with one or two
defects, and random JSON. hypothesis chooses the seeds. `--hypothesis-profile long` tries
fifty times as many.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from subjects import (
    DEFAULT_GROUPS,
    NEEDS_CORPUS,
    SLOW_GROUPS,
    Subject,
    in_styles,
    seeds,
    subjects,
    values_with_verdicts,
)

from mcpgen.codegen.pipeline import STYLES, Style

GROUPS = [*DEFAULT_GROUPS, *SLOW_GROUPS]


@pytest.mark.slow
@pytest.mark.parametrize(("group", "style"), in_styles(GROUPS))
@seeds
@given(seed=st.integers(0, 2**32))
def test_type_and_law_agree_where_the_type_is_exact(group: str, style: Style, seed: int) -> None:
    wrong = [
        problem
        for subject in subjects(group, style)
        if subject.is_exact
        for problem in disagreements(subject, seed, 8 if group == "corpus" else 40)
    ]
    assert wrong == []


def disagreements(subject: Subject, seed: int, count: int) -> list[str]:
    """Return the first value on which type and schema disagree, for the failure message."""
    for value, is_valid in values_with_verdicts(subject, seed, count):
        if subject.accepts(value) is not is_valid:
            law = "allows" if is_valid else "forbids"
            return [f"{subject}: the law {law} {value!r:.300}"]
    return []


@pytest.mark.slow
@pytest.mark.sampled(1)
@NEEDS_CORPUS
@pytest.mark.parametrize("style", STYLES)
def test_most_types_of_real_servers_are_exact(style: Style) -> None:
    results = subjects("varied_corpus", style)
    assert sum(subject.is_exact for subject in results) > 0.75 * len(results)


@pytest.mark.slow
def test_the_values_tell_types_apart() -> None:
    """Nearly every schema must see both verdicts, otherwise agreement proves nothing."""
    results = subjects("hard", "dataclass")
    one_sided = [
        subject.name
        for subject in results
        if len({is_valid for _, is_valid in values_with_verdicts(subject, 0)}) < 2
    ]
    assert len(one_sided) < 0.1 * len(results), one_sided
