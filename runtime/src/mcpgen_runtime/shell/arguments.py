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
class ParsedArguments:
    """The command-line arguments after a tool's name: tool arguments, and options of the command.

    ``is_given`` returns whether an option of the command needs a value, or None if it is not an
    option of the command.
    """

    options: Options
    is_given: Callable[[str], bool | None]
    arguments: dict[str, Json] = field(default_factory=dict[str, Json])
    passed_on: list[str] = field(default_factory=list[str])
    is_from_stdin: bool = False
    _used_names: set[str] = field(default_factory=set[str])
    _alone: dict[str, str] = field(default_factory=dict[str, str])
    """The first value of options that take one value or an array."""

    def read(self, arguments: Sequence[str]) -> None:
        """Parse command-line arguments in order. Raises: WordsError: One is invalid."""
        remaining = list(arguments)
        while remaining:
            argument = remaining.pop(0)
            if argument == STDIN:
                self.is_from_stdin = True
            elif argument.startswith("--") and len(argument) > 2:
                self._long(argument, remaining)
            elif argument.startswith("-") and self.is_given(argument[:2]) is not None:
                self._pass_on(argument, remaining, needs=bool(self.is_given(argument[:2])))
            elif self._is_assignment(argument):
                self._long(f"--{argument}", remaining)
            else:
                self._stray(argument)

    def _is_assignment(self, argument: str) -> bool:
        """Return True for ``name=value`` and ``name:=JSON`` of an argument."""
        name, equals, _ = argument.partition("=")
        return bool(equals) and self.options.find(name.removesuffix(_JSON)) is not None

    def with_base(self, text: str) -> dict[str, Json]:
        """Merge the arguments into a JSON document."""
        try:
            base = load(text)
        except ValueError as error:
            raise WordsError(f"stdin isn't JSON: {error}") from None
        if not isinstance(base, dict):
            raise WordsError("arguments are a JSON object, and stdin holds none")
        return _merge_objects(cast("dict[str, Json]", base), self.arguments)

    def _long(self, argument: str, remaining: list[str]) -> None:
        name, equals, value = argument[2:].partition("=")
        is_json = bool(equals) and name.endswith(_JSON)
        name = name.removesuffix(_JSON) if is_json else name
        option = self.options.find(name)
        value_text = value if equals else None
        if option is None and (needs := self.is_given(f"--{name}")) is not None:
            self._pass_on(argument, remaining, needs=needs)
        elif option is None and (negated := self._negated_flag(name)) and not equals:
            self._put(negated, False)
        elif option is None:
            problem = f"{self.options.tool} has no argument --{name}"
            raise WordsError(problem, self.options.near(name))
        elif is_json:
            self._put(option, self._json(option, value))
        else:
            self._take(option, value_text, remaining)

    def _negated_flag(self, name: str) -> Option | None:
        option = self.options.find(name[3:]) if name.startswith("no-") else None
        return option if option and option.shape.is_flag else None

    def _take(self, option: Option, value_text: str | None, remaining: list[str]) -> None:
        if value_text is None and option.shape.is_flag:
            self._put(option, True)
            return
        if value_text is None and (not remaining or self._is_option(remaining[0])):
            problem = f"{self.options.spelling(option)} needs a value"
            raise WordsError(problem, f"it is {kinds_named(option.shape)}")
        text = remaining.pop(0) if value_text is None else value_text
        if "array" in option.shape.kinds:
            self._add(option, text)
        else:
            self._put(option, self._value(option, option.shape, text))

    def _is_option(self, argument: str) -> bool:
        name = argument[2:].partition("=")[0].removesuffix(_JSON)
        return argument.startswith("--") and (
            self.options.find(name) is not None or self.is_given(f"--{name}") is not None
        )

    def _add(self, option: Option, text: str) -> None:
        """Append an item to an array, or take a whole array as JSON."""
        items = shapes.read(option.shape.items, self.options.root)
        item_kinds = option.shape.kinds - {"array", NULL}
        whole = _parse_json(text)
        holder, name = self._holder(option)
        before = holder.get(name)
        value: Json = whole
        if isinstance(whole, list) and "array" not in _sure(items):
            pass  # all of it
        elif item_kinds and option.name not in self._used_names:
            value = self._parse_item_or_array(option, items, text)
            self._alone[option.name] = text
        elif text == "null" and NULL in option.shape.kinds and "string" not in items.kinds:
            value = None
        else:
            value = [self._value(option, items, text)]
        if option.name in self._used_names:
            alone = self._alone.pop(option.name, None)
            if alone is not None:  # it turns out to be one of several
                before = [self._value(option, items, alone)]
            value = [*_as_list(before), *_as_list(value)]
        self._used_names.add(option.name)
        holder[name] = value

    def _parse_item_or_array(self, option: Option, items: Shape, text: str) -> Json:
        """Parse a value that may be one item or an array."""
        try:
            return value_of(text, _remove_kind(option.shape, "array"))
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
        if option.name in self._used_names:
            raise WordsError(f"{self.options.spelling(option)} is given twice")
        self._used_names.add(option.name)
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

    def _pass_on(self, argument: str, remaining: list[str], *, needs: bool) -> None:
        """Pass an option and its value on to the command."""
        self.passed_on.append(argument)
        has_value = "=" in argument if argument.startswith("--") else len(argument) > 2
        if needs and not has_value and remaining:
            self.passed_on.append(remaining.pop(0))

    def _stray(self, argument: str) -> NoReturn:
        top = [item for item in self.options.top() if not item.shape.is_flag]
        first = next(iter([*self.options.required_options(), *top]), None)
        hint = "it takes no arguments"
        if first is not None:
            spelled = self.options.spelling(first)
            hint = f"arguments are options, such as {spelled} {placeholder(first.shape)}"
        if argument in ("true", "false"):
            hint = f"a flag has its value behind =, such as --flag={argument}"
        raise WordsError(f"the word {argument!r} belongs to no option", hint)


def value_of(text: str, shape: Shape) -> Json:
    """Convert a text to a type of the schema. Raises ValueError for other types."""
    if shape.choices is not None:
        chosen = [choice for choice in shape.choices if argument_text(choice) == text]
        if chosen:
            return chosen[0]
        if text != "null" or NULL not in shape.kinds:
            listed = ", ".join(map(argument_text, shape.choices[:20]))
            more = ", ..." if len(shape.choices) > 20 else ""
            raise ValueError(f"{text!r} is not one of {listed}{more}")
        return None
    parsed = _parse_json(text)
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
        return f"one of {', '.join(map(argument_text, shape.choices[:20]))}"
    kinds = shape.kinds - ({"integer"} if "number" in shape.kinds else set())
    named = [kind_name for kind, kind_name in _WORDS.items() if kind in kinds]
    return " or ".join(named) if shape.kinds != shapes.ALL else "any value"


def placeholder(shape: Shape) -> str:
    """Return the placeholder of a value in a usage line, such as TEXT."""
    if shape.choices is not None and len(shape.choices) <= 12:
        return f"[{'|'.join(map(argument_text, shape.choices))}]"
    kinds = shape.kinds - {NULL}
    if kinds == {"array"}:
        return "VALUE"
    if kinds in ({"number"}, {"number", "integer"}):
        return "NUMBER"
    named = {"string": "TEXT", "integer": "INTEGER", "object": "JSON"}
    return named.get(next(iter(kinds)), "VALUE") if len(kinds) == 1 else "VALUE"


def argument_text(value: Json) -> str:
    """Return a JSON value as a command-line argument."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def near_choice(text: str, shape: Shape) -> str:
    """Suggest the nearest choice, or return an empty string."""
    choices = [argument_text(item) for item in shape.choices or ()]
    close = difflib.get_close_matches(text, choices, 1)
    return f"did you mean {close[0]}?" if close else ""


def load(text: str) -> Json:
    """Parse JSON. Raises: ValueError: It is invalid, or holds NaN or Infinity."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("nested too deeply") from None


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


def _parse_json(text: str) -> Json:
    try:
        return load(text)
    except ValueError:
        return _NONE


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} isn't a number")


def _as_list(value: Json) -> Sequence[Json]:
    return cast("Sequence[Json]", value) if isinstance(value, list) else [value]


def _sure(shape: Shape) -> Set[str]:
    """Return the declared types, or an empty tuple without any."""
    return frozenset() if shape.kinds == shapes.ALL else shape.kinds


def _remove_kind(shape: Shape, kind: str) -> Shape:
    return Shape(shape.kinds - {kind}, shape.choices)


def _merge_objects(base: dict[str, Json], over: Mapping[str, Json]) -> dict[str, Json]:
    """Merge two objects at any depth. Properties of the second one win."""
    return {
        **base,
        **{name: _over(base.get(name), item) for name, item in over.items()},
    }


def _over(before: Json, value: Json) -> Json:
    if not isinstance(before, dict) or not isinstance(value, dict):
        return value
    return _merge_objects(cast("dict[str, Json]", before), cast("dict[str, Json]", value))
