"""Parses command-line arguments into tool arguments, by the types of the schema."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import NoReturn, cast

from . import shapes
from .options import Option, Options, WordsError
from .shapes import NULL, Json, Shape

STDIN = "-"
_JSON = ":"
"""Marks a value as JSON: ``--name:=value``."""


@dataclass
class Typed:
    """The words after a tool's name: its arguments, and options of the command.

    ``is_given`` returns whether an option of the command needs a value, or None if it is
    not an option of the command.
    """

    options: Options
    is_given: Callable[[str], bool | None]
    arguments: dict[str, Json] = field(default_factory=dict[str, Json])
    others: list[str] = field(default_factory=list[str])
    is_from_stdin: bool = False
    _seen: set[str] = field(default_factory=set[str])
    _alone: dict[str, str] = field(default_factory=dict[str, str])
    """The first value of options that take one value or an array."""

    def read(self, words: Sequence[str]) -> None:
        """Parse command-line arguments in order. Raises: WordsError: One is invalid."""
        left = list(words)
        while left:
            word = left.pop(0)
            if word == STDIN:
                self.is_from_stdin = True
            elif word.startswith("--") and len(word) > 2:
                self._long(word, left)
            elif word.startswith("-") and self.is_given(word[:2]) is not None:
                self._other(word, left, needs=bool(self.is_given(word[:2])))
            elif self._is_assignment(word):
                self._long(f"--{word}", left)
            else:
                self._stray(word)

    def _is_assignment(self, word: str) -> bool:
        """Return True for ``name=value`` and ``name:=JSON`` of an argument."""
        name, equals, _ = word.partition("=")
        return bool(equals) and self.options.find(name.removesuffix(_JSON)) is not None

    def with_base(self, text: str) -> dict[str, Json]:
        """Merge the arguments into a JSON document."""
        try:
            base = load(text)
        except ValueError as error:
            raise WordsError(f"stdin isn't JSON: {error}") from None
        if not isinstance(base, dict):
            raise WordsError("arguments are a JSON object, and stdin holds none")
        return _merged(cast("dict[str, Json]", base), self.arguments)

    def _long(self, word: str, left: list[str]) -> None:
        name, equals, value = word[2:].partition("=")
        is_json = bool(equals) and name.endswith(_JSON)
        name = name.removesuffix(_JSON) if is_json else name
        option = self.options.find(name)
        given = value if equals else None
        if option is None and (needs := self.is_given(f"--{name}")) is not None:
            self._other(word, left, needs=needs)
        elif option is None and (negated := self._negated(name)) and not equals:
            self._put(negated, False)
        elif option is None:
            problem = f"{self.options.tool} has no argument --{name}"
            raise WordsError(problem, self.options.near(name))
        elif is_json:
            self._put(option, self._json(option, value))
        else:
            self._take(option, given, left)

    def _negated(self, name: str) -> Option | None:
        option = self.options.find(name[3:]) if name.startswith("no-") else None
        return option if option and option.shape.is_flag else None

    def _take(self, option: Option, given: str | None, left: list[str]) -> None:
        if given is None and option.shape.is_flag:
            self._put(option, True)
            return
        if given is None and (not left or self._is_option(left[0])):
            problem = f"{self.options.spelling(option)} needs a value"
            raise WordsError(problem, f"it is {kinds_named(option.shape)}")
        text = left.pop(0) if given is None else given
        if "array" in option.shape.kinds:
            self._add(option, text)
        else:
            self._put(option, self._value(option, option.shape, text))

    def _is_option(self, word: str) -> bool:
        name = word[2:].partition("=")[0].removesuffix(_JSON)
        return word.startswith("--") and (
            self.options.find(name) is not None or self.is_given(f"--{name}") is not None
        )

    def _add(self, option: Option, text: str) -> None:
        """Append an item to an array, or take a whole array as JSON."""
        items = shapes.read(option.shape.items, self.options.root)
        others = option.shape.kinds - {"array", NULL}
        whole = _parsed(text)
        holder, name = self._holder(option)
        before = holder.get(name)
        value: Json = whole
        if isinstance(whole, list) and "array" not in _sure(items):
            pass  # all of it
        elif others and option.name not in self._seen:
            value = self._either(option, items, text)
            self._alone[option.name] = text
        elif text == "null" and NULL in option.shape.kinds and "string" not in items.kinds:
            value = None
        else:
            value = [self._value(option, items, text)]
        if option.name in self._seen:
            alone = self._alone.pop(option.name, None)
            if alone is not None:  # it is one of several, as is seen now
                before = [self._value(option, items, alone)]
            value = [*_listed(before), *_listed(value)]
        self._seen.add(option.name)
        holder[name] = value

    def _either(self, option: Option, items: Shape, text: str) -> Json:
        """Parse a value that may be one item or an array."""
        try:
            return value_of(text, _without(option.shape, "array"))
        except ValueError:
            return [self._value(option, items, text)]

    def _value(self, option: Option, shape: Shape, text: str) -> Json:
        try:
            return value_of(text, shape)
        except ValueError as error:
            spelled = self.options.spelling(option)
            raise WordsError(f"{spelled}: {error}", near_choice(text, shape)) from None

    def _json(self, option: Option, text: str) -> Json:
        try:
            return load(text)
        except ValueError as error:
            problem = f"{self.options.spelling(option)}: {text!r} isn't JSON: {error}"
            raise WordsError(problem) from None

    def _put(self, option: Option, value: Json) -> None:
        if option.name in self._seen:
            raise WordsError(f"{self.options.spelling(option)} is given twice")
        self._seen.add(option.name)
        holder, name = self._holder(option)
        members = holder.get(name)  # given by earlier words
        holder[name] = value if members is None else _over(value, members)

    def _holder(self, option: Option) -> tuple[dict[str, Json], str]:
        """Return the object that holds an option, and the property's name."""
        holder = self.arguments
        for step in option.path[:-1]:
            inner = holder.setdefault(step, {})
            if not isinstance(inner, dict):
                spelled = self.options.spelling(option)
                raise WordsError(f"{spelled} is part of an argument that already has a value")
            holder = cast("dict[str, Json]", inner)
        return holder, option.path[-1]

    def _other(self, word: str, left: list[str], *, needs: bool) -> None:
        """Pass an option and its value on to the command."""
        self.others.append(word)
        has_value = "=" in word if word.startswith("--") else len(word) > 2
        if needs and not has_value and left:
            self.others.append(left.pop(0))

    def _stray(self, word: str) -> NoReturn:
        top = [each for each in self.options.top() if not each.shape.is_flag]
        first = next(iter([*self.options.required(), *top]), None)
        hint = "it takes no arguments"
        if first is not None:
            spelled = self.options.spelling(first)
            hint = f"arguments are options, such as {spelled} {placeholder(first.shape)}"
        if word in ("true", "false"):
            hint = f"a flag has its value behind =, such as --flag={word}"
        raise WordsError(f"the word {word!r} belongs to no option", hint)


def value_of(text: str, shape: Shape) -> Json:
    """Convert a text to a type of the schema. Raises ValueError for other types."""
    if shape.choices is not None:
        chosen = [each for each in shape.choices if spelled(each) == text]
        if chosen:
            return chosen[0]
        if text != "null" or NULL not in shape.kinds:
            listed = ", ".join(map(spelled, shape.choices[:20]))
            more = ", ..." if len(shape.choices) > 20 else ""
            raise ValueError(f"{text!r} is not one of {listed}{more}")
        return None
    parsed = _parsed(text)
    kind = shapes.kind_of(parsed)
    if parsed is not _NONE and kind in shape.kinds and kind != "string":
        is_whole = isinstance(parsed, float) and "number" not in shape.kinds
        return int(parsed) if is_whole else parsed
    if "string" in shape.kinds:
        return text
    raise ValueError(f"{text!r} is not {kinds_named(shape)}")


def kinds_named(shape: Shape) -> str:
    """Describe the types of a value, such as `a number or null`."""
    if shape.choices is not None:
        return f"one of {', '.join(map(spelled, shape.choices[:20]))}"
    kinds = shape.kinds - ({"integer"} if "number" in shape.kinds else set())
    named = [words for kind, words in _WORDS.items() if kind in kinds]
    return " or ".join(named) if shape.kinds != shapes.ALL else "any value"


def placeholder(shape: Shape) -> str:
    """Return the placeholder of a value in a usage line, such as TEXT."""
    if shape.choices is not None and len(shape.choices) <= 12:
        return f"[{'|'.join(map(spelled, shape.choices))}]"
    kinds = shape.kinds - {NULL}
    if kinds == {"array"}:
        return "VALUE"
    if kinds in ({"number"}, {"number", "integer"}):
        return "NUMBER"
    named = {"string": "TEXT", "integer": "INTEGER", "object": "JSON"}
    return named.get(next(iter(kinds)), "VALUE") if len(kinds) == 1 else "VALUE"


def spelled(value: Json) -> str:
    """Return a JSON value as a command-line argument."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def near_choice(text: str, shape: Shape) -> str:
    """Suggest the nearest choice, or return an empty string."""
    known = [spelled(each) for each in shape.choices or ()]
    close = difflib.get_close_matches(text, known, 1)
    return f"did you mean {close[0]}?" if close else ""


def load(text: str) -> Json:
    """Parse JSON. Raises: ValueError: It is invalid, or holds NaN or Infinity."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


_WORDS: Mapping[str, str] = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a JSON object",
    NULL: "null",
}
_NONE = object()


def _parsed(text: str) -> Json:
    try:
        return load(text)
    except ValueError:
        return _NONE


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} isn't a number")


def _listed(value: Json) -> Sequence[Json]:
    return cast("Sequence[Json]", value) if isinstance(value, list) else [value]


def _sure(shape: Shape) -> Set[str]:
    """Return the declared types, none if the schema declares no type."""
    return frozenset() if shape.kinds == shapes.ALL else shape.kinds


def _without(shape: Shape, kind: str) -> Shape:
    return Shape(shape.kinds - {kind}, shape.choices)


def _merged(base: dict[str, Json], over: Mapping[str, Json]) -> dict[str, Json]:
    """Merge two objects at any depth. Properties of the second one win."""
    return {
        **base,
        **{name: _over(base.get(name), each) for name, each in over.items()},
    }


def _over(before: Json, value: Json) -> Json:
    if not isinstance(before, dict) or not isinstance(value, dict):
        return value
    return _merged(cast("dict[str, Json]", before), cast("dict[str, Json]", value))
