"""Descriptions: those that are missing, that say nothing, and that say what a schema should."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import partial

from mcpgen.compare.texts.invisible import invisible
from mcpgen.compare.texts.lookalikes import misleading
from mcpgen.compare.texts.strings import located_strings
from mcpgen.display import brief
from mcpgen.jsonpointer import escape, lookup
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.linting.checks.linted import (
    INPUT,
    LintedTool,
    branches,
    is_condition,
    members,
    parts,
    types,
    words,
)
from mcpgen.linting.finding import Found
from mcpgen.validation import references

SHORT, LONG, CUT = 5, 1024, 2048
_NOTHING = frozenset(
    "a an and are as by for from in is it its my of on or the that this to value values with your"
    " tool function method parameter param argument arg field property string number integer int"
    " boolean bool array object optional required todo description desc none no n all available"
    " current existing given new single specific".split()
)
_SYNONYMS = (
    frozenset("get list fetch read return retrieve show".split()),
    frozenset("create add insert make post".split()),
    frozenset("update edit modify patch change put".split()),
    frozenset("delete remove".split()),
)
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
_OPTIONAL = re.compile(r"\W*optional\b(?! if| when| unless| for)", re.IGNORECASE)
_REQUIRED = re.compile(r"\W*required\s*[.):]|[^.]*\(required\)", re.IGNORECASE)
_JSON_TEXT = re.compile(
    r"\bJSON[- ](?:formatted |encoded |serialized )?(?:string|array|object|list|dict)\w*\b"
    r"|\b(?:stringified|serialized) JSON\b",
    re.IGNORECASE,
)


def check(tools: Sequence[LintedTool]) -> Iterator[Found]:
    """Look at what is said of tools and their arguments."""
    said: dict[str, list[str]] = {}
    for tool in tools:
        said.setdefault(tool.description, []).append(tool.name)
    for tool in tools:
        yield from _of_tool(tool)
        other = next((name for name in said[tool.description] if name != tool.name), None)
        if tool.description and other is not None:
            yield tool.found("L206", "/description", repr(other))
        for name, schema in tool.arguments.items():
            yield from _of_argument(tool, name, schema)
        yield from _hidden(tool)


def _of_tool(tool: LintedTool) -> Iterator[Found]:
    text = tool.description
    if not text:
        yield tool.found("L201")
    elif says_no_more(text, tool.name):
        yield tool.found("L202", "/description", repr(brief(text, 60)))
    elif len(words(text)) < SHORT and text.isascii():
        yield tool.found("L203", "/description", repr(brief(text, 60)))
    elif len(text) > LONG:
        yield tool.found(
            "L205" if len(text) > CUT else "L204", "/description", f"{len(text):,} characters"
        )


def says_no_more(text: str, name: str) -> bool:
    """Say whether every word of a text that means something is one of a name."""
    if not text.isascii():
        return False
    known = {_stem(word) for word in words(name)}
    known |= {word for alike in _SYNONYMS if alike & known for word in alike}
    return all(word in _NOTHING or _stem(word) in known for word in words(text))


def _stem(word: str) -> str:
    """Return a word without the endings of plurals, and of verbs after he or she."""
    word = re.sub(r"(?:ies|y)$", "i", word)
    return re.sub(r"(?:(?<=ch|sh|ss)e|(?<=x)e)?s$", "", word)


def _of_argument(tool: LintedTool, name: str, schema: Json) -> Iterator[Found]:
    text = description(tool.input, schema)
    if not text and not _is_said_by_members(schema):
        is_elsewhere = _mentions(tool.description, name)
        yield tool.of_argument("L208" if is_elsewhere else "L207", name)
    elif text and says_no_more(text, name):
        yield tool.of_argument("L209", name, "/description", repr(brief(text, 60)))
    if not is_object(schema):
        return
    undescribed = [*_undescribed(schema)]
    if undescribed:
        yield tool.of_argument("L210", name, undescribed[0], _counted(undescribed))
    yield from (
        tool.found(rule, f"{INPUT}{pointer}", detail)
        for rule, pointer, detail in _in_prose(tool.input, name)
    )
    if name in tool.required and _OPTIONAL.match(text):
        yield tool.of_argument("L213", name, "/description", "it is required")
    if name not in tool.required and _REQUIRED.match(text):
        yield tool.of_argument("L213", name, "/description", "it is optional")


def _counted(pointers: Sequence[str]) -> str:
    return f"{len(pointers)} of them" if len(pointers) > 1 else ""


def description(root: Mapping[str, Json], schema: Json, *, depth: int = 3) -> str:
    """Return what is said of a schema: by itself, or by what it refers to or is one of."""
    if not is_object(schema) or not depth:
        return ""
    own = schema.get("description")
    if isinstance(own, str) and own.strip():
        return own.strip()
    inner: list[Json] = []
    if isinstance(ref := schema.get("$ref"), str) and (target := references.resolve(root, ref)):
        inner.append(target[1])
    for key in ("allOf", "anyOf", "oneOf"):
        inner += several if is_array(several := schema.get(key)) else []
    said = (description(root, each, depth=depth - 1) for each in inner)
    return next(filter(None, said), "")


def _is_said_by_members(schema: Json) -> bool:
    """Say whether each member of an object, or of an array's items, is described."""
    items = schema.get("items") if is_object(schema) else None
    named = members(schema) or members(items)
    if not named:
        return bool(description({}, items))
    return all(map(partial(description, {}), named.values()))


def _mentions(text: str, name: str) -> bool:
    """Say whether a tool's description has a line or a phrase on an argument."""
    word = re.escape(name)
    line = re.compile(rf"[-*\u2022]? ?[`\"'*]*{word}[`\"'*]* ?(?:\([^)]*\) ?)?[:=\u2013\u2014-]")
    if any(line.match(" ".join(each.split())) for each in text.splitlines()):
        return True
    return re.search(rf"[`'\"]{word}[`'\"]|\b{word}=", text) is not None


def _undescribed(schema: Json) -> Iterator[str]:
    """Yield the members within an argument that nothing describes."""
    for pointer, part in parts(schema):
        if is_condition(re.sub(r"/(?:anyOf|oneOf)/\d+", "", pointer)):
            continue
        known = members(_union_of(schema, pointer))
        for name, member in members(part).items():
            if name in known:
                continue
            is_said = not is_object(member) or "$ref" in member or description({}, member)
            if not is_said and not _is_constant(member):
                yield f"{pointer}/properties/{escape(name)}"


def _is_constant(schema: Json) -> bool:
    """Say whether a member has one value, which tells branches apart."""
    values = schema.get("enum")
    return "const" in schema or (is_array(values) and len(values) == 1)


def _in_prose(root: Mapping[str, Json], name: str) -> Iterator[tuple[str, str, str]]:
    """Yield what descriptions in an argument say, and keywords should."""
    argument = members(root)[name]
    start = f"/properties/{escape(name)}"
    for pointer, part in parts(argument):
        said = part.get("description")
        if not isinstance(said, str):
            continue
        text = " ".join(said.split())
        at = f"{start}{pointer}/description"
        is_text = _is_free_text(_union_of(argument, pointer) or part)
        if is_text and (choices := _choices(text, members(root))):
            yield "L211", at, brief(choices, 80)
        is_member = not pointer or "/properties/" in pointer
        if is_member and not _has_default(part) and (found := _DEFAULT.search(text)):
            yield "L212", at, brief(found["value"], 40)
        if is_text and (found := _JSON_TEXT.search(text)):
            yield "L214", at, repr(found[0])


def _union_of(schema: Json, pointer: str) -> dict[str, Json] | None:
    """Return the union that a part is a branch of, if it is one."""
    match = re.fullmatch(r"(.*)/(?:anyOf|oneOf)/\d+", pointer)
    found = lookup(schema, match[1]) if match else None
    return found[1] if found and is_object(found[1]) else None


def _is_free_text(schema: Mapping[str, Json]) -> bool:
    """Say whether every text is valid, and nothing but a text or null."""
    options = [each for each in branches(dict(schema)) if is_object(each)]
    kinds = {kind for each in options for kind in (types(each) or [""]) if isinstance(kind, str)}
    limits = ("enum", "const", "pattern", "format")
    is_limited = any(key in each for each in (schema, *options) for key in limits)
    return "string" in kinds and kinds <= {"string", "null"} and not is_limited


def _choices(text: str, arguments: Container[str]) -> str:
    """Return the list of all values that a description names, if it does."""
    for pattern in (_CHOICES, _ALONE):
        match = pattern.search(text)
        if match is None or (pattern is _ALONE and re.search(_QUOTED, text[: match.start()])):
            continue
        sentence = text[: match.end()].rpartition(". ")[2] + text[match.end() :].partition(". ")[0]
        values = [quoted[1:-1] for quoted in re.findall(_QUOTED, match["choices"])]
        # Those that name arguments say which of these to pass.
        if not _NOT_ALL.search(sentence) and not any(value in arguments for value in values):
            return match["choices"]
    return ""


def _has_default(schema: Mapping[str, Json]) -> bool:
    return any(is_object(each) and "default" in each for each in (schema, *branches(dict(schema))))


def _hidden(tool: LintedTool) -> Iterator[Found]:
    """Yield the first place of a definition with characters that mislead a reader."""
    for text, pointer in located_strings(dict(tool.raw)):
        codes = invisible(text)
        codes += [f"U+{ord(text[at]):04X}" for at in sorted(misleading(text))]
        if codes:
            yield tool.found("L215", pointer, ", ".join(dict.fromkeys(codes[:5])))
            return
