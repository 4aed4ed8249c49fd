"""Checks which URI templates (RFC 6570) servers on the SDK can match with a URI."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

_PART = re.compile(r"\{([+#./;?&]?)([^{}]*)\}|([^{}]+)")
_TEMPLATE = re.compile(r"(?:[^{}]|\{[^{}]+\})*")
_NAME = re.compile(r"[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*")
_MOST_CHARACTERS, _MOST_VARIABLES = 8_192, 256


def is_well_formed(template: str) -> bool:
    """Return True if each brace belongs to an expression with a variable (RFC 6570, section 2)."""
    return _TEMPLATE.fullmatch(template) is not None


def variables(template: str) -> list[str]:
    """Return the names of a template's variables."""
    parts = [_part(*groups) for groups in _PART.findall(template)]
    listed = [name for part in parts if isinstance(part, _Expression) for name in part.variables]
    return [name.partition(":")[0].removesuffix("*") for name in listed]


@dataclass(frozen=True, slots=True)
class _Expression:
    operator: str
    variables: Sequence[str]


_Part = str | _Expression


def unmatchable(template: str) -> str:
    """Return why the SDK's servers can't match URIs to a template, or "" if they can.

    An RFC 6570 template can always be expanded, but not always be matched.
    """
    parts = [_part(*groups) for groups in _PART.findall(template)]
    expressions = [part for part in parts if isinstance(part, _Expression)]
    names = [name.removesuffix("*") for item in expressions for name in item.variables]
    if len(template) > _MOST_CHARACTERS or len(names) > _MOST_VARIABLES:
        return "the template is too long"
    for expression in expressions:
        for name in expression.variables:
            if objection := _objection(expression.operator, name):
                return objection
    if len({*names}) < len(names):
        return "a variable occurs twice"
    if [item.operator for item in expressions].count("?") > 1:
        return "the template has two queries"
    return _ambiguity([*_atoms(_before_query(parts))])


def _part(operator: str, body: str, literal: str) -> _Part:
    return literal or _Expression(operator, body.split(","))


def _objection(operator: str, variable: str) -> str:
    name = variable.removesuffix("*")
    if ":" in name:
        return "a prefix of a variable can't be matched"
    if not _NAME.fullmatch(name):
        return "a variable's name has characters other than letters, digits and underscores"
    if name != variable and operator not in (".", "/", ";"):
        return "a list is ambiguous here: only commas or queries separate its values"
    return ""


def _before_query(parts: Sequence[_Part]) -> Sequence[_Part]:
    """Return the parts before a query at the end."""
    end = len(parts)
    while end and _operator(parts[end - 1]) in ("?", "&"):
        end -= 1
    path = parts[:end]
    is_query = end < len(parts) and _operator(parts[end]) == "?"
    is_clear = not any(
        "?" in part or "#" in part if isinstance(part, str) else part.operator in ("?", "#")
        for part in path
    )
    return path if is_query and is_clear else parts


def _operator(part: _Part) -> str:
    return part.operator if isinstance(part, _Expression) else "literal"


def _atoms(parts: Sequence[_Part]) -> Iterator[str]:
    """Yield the steps of a matcher: a literal, or a variable of one or many segments."""
    for part in parts:
        if isinstance(part, str):
            yield "literal"
            continue
        for at, variable in enumerate(part.variables):
            is_list = variable.endswith("*")
            if not is_list and (at or part.operator not in ("", "+")):
                yield "literal"
            yield "many" if is_list or part.operator in ("+", "#") else "one"


def _ambiguity(atoms: Sequence[str]) -> str:
    if any("literal" not in pair for pair in pairwise(atoms)):
        return "two variables are adjacent"
    return "two variables may each have several segments" if atoms.count("many") > 1 else ""
