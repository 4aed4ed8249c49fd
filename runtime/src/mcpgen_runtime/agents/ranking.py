"""Ranking of tools with BM25 by their names, descriptions and arguments.

It needs neither a model nor a network. Words are split at case changes, digits and
punctuation, and stemmed. Synonyms match with a lower weight.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

_K1 = 1.2
_SIMILAR = 0.5
"""The weight of a synonym relative to the word itself."""
_MOST_WORDS = 64
_SHORTEST_PREFIX = 4
_LONGEST_ABOUT = 500
_LONGEST_TEXT = 20_000

_PARTS = {
    "name": (3.0, 0.4),
    "server": (2.0, 0.0),
    "about": (0.3, 0.0),
    "title": (1.0, 0.4),
    "summary": (3.0, 0.5),
    "description": (0.5, 0.75),
    "arguments": (0.4, 0.75),
    "argument descriptions": (0.2, 0.75),
}
"""The weight of a word in each part of a tool, and how much a long part lowers it."""

_STOP = frozenset(
    "a an the of to in on for with from by and or is are it its this that my me i be as"
    " at do does did have has had can could what which who whom how why when where our"
    " we you your there so not no any some than then was were if into about will would"
    " should may use using".split()
)
_SYNONYMS = """
    delete remove drop erase destroy discard forget clear purge
    create add new make insert define start register
    list show browse enumerate
    get read retrieve fetch open view show look see display describe inspect load
    update change edit modify set patch alter adjust fix
    find search look query discover locate
    send post publish tell notify share submit
    run execute start launch trigger invoke
    stop cancel end terminate kill abort
    copy clone duplicate fork
    save write store put keep upload
    move rename transfer
    close complete finish resolve
    approve accept confirm
    export download dump extract
    import ingest load upload insert
    link connect attach relate associate join
    compare diff difference
    convert turn transform translate
    folder directory
    file document
    picture image screenshot photo
    message chat
    meeting event appointment
    person user people member
    comment note reply answer
    tag label
    error failure exception problem
    table sheet
    chart graph plot visualization
    statistic usage metric
    permission access right
    setting configuration config option preference
    task todo
    issue ticket
    web internet online
    site website page
    route directions
    repository repo
    url link
    state status
    history changes
    summary overview report
""".strip().splitlines()

_CASES = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Chinese, Japanese and Korean have no spaces: each character is a word.
_WORD = re.compile(r"[\u3040-\u9fff\uac00-\ud7af]|[^\W\d_\u3040-\u9fff\uac00-\ud7af]+|\d+")
_SENTENCE = re.compile(r".{10,}?(?<!e\.g)(?<!i\.e)(?<!etc)[.!?](?=\s|$)|.+")
_ENDINGS = (
    *(("izations", "ize"), ("ization", "ize"), ("ations", "at"), ("ation", "at")),
    *(("ating", "at"), ("ated", "at"), ("ates", "at"), ("ate", "at")),
    *(("ments", ""), ("ment", ""), ("tions", "t"), ("tion", "t"), ("ings", "")),
    *(("ing", ""), ("ed", ""), ("er", ""), ("or", ""), ("ly", "")),
)


class Ranking:
    """Tools by their server's name and definition, ready to be searched."""

    def __init__(
        self,
        tools: Iterable[tuple[str, Mapping[str, Any]]],
        about: Mapping[str, str] | None = None,
    ) -> None:
        """Index the tools by word stems. Ties keep the order of the tools.

        Args:
            tools: The name of its server and the definition of each tool.
            about: Titles and instructions of servers by their names.
        """
        texts = about or {}
        parts = [_parts(server, texts.get(server, ""), definition) for server, definition in tools]
        number = len(parts)
        lengths = {part: sum(len(tool[part]) for tool in parts) / max(1, number) for part in _PARTS}
        self._scores: dict[str, dict[int, float]] = {}
        for index, tool in enumerate(parts):
            for term, weight in _weights(tool, lengths).items():
                score = weight * (_K1 + 1) / (weight + _K1)
                self._scores.setdefault(term, {})[index] = score
        self._words = sorted(self._scores)
        self._rarity = {
            term: math.log(1 + (number - len(scores_by_tool) + 0.5) / (len(scores_by_tool) + 0.5))
            for term, scores_by_tool in self._scores.items()
        }

    def search(self, query: str, limit: int) -> list[tuple[int, float]]:
        """Return the indexes of the best tools, each with its score, best first."""
        scores: dict[int, float] = {}
        for term in list(dict.fromkeys(_query_stems(query)))[:_MOST_WORDS]:
            for index, score in self._scores_of_term(term).items():
                scores[index] = scores.get(index, 0.0) + score
        ranked = sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))
        return ranked[: max(0, limit)]

    def _scores_of_term(self, term: str) -> dict[int, float]:
        """Return each tool's score for one word of a query."""
        matches: dict[int, float] = {}
        most = self._rarity.get(term, math.inf)
        similar = (*_similar().get(term, ()), *self._longer(term))
        for other, share in ((term, 1.0), *similar):
            rarity = share * min(most, self._rarity.get(other, 0.0))
            for index, score in self._scores.get(other, {}).items():
                matches[index] = max(matches.get(index, 0.0), rarity * score)
        return matches

    def _longer(self, term: str) -> Iterator[tuple[str, float]]:
        """Yield the known words that begin with an unknown one."""
        if len(term) < _SHORTEST_PREFIX or term in self._scores:
            return
        first = bisect_left(self._words, term)
        for other in self._words[first : first + _MOST_WORDS]:
            if not other.startswith(term):
                return
            yield other, _SIMILAR


def words(text: str) -> list[str]:
    """Split a string into word stems, such as ``listOpenIssues`` into list, open, issu."""
    spaced = _CASES.sub(" ", text[:_LONGEST_TEXT]).lower()
    return [stem(term) for term in _WORD.findall(spaced) if term not in _STOP]


def summary(text: str) -> str:
    """Return the first sentence of a text, in one line."""
    sentence = _SENTENCE.match(" ".join(text[:_LONGEST_TEXT].split()))
    return sentence.group() if sentence else ""


def _query_stems(query: str) -> Iterator[str]:
    """Yield the stems of a query. ``on call`` also matches ``oncall``."""
    yield from words(query)
    spoken = _WORD.findall(_CASES.sub(" ", query[:_LONGEST_TEXT]).lower())
    for index in range(1, len(spoken)):
        yield stem(spoken[index - 1] + spoken[index])


def _parts(server: str, about: str, definition: Mapping[str, Any]) -> dict[str, list[str]]:
    annotations = _object(definition.get("annotations"))
    title = definition.get("title") or annotations.get("title")
    description = _text(definition.get("description"))
    first = summary(description)
    arguments = _object(_object(definition.get("inputSchema")).get("properties"))
    described = (_text(_object(argument).get("description")) for argument in arguments.values())
    return {
        "name": words(_text(definition.get("name"))),
        "server": words(server),
        "about": list(dict.fromkeys(words(about[:_LONGEST_ABOUT]))),
        "title": words(_text(title)),
        "summary": words(first),
        "description": words(" ".join(description.split())[len(first) :]),
        "arguments": words(" ".join(arguments)),
        "argument descriptions": words(" ".join(described)),
    }


def _weights(tool: Mapping[str, Sequence[str]], lengths: Mapping[str, float]) -> dict[str, float]:
    """Return the weights of a tool's words, depending on their fields (BM25F)."""
    counted: dict[str, float] = {}
    for part, (weight, by_length) in _PARTS.items():
        if not tool[part]:
            continue
        length = 1 - by_length + by_length * len(tool[part]) / lengths[part]
        for term, number in Counter(tool[part]).items():
            counted[term] = counted.get(term, 0.0) + weight * number / length
    return counted


@lru_cache(maxsize=100_000)
def stem(term: str) -> str:
    """Return the stem of an English word."""
    base = _singular(term)
    for ending, instead in _ENDINGS:
        if base.endswith(ending) and len(base) - len(ending) >= _shortest(ending):
            base = base.removesuffix(ending) + instead
            if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz":
                base = base[:-1]
            break
    if len(base) > 3:
        base = base.removesuffix("e")
    return f"{base[:-1]}i" if len(base) > 3 and base.endswith("y") else base


def _singular(term: str) -> str:
    if term.endswith("ies") and len(term) > 4:
        return f"{term[:-3]}y"
    if term.endswith("ices") and len(term) > 5:
        return f"{term[:-4]}ex"
    if term.endswith(("xes", "ches", "shes", "sses", "zes")):
        return term[:-2]
    is_plural = term.endswith("s") and not term.endswith(("ss", "us", "is"))
    return term[:-1] if is_plural and len(term) > 3 else term


def _shortest(ending: str) -> int:
    """Return the minimum number of letters that remain of a word."""
    return 4 if ending in ("ments", "ment", "er", "or", "ly") else 3


@lru_cache(maxsize=1)
def _similar() -> dict[str, list[tuple[str, float]]]:
    similar: dict[str, dict[str, float]] = {}
    for line in _SYNONYMS:
        group = [stem(term) for term in line.split()]
        for term in group:
            similar_words = {other: _SIMILAR for other in group if other != term}
            similar.setdefault(term, {}).update(similar_words)
    return {term: list(shares.items()) for term, shares in similar.items()}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _object(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
