"""Hostile text is inert in a page, whose policy names hashes."""

from __future__ import annotations

import os
import re

import pytest
from contract_pages import Outline, demo
from hostile.frames import PAYLOADS, everywhere, of_a_server

from mcpgen.codegen.pages import contract_page, render_page
from mcpgen.codegen.pages.values import ContractPage

ELEMENTS = frozenset(
    "a article body caption code dd del details div dl dt em figcaption figure form h1 h2 h3 h4"
    " head header html input ins label li link main meta nav output p pre script section small span"
    " style summary table tbody td th thead title tr ul".split()
)


IS_ALL = "MCPGEN_ALL" in os.environ


def check_inert(page: ContractPage) -> None:
    """Check that a page has only our elements, without handlers, URLs or invisible text."""
    html = render_page(page)
    outline = Outline(html)
    for tag, attrs in outline.tags:
        assert tag in ELEMENTS, tag
        assert not any(name.startswith("on") or name in ("src", "style") for name in attrs)
        assert (attrs.get("href") or "#").startswith("#"), attrs
    assert [tag for tag, _ in outline.tags].count("script") == 1
    assert not re.search("[\u200b-\u200f\u202a-\u202e\u2066-\u2069\x00-\x08\x0b-\x1f]", html)


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("start", range(8))
def test_hostile_texts_are_inert(start: int) -> None:
    """Each case has a share of the texts, in every field. With MCPGEN_ALL=1 they have all."""
    texts = [PAYLOADS[name] for name in sorted(PAYLOADS)[start :: 8 if IS_ALL else 120]]
    check_inert(contract_page(everywhere(texts), "frame"))
    check_inert(contract_page(of_a_server(texts[0]), "frame"))


def test_page_has_a_policy_with_hashes_and_is_the_same_twice() -> None:
    first = render_page(contract_page(demo(), "bookshelf"))
    assert first == render_page(contract_page(demo(), "bookshelf"))
    policy = next(
        attrs["content"] or ""
        for tag, attrs in Outline(first).tags
        if tag == "meta" and "http-equiv" in attrs
    )
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
