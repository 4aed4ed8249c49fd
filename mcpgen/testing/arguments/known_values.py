"""Collects known values of a server's data from results, by property name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from mcpgen.jsontext import Json, canonical, is_array, is_object
from mcpgen.servers.endpoint.sensitivity import words_of
from mcpgen.testing.answer import Answer
from mcpgen.testing.arguments.safety import is_secret

_MOST_VALUES = 6
_MOST_UNLIKE = 10
_MOST_FEATURES = 5
_MOST_WORDS = 200
_WORD = re.compile(r"[\w./:@-]*\w")
_MOST_NODES = 4000
_LONGEST = 400
_IDS = frozenset("id ids key uuid guid slug code number isbn sku ref handle uri url name".split())
_STRICT = frozenset("id uuid guid slug isbn sku".split())


@dataclass(frozen=True, slots=True)
class Source:
    """The origin of values: a tool, its arguments, and a property of its results.

    ``parents`` are the enclosing properties, outermost first.
    """

    tool: str
    arguments: str
    parents: tuple[str, ...]
    name: str


@dataclass(slots=True)
class KnownValues:
    """Known values by origin."""

    values: dict[Source, list[Json]] = field(default_factory=dict[Source, "list[Json]"])
    args: dict[str, list[str]] = field(default_factory=dict[str, "list[str]"])
    """Tokens in the error messages of a tool, which may contain existing identifiers."""
    _flags: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """The names of flags in the results of a tool, outside lists."""
    _features: dict[Source, set[tuple[str, str]]] = field(
        default_factory=dict[Source, "set[tuple[str, str]]"]
    )
    """Features of the entities whose IDs are known: a status, a flag, an empty list."""
    _unlike: dict[Source, int] = field(default_factory=dict[Source, int])
    """Number of IDs at the beginning that belong to entities with new features."""

    def forget(self, tool: str) -> None:
        """Forget the values in the results of a tool, before newer ones are learned."""
        for source in [value for value in self.values if value.tool == tool]:
            self.values[source].clear()
            self._features.pop(source, None)
            self._unlike.pop(source, None)

    def hear(self, tool: str, arguments: Json, answer: Answer) -> None:
        """Collect the words of an error that aren't in the arguments."""
        tokens = self.args.setdefault(tool, [])
        text = json.dumps(arguments, ensure_ascii=False)
        for token in _WORD.findall(answer.text()[:2000]):
            if token not in text and token not in tokens and len(tokens) < _MOST_WORDS:
                tokens.append(token)

    def learn(self, tool: str, arguments: Json, answer: Answer) -> None:
        """Collect the values of a result."""
        text, data = json.dumps(arguments, sort_keys=True), answer.data()
        for part in (data, *data.values()) if is_object(data) else ():
            if is_object(part):
                flags = self._flags.setdefault(tool, set())
                flags |= {name for name, value in part.items() if isinstance(value, bool)}
        for parents, name, value, features in _scalars(data):
            if is_secret(name):
                continue
            source = Source(tool, text, parents, name)
            values = self.values.setdefault(source, [])
            if value in values:
                continue
            if _has_id_word(name) and self._is_unlike(source, features):
                index = self._unlike[source]
                values.insert(index, value)
                self._unlike[source] += 1
                del values[_MOST_UNLIKE:]
            elif len(values) < _MOST_VALUES:
                values.append(value)

    def _is_unlike(self, source: Source, features: frozenset[tuple[str, str]]) -> bool:
        """Return True if an entity has a new feature, and record its features."""
        visited = self._features.setdefault(source, set())
        self._unlike.setdefault(source, 0)
        names = [name for name, _ in visited]
        fresh = {
            (name, feature)
            for name, feature in features - visited
            if names.count(name) < _MOST_FEATURES
        }
        visited |= fresh
        return bool(fresh)

    def names(self, tool: str) -> set[str]:
        """Return the property names in a tool's results so far."""
        return {source.name for source in self.values if source.tool == tool} | self._flags.get(
            tool, set()
        )

    def matching(
        self, tool: str, argument: str, description: str = ""
    ) -> Iterator[tuple[Source, list[Json], bool]]:
        """Yield known values for an argument, and whether they certainly fit.

        Values certainly fit if they come from an ID property of the same name and noun. IDs of
        entities that the description names may fit.
        """
        matches = [
            (score, source, values)
            for source, values in self.values.items()
            if (
                score := rank(source, tool, argument)
                or _by_text(source.name, argument, description)
            )
        ]
        matches.sort(key=lambda item: (-item[0], -len(item[2])))
        for score, source, values in matches:
            yield source, values, score == _SURE


_SURE = 3


def rank(source: Source, tool: str, argument: str) -> int:
    """Return how likely a property's values fit an argument, or 0 if they don't."""
    return _rank(source.tool, source.parents, source.name, tool, argument)


def is_id(name: str) -> bool:
    """Return True for `id` and for names that end with it, such as `book_id`."""
    return words_of(name)[-1:] == ["id"]


def naming_values(arguments: Json) -> set[bytes]:
    """Return the arguments that may identify an entity: IDs, and strings that aren't empty."""
    return {
        canonical(value)
        for name, value in (arguments.items() if is_object(arguments) else ())
        if (isinstance(value, str) and value) or (isinstance(value, int) and is_id(name))
    }


def _has_id_word(name: str) -> bool:
    """Return True for the name of an ID. A hostile name may have no words."""
    return any(singular(token) in _STRICT for token in words_of(name)[-1:])


@lru_cache(maxsize=65_536)
def _by_text(name: str, argument: str, description: str) -> int:
    """Return 1 for the ID of an entity that the description of an ID argument names."""
    tokens = words_of(name)
    is_id = len(tokens) > 1 and tokens[-1:] == ["id"] == words_of(argument)[-1:]
    return int(is_id and not {*tokens[:-1]} - {*map(singular, words_of(description))})


@lru_cache(maxsize=65_536)
def _rank(from_tool: str, parents: tuple[str, ...], name: str, tool: str, argument: str) -> int:
    argument_tokens, given_tokens = _singular_words(argument), _singular_words(name)
    if not argument_tokens or not given_tokens:
        return 0
    of_tool = {singular(token) for token in words_of(tool)}
    nouns = {singular(token) for part in (from_tool, *parents) for token in words_of(part)}
    likely = _SURE if argument_tokens[-1] in _STRICT else 2
    if argument_tokens == given_tokens and (len(argument_tokens) > 1 or nouns & of_tool - _VERBS):
        return likely
    if (
        len(argument_tokens) > 1
        and argument_tokens[1:] == given_tokens
        and singular(argument_tokens[0]) in nouns
    ):
        return likely  # book_id, and the id of a book
    if (
        len(given_tokens) > 1
        and given_tokens[1:] == argument_tokens
        and singular(given_tokens[0]) in of_tool
    ):
        return likely
    if singular(argument.lower()) in nouns and given_tokens == ["id"]:
        return 2  # book, and the id of a book
    is_alike = (
        len(argument_tokens) > 1 and argument_tokens[-len(given_tokens) :] == given_tokens
    )  # source_timezone
    return 1 if is_alike or (argument_tokens == given_tokens and argument_tokens[-1] in _IDS) else 0


def _singular_words(name: str) -> list[str]:
    """Return the words of a name, the last one in the singular: `book_ids` match `book_id`."""
    name_words = words_of(name)
    return [*name_words[:-1], *map(singular, name_words[-1:])]


_VERBS = frozenset(
    "get list search find show read fetch look lookup query describe item data result by of all"
    " create update delete add remove set put value info detail".split()
) - {"item"}


def singular(text: str) -> str:
    """Return the singular of a noun."""
    text = text.lower()
    if text.endswith("ies") and len(text) > 4:
        return text[:-3] + "y"
    if text.endswith("ses") or text.endswith("xes") or text.endswith("ches"):
        return text[:-2]
    return text[:-1] if text.endswith("s") and not text.endswith("ss") and len(text) > 2 else text


def _scalars(
    data: Json,
) -> Iterator[tuple[tuple[str, ...], str, Json, frozenset[tuple[str, str]]]]:
    """Yield values that may identify something, with the features of the object around them."""
    waiting: list[tuple[tuple[str, ...], Json]] = [((), data)]
    for _ in range(_MOST_NODES):
        if not waiting:
            return
        parents, value = waiting.pop(0)
        if is_object(value):
            features = frozenset(_features(value))
            for name, item in value.items():
                if is_object(item) or is_array(item):
                    waiting.append(((*parents, name), item))
                elif _is_key(item):
                    yield parents, name, item, features
        elif is_array(value):
            for item in value[:20]:
                if is_object(item) or is_array(item):
                    waiting.append((parents, item))
                elif parents and isinstance(item, str) and _is_key(item):
                    yield parents[:-1], parents[-1], item, frozenset()


def _features(data: dict[str, Json]) -> Iterator[tuple[str, str]]:
    """Yield the features of an object, and the flags of the objects in it."""
    for name, value in data.items():
        yield name, _feature(value)
        for inner, item in value.items() if is_object(value) else ():
            if isinstance(item, bool):
                yield f"{name} {inner}", str(item)


_STATE = re.compile(r"[a-z_]{1,20}", re.IGNORECASE)


def _feature(value: Json) -> str:
    """Return a feature of a property: null, a flag, a state, an empty list, or its type."""
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and (not value or _STATE.fullmatch(value)):
        return value
    if is_array(value) or is_object(value):
        return f"{type(value).__name__} {bool(value)}"
    return type(value).__name__


def _is_key(value: Json) -> bool:
    """Return True if a value may identify an object."""
    is_scalar = isinstance(value, str | int) and not isinstance(value, bool)
    return is_scalar and value != "" and len(str(value)) <= _LONGEST
