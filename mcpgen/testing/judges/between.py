"""Judges of what must hold between calls: at the same time, one after the other."""

from __future__ import annotations

from mcpgen.reports.rules import Level, Rule

JUDGES = (
    Rule(
        "C701",
        "answers-mixed-up",
        Level.ERROR,
        "calls at the same time get other answers than one after the other",
        "Someone is given what another asked for.",
        ("the answer to call 2 is that of call 1", "each call has its own answer"),
        "Keep what belongs to a call in variables of its own.",
    ),
    Rule(
        "C702",
        "fails-together",
        Level.ERROR,
        "calls that succeed one after the other fail at the same time",
        "Hosts call several tools at once.",
        ("one of ten is answered", "all ten are"),
        "Make the tool safe to be called while it runs.",
    ),
    Rule(
        "C801",
        "text-changed",
        Level.ERROR,
        "a text with characters beyond ASCII comes back as another",
        "Names of people and places are lost.",
        ('"Zo\\u00c3\\u00ab"', '"Zo\\u00eb"'),
        "Read and write UTF-8 everywhere.",
    ),
    Rule(
        "C901",
        "chain-broken",
        Level.ERROR,
        "what one tool gives as an id another refuses",
        "A model feeds the result of one tool into the next.",
        ("search gives B-2, get refuses B-2", "get finds what search gave"),
        "Let both speak of the same ids.",
    ),
    Rule(
        "C902",
        "answers-another",
        Level.ERROR,
        "asked for one id a tool answers with another",
        "A model works on what it did not ask for.",
        ('get(id="B-2") -> {"id": "B-1"}', 'get(id="B-2") -> {"id": "B-2"}'),
        "Answer with what was asked for.",
    ),
    Rule(
        "C903",
        "link-dead",
        Level.ERROR,
        "a result links to a resource that cannot be read",
        "A model that follows the link has nothing.",
        ("resource_link a://b, error: not found", "its contents"),
        "Serve what results link to, or link to what is served.",
    ),
)
