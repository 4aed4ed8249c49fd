"""URI templates are accepted exactly if the SDK accepts them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import InvalidUriTemplate, UriTemplate

from mcpgen.contract.definitions import variables
from mcpgen.schemas.validation.uri_templates import unmatchable

NAMES = st.sampled_from(["a", "b", "c", "a.b", "a*", "b*", "c:3", "%41", "a_1", ".a"])
EXPRESSIONS = st.builds(
    lambda operator, names: f"{{{operator}{','.join(names)}}}",
    st.sampled_from(["", "+", "#", ".", "/", ";", "?", "&"]),
    st.lists(NAMES, min_size=1, max_size=2),
)
TEMPLATES = st.lists(st.one_of(EXPRESSIONS, st.sampled_from(["x://", "/", "?f=1", "#", "-"])))


@pytest.mark.slow
@given(TEMPLATES.map("".join))
def test_a_template_is_matched_by_the_sdk_or_noticed(template: str) -> None:
    assert variables(template) is not None
    assert bool(unmatchable(template)) is refused(template)


def refused(template: str) -> bool:
    """Return True if the SDK rejects a template."""
    try:
        UriTemplate.parse(template)
    except InvalidUriTemplate:
        return True
    return False


@pytest.mark.parametrize("template", [f"x://{'a' * 9000}/{{b}}", "x://" + "/{a}" * 300])
def test_a_long_template_is_not_matched(template: str) -> None:
    assert unmatchable(template) == "the template is too long"
    with pytest.raises(InvalidUriTemplate):
        UriTemplate.parse(template)
