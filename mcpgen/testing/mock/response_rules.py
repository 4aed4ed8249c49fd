"""Reads rules for the responses to some calls. Errors have a position."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path, PurePath
from typing import Literal, TypeAlias, cast

from mcpgen_runtime.display import brief
from mcpgen_runtime.replay.definition import plain_numbers

from mcpgen import jsontext
from mcpgen.contract import yaml_reader
from mcpgen.contract.definitions import Api
from mcpgen.errors import UsageError
from mcpgen.files import toml
from mcpgen.jsontext import Json, is_array, is_number, is_object
from mcpgen.schemas.validation import schemas

Kind: TypeAlias = Literal["tool", "prompt", "resource"]
Answer: TypeAlias = Literal["answer", "text", "result", "error", "drop", "garbage"]

_KINDS: tuple[Kind, ...] = ("tool", "prompt", "resource")
_ANSWERS: tuple[Answer, ...] = ("answer", "text", "result", "error", "drop", "garbage")
_OTHERS = ("arguments", "delay", "ask", "log", "changed", "times")
_MOST_NAMES = 8
_HINT = "write a list of rules, in YAML: - tool: <name>"

LISTED = ("tools", "prompts", "resources")
"""The lists that ``changed`` may name. Anything else is the URI of a resource."""


@dataclass(eq=False)
class Rule:
    """A response to matching calls. ``answer`` is its kind (``text``, ``error``, ...), ``value``
    its content.

    Without ``answer`` an example is generated. ``calls_left`` is the number of calls that the rule
    still applies to, if limited.
    """

    kind: Kind
    name: str
    arguments: Mapping[str, Json] = field(default_factory=dict[str, Json])
    answer: Answer | None = None
    value: Json = None
    delay: float = 0.0
    ask: Mapping[str, Json] | None = None
    log: Sequence[str] = ()
    changed: Sequence[str] = ()
    remaining: int | None = None

    def use(self) -> None:
        """Count a call as one of the rule's ``times``."""
        if self.remaining is not None:
            self.remaining -= 1

    def fits(self, kind: Kind, name: str, arguments: Mapping[str, Json]) -> bool:
        """Return True if the rule matches a call. Arguments that it doesn't name can have any
        value.
        """
        is_named = (self.kind, self.name) == (kind, name)
        return is_named and self.remaining != 0 and _is_within(self.arguments, arguments)


def _is_within(part: Json, whole: Json) -> bool:
    if is_object(part):
        return is_object(whole) and all(
            name in whole and _is_within(value, whole[name]) for name, value in part.items()
        )
    ours, theirs = plain_numbers(part), plain_numbers(whole)
    return ours == theirs and isinstance(ours, bool) == isinstance(theirs, bool)


@dataclass(frozen=True)
class Rules:
    """The rules of a file in order. The first matching rule applies."""

    rules: Sequence[Rule] = ()

    def matching(self, kind: Kind, name: str, arguments: Mapping[str, Json]) -> Rule | None:
        """Return the rule for a call."""
        return next((rule for rule in self.rules if rule.fits(kind, name, arguments)), None)


def load(rules_path: str | PathLike[str], api: Api, declared: Mapping[str, Json]) -> Rules:
    """Load rules from a YAML, TOML or JSON file, chosen by its suffix."""
    path = str(rules_path)
    try:
        text = Path(rules_path).read_bytes()
    except OSError as error:
        problem = f"the file cannot be read: {error.strerror or error}"
        raise UsageError(problem, path, _HINT) from None
    return _parse(text, path, api, declared)


def _parse(text: bytes, path: str, api: Api, declared: Mapping[str, Json]) -> Rules:
    suffix = PurePath(path).suffix
    position: Callable[[str], str] = str
    if suffix in yaml_reader.SUFFIXES:
        document = yaml_reader.loads(text, path)
        position = partial(yaml_reader.position, text)
    elif suffix == ".toml":
        document = toml.parse(text, path)
    else:
        document = jsontext.loads(text.removeprefix(b"\xef\xbb\xbf"), path)
    below = ""
    if is_object(document) and "answers" in document:
        document, below = document["answers"], "/answers"
    if not is_array(document):
        raise UsageError("the value isn't a list of responses", path, _HINT)
    rules: list[Rule] = []
    for index, entry in enumerate(document):
        for pointer, problem in _problems(entry, api, declared):
            raise UsageError(problem, path + position(f"{below}/{index}{pointer}"))
        rules.append(_rule(entry))
    return Rules(rules)


def _rule(entry: Mapping[str, Json]) -> Rule:
    kind = _kinds(entry)[0]
    answer = next(iter(_answers(entry)), None)
    return Rule(
        kind,
        entry[kind],
        entry.get("arguments") or {},
        answer,
        entry.get(answer or ""),
        float(entry.get("delay") or 0),
        entry.get("ask"),
        _texts(entry.get("log")),
        _texts(entry.get("changed")),
        entry.get("times"),
    )


def _kinds(entry: Mapping[str, Json]) -> list[Kind]:
    return [kind for kind in _KINDS if kind in entry]


def _answers(entry: Mapping[str, Json]) -> list[Answer]:
    return [name for name in _ANSWERS if name in entry]


def _texts(value: Json) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(cast("Sequence[str]", value or ()))


def _problems(entry: Json, api: Api, declared: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """Yield the problems of an entry, with their pointers."""
    if not is_object(entry):
        yield "", "the value isn't an object"
        return
    kinds = _kinds(entry)
    if len(kinds) != 1:
        yield "", f"expected one of {', '.join(_KINDS)}"
        return
    allowed = {*_KINDS, *_ANSWERS, *_OTHERS}
    for name in entry:
        if name not in allowed:
            yield f"/{name}", f"{_show(name)} is not one of {', '.join(sorted(allowed))}"
    answers = _answers(entry)
    if len(answers) > 1:
        yield f"/{answers[1]}", f"only one response is allowed, and there is {answers[0]}, too"
    flaws = list(_flaws(entry))
    yield from flaws
    if not flaws:
        yield from _undeclared_events(entry, declared)
    yield from _unknown(entry, kinds[0], api)


def _flaws(entry: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    checks: dict[str, tuple[Callable[[Json], bool], str]] = {
        "arguments": (is_object, "no object"),
        "delay": (_is_seconds, "not a number of seconds"),
        "times": (_is_count, "no count"),
        "log": (_is_texts, "neither a string nor a list of strings"),
        "changed": (_is_texts, "neither a string nor a list of strings"),
        "drop": (lambda value: value is True, "not true"),
        "garbage": (
            lambda value: value is True or isinstance(value, str),
            "neither true nor a string",
        ),
        "text": (_is_texts, "neither a string nor a list of strings"),
        "result": (is_object, "no object"),
        "error": (_is_error, "neither a string nor an object with code and message"),
        "ask": (_is_question, "not an object with a message and an optional schema"),
    }
    for name, (is_good, otherwise) in checks.items():
        if name in entry and not is_good(entry[name]):
            yield f"/{name}", f"{_show(entry[name])} is {otherwise}"


def _show(value: Json) -> str:
    return brief(json.dumps(value, ensure_ascii=False, default=str))


def _is_seconds(value: Json) -> bool:
    return is_number(value) and 0 <= value < float("inf")


def _is_count(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_texts(value: Json) -> bool:
    return isinstance(value, str) or (
        is_array(value) and all(isinstance(item, str) for item in value)
    )


def _is_error(value: Json) -> bool:
    if isinstance(value, str):
        return True
    if not is_object(value) or not isinstance(value.get("message"), str):
        return False
    return isinstance(value.get("code"), int) and value.keys() <= {"code", "message", "data"}


def _is_question(value: Json) -> bool:
    return (
        is_object(value)
        and isinstance(value.get("message"), str)
        and is_object(value.get("schema", {}))
        and value.keys() <= {"message", "schema"}
    )


def _undeclared_events(
    entry: Mapping[str, Json], declared: Mapping[str, Json]
) -> Iterator[tuple[str, str]]:
    """Yield notifications that clients ignore, because the server doesn't declare them."""
    if "log" in entry and "logging" not in declared:
        yield "/log", "the contract does not declare logging"
    for changed in _texts(entry.get("changed")):
        part, flag = (changed, "listChanged") if changed in LISTED else ("resources", "subscribe")
        value = declared.get(part)
        if not (is_object(value) and value.get(flag)):
            yield "/changed", f"the contract does not declare {flag} of {part}"


def _unknown(entry: Mapping[str, Json], kind: Kind, api: Api) -> Iterator[tuple[str, str]]:
    """Yield names and values that the contract lacks or forbids."""
    name = entry[kind]
    if kind == "resource":
        if not isinstance(name, str):
            yield "/resource", f"{_show(name)} isn't a URI"
    else:
        names = [item.name for item in (api.tools if kind == "tool" else api.prompts)]
        if name not in names:
            some = ", ".join(names[:_MOST_NAMES]) + ", ..." * (len(names) > _MOST_NAMES)
            yield f"/{kind}", f"the contract has no {kind} {_show(name)}; it has {some or 'none'}"
            return
    if "answer" not in entry or kind != "tool":
        if "answer" in entry:
            yield "/answer", f"a {kind} needs text, result or error"
        return
    tool = next(item for item in api.tools if item.name == name)
    if tool.output is not None:
        for error in schemas.SchemaValidator(tool.output.raw).errors(entry["answer"], 1):
            at = "".join(f"/{step}" for step in error.absolute_path)
            yield (
                f"/answer{at}",
                f"the output schema of {name} forbids it: {brief(error.message)}",
            )
