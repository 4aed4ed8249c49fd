"""Finds constraints in descriptions that schema keywords could express."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping

from mcpgen_runtime.display import brief

from mcpgen.jsonpointer import escape, lookup
from mcpgen.jsontext import Json, is_object
from mcpgen.lint.checks.lint_context import branches, members, parts, types

_QUOTED = r"""(?:'[\w./+-]+'|"[\w./+-]+"|`[\w./+-]+`)"""
_AND = r"(?: ?\([^()]{0,80}\))? ?(?:, ?(?:or |and )?|/|\||or|and) ?"
_CHOICES = re.compile(
    r"(?:(?:^|[.:(,]\s*)either|\b(?:one of|must be|should be|can be|values?|options?|choices?"
    r"|(?:allowed|valid|possible|accepted|supported)(?: values?| options?)?))\b"
    rf"[^.;'\"`\w]{{0,9}}(?:are|is)?[^.;'\"`\w]{{0,9}}(?P<choices>{_QUOTED}(?:{_AND}{_QUOTED})+)",
    re.IGNORECASE,
)
_ALONE = re.compile(rf"[(:] ?(?P<choices>{_QUOTED}(?:{_AND}{_QUOTED})+) ?(?:\)|\.?$)")
_NOT_ALL = re.compile(
    r"\be\.\s?g\b|\beg\b|\bsuch as\b|\bexamples?\b|\betc\b|\blike\b|\bor (?:a|an|any|the)\b"
    r"|\bincluding\b|\.\.\.|…|\bcustom\b|\bcomma|\bseparated\b|\bcommon\b",
    re.IGNORECASE,
)
_DEFAULT = re.compile(
    r"(?<!['\"`])\bdefaults?(?:\s+value)?(?:\s+(?:is|to)|\s*[:=])?\s*"
    r"(?P<value>'[^'\[{<]+'|\"[^\"\[{<]+\"|`[^`\[{<]+`|-?\d+(?:\.\d+)?(?![\w.:%-]*\w)|true\b|false\b)"
    r"(?!\s*(?:\w+\s+)?(?:ago|before|from now|when|if|unless|for)\b)",
    re.IGNORECASE,
)
_JSON_TEXT = re.compile(
    r"\bJSON[- ](?:formatted |encoded |serialized )?(?:string|array|object|list|dict)\w*\b"
    r"|\b(?:stringified|serialized) JSON\b",
    re.IGNORECASE,
)


def in_prose(root: Mapping[str, Json], name: str) -> Iterator[tuple[str, str, str]]:
    """Yield constraints that an argument's descriptions contain instead of keywords."""
    argument = members(root)[name]
    start = f"/properties/{escape(name)}"
    for pointer, part in parts(argument):
        value = part.get("description")
        if not isinstance(value, str):
            continue
        text = " ".join(value.split())
        at = f"{start}{pointer}/description"
        is_text = _is_free_text(union_of(argument, pointer) or part)
        if is_text and (choices := _choices(text, members(root))):
            yield "L211", at, brief(choices, 80)
        is_member = not pointer or "/properties/" in pointer
        if is_member and not _has_default(part) and (match := _DEFAULT.search(text)):
            yield "L212", at, brief(match["value"], 40)
        if is_text and (match := _JSON_TEXT.search(text)):
            yield "L214", at, repr(match[0])


def union_of(schema: Json, pointer: str) -> dict[str, Json] | None:
    """Return the union with a subschema as a branch, or None."""
    match = re.fullmatch(r"(.*)/(?:anyOf|oneOf)/\d+", pointer)
    enclosing = lookup(schema, match[1]) if match else None
    return enclosing[1] if enclosing and is_object(enclosing[1]) else None


def _is_free_text(schema: Mapping[str, Json]) -> bool:
    """Return True if a schema allows every string, and no other value except null."""
    options = [branch for branch in branches(dict(schema)) if is_object(branch)]
    kinds = {
        kind for option in options for kind in (types(option) or [""]) if isinstance(kind, str)
    }
    limits = ("enum", "const", "pattern", "format")
    is_limited = any(key in option for option in (schema, *options) for key in limits)
    return "string" in kinds and kinds <= {"string", "null"} and not is_limited


def _choices(text: str, arguments: Container[str]) -> str:
    """Return the list of all values that a description names, if it does."""
    for pattern in (_CHOICES, _ALONE):
        match = pattern.search(text)
        if match is None or (pattern is _ALONE and re.search(_QUOTED, text[: match.start()])):
            continue
        sentence = text[: match.end()].rpartition(". ")[2] + text[match.end() :].partition(". ")[0]
        values = [quoted[1:-1] for quoted in re.findall(_QUOTED, match["choices"])]
        # Sentences that name arguments describe which of them to pass.
        if not _NOT_ALL.search(sentence) and not any(value in arguments for value in values):
            return match["choices"]
    return ""


def _has_default(schema: Mapping[str, Json]) -> bool:
    return any(
        is_object(branch) and "default" in branch for branch in (schema, *branches(dict(schema)))
    )
