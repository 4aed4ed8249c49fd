"""Suggests replacements for values of a wrong type, and how to read a result."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from mcpgen.scripting.checks.hint_context import ScriptPosition, called_surface, nearest_name
from mcpgen.scripting.surface import Surface
from mcpgen.scripting.syntax import last_name


def value_hint(
    message: str, surfaces: Mapping[str, Surface], position: ScriptPosition
) -> str | None:
    """Suggest a replacement for a value, or return None."""
    if match := re.search(r"xpected `(.*?)`, found `(.*?)`(?:$|\n)", message):
        suggestion = _replacement(match[1], match[2], message, surfaces, position)
        if suggestion is not None:
            return suggestion
    if match := re.search(r"on object of type `([^`]*)`$", message):
        if match[1].startswith(("list[", "tuple[")):
            return "it is a list: take one item, such as [0], or use a for loop"
        if match[1] == "str":
            return _text_hint(surfaces, position)
    if match := re.match(r"Condition `(.*)` is always false$", message, re.DOTALL):
        return _never_equal(match[1], surfaces)
    if "function `sum`" in message:
        return "sum adds numbers: for a dict, write sum(....values())"
    return _operator_hint(message)


def _replacement(
    expected: str,
    text: str,
    message: str,
    surfaces: Mapping[str, Surface],
    position: ScriptPosition,
) -> str | None:
    """Suggest a replacement for an argument of a wrong type, or return None."""
    if "omitted" in expected:  # the message lists the first values only
        expected = _annotation(message, surfaces, position) or expected
    literal = re.fullmatch(r"Literal\[(.*?)\]", text)
    suggestion = _instead(expected, literal[1]) if literal else _instead_of_type(expected, text)
    if suggestion is None and (members := members_of(surfaces, expected)):
        suggestion = f"pass a dict with the properties: {', '.join(members)}"
    if suggestion is None and text == "str" and _loop_variable(position) is not None:
        suggestion = _text_hint(surfaces, position)
    is_single = re.match(r"str$|dict\[|Literal\[[\"']", text)
    if suggestion is None and is_single and expected.startswith("Sequence["):
        suggestion = "pass a list, even of one item: [...]"
    return suggestion


def attribute_hint(kinds: str, name: str, surfaces: Mapping[str, Surface]) -> str:
    """Suggest how to read a property of an object, or a part of a date."""
    members = [text for kind in kinds.split(" | ") for text in members_of(surfaces, kind)]
    if name in members:
        return f'properties are read by name: ["{name}"]'
    if kinds == "str" and name in ("year", "month", "day", "date", "isoformat", "strftime"):
        return "it is a string: cut it, such as int(text[:4]), or datetime.fromisoformat(text)"
    if kinds in ("int", "float") and hasattr("", name):
        return f"it is a number: write str(...).{name}"
    return nearest_name(name, dict.fromkeys(members), "members")


def members_of(surfaces: Mapping[str, Surface], name: str) -> Sequence[str]:
    """Return the properties of an object type, or the parameters of a function."""
    candidates = (surface.names.get(name) for surface in surfaces.values())
    return next((names for names in candidates if names is not None), ())


def _operator_hint(message: str) -> str | None:
    """Suggest how to join a string and a number. Returns None for other operands."""
    match = re.match(r"Operator `\+` is not supported between .*`(.*)` and `(.*)`$", message)
    if match is None:
        return None
    kinds = {_base_type(group) for group in match.groups()}
    if "str" in kinds and kinds & {"int", "float"}:
        return "write str(...) around the number, or use an f-string"
    return None


def _base_type(kind: str) -> str:
    if literal := re.fullmatch(r"Literal\[(.*)\]", kind):
        return "str" if literal[1][:1] in ("'", '"') else "int"
    return kind


def _instead_of_type(expected: str, text: str) -> str | None:
    """Suggest a replacement for a value with a known type only, or return None."""
    if text == "None" and not _has_none(expected):
        literals = re.search(r"Literal\[(.*)\]", expected)
        allowed = f"one of: {', '.join(_literals(literals[1]))}" if literals else f"a {expected}"
        return f"None is not allowed: give {allowed}. An optional argument can be left out"
    if expected == "Sized" and text in ("int", "float", "bool"):
        return "it is a single value, so it has no length"
    if expected == "Sequence[str]" and text in ("list[int]", "list[float]"):
        return "give strings: [str(each) for each in ...]"
    if expected == "str" and text.startswith("list["):
        return 'give one string, such as ", ".join(...)'
    return None


def _never_equal(condition: str, surfaces: Mapping[str, Surface]) -> str | None:
    """Return the possible values of a compared property, or None if unknown."""
    match = re.match(r"""(?s).*\[["'](\w+)["']\] (?:==|in) """, condition)
    if match is None:
        return None
    values = [
        value
        for surface in surfaces.values()
        for node in ast.walk(ast.parse(surface.stub))
        if isinstance(node, ast.AnnAssign)
        and ast.unparse(node.target) == match[1]
        and (literal := re.search(r"Literal\[(.*?)\]", ast.unparse(node.annotation)))
        for value in _literals(literal[1])
    ]
    return f"it can be: {', '.join(dict.fromkeys(values))}" if values else None


def _annotation(message: str, surfaces: Mapping[str, Surface], position: ScriptPosition) -> str:
    """Return the type of the parameter for the argument at a position, or ""."""
    match = re.search(r"rgument to function `([^`]*)`", message)
    surface = called_surface(match[1], surfaces, position) if match else None
    names = [
        keyword.arg
        for node in ast.walk(position.tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.lineno == position.line and keyword.col_offset <= position.column - 1
    ]
    body = ast.parse(surface.stub).body if surface else []
    aliases = {
        ast.unparse(node.target): node.value
        for node in body
        if isinstance(node, ast.AnnAssign) and node.value is not None
    }
    for node in body:
        if isinstance(node, ast.AsyncFunctionDef) and match and node.name == match[1]:
            by_parameter = {
                kwonlyarg.arg: kwonlyarg.annotation for kwonlyarg in node.args.kwonlyargs
            }
            parameter_types = [by_parameter.get(name or "") for name in names]
            kinds = [ast.unparse(item) for item in reversed(parameter_types) if item]
            return " | ".join(
                ast.unparse(aliases[part]) if part in aliases else part
                for part in (kinds[0].split(" | ") if kinds else ())
            )
    return ""


def _instead(name: str, text: str) -> str | None:
    """Suggest the allowed value that is nearest to a literal, or how to write it."""
    kinds = re.sub(r"Literal\[.*\]", "", name).split(" | ")
    if literals := re.search(r"Literal\[(.*)\]", name):
        values = _literals(literals[1])
        return nearest_name(text.strip("\"'"), [value.strip("\"'") for value in values], "allowed")
    if {"int", "float"} & {*kinds} and re.fullmatch(r"[\"']-?\d+(?:\.\d+)?[\"']", text):
        number = text.strip("\"'")
        if "." not in number or "float" in kinds:
            return f"give the number: {number}"
    if "str" in kinds and re.fullmatch(r"-?\d+", text):
        return f'give the text: "{text}"'
    if "bool" in kinds and text.strip("\"'").lower() in ("true", "false"):
        return f"give {text.strip(chr(34) + chr(39)).capitalize()}, without quotes"
    return None


def _text_hint(surfaces: Mapping[str, Surface], location: ScriptPosition) -> str:
    """Suggest a correction for a string that is used like an object."""
    loop = _loop_variable(location)
    if loop is None:
        return "this is a string: if it contains JSON, parse it with json.loads"
    text = ast.unparse(loop)
    if isinstance(loop, ast.Subscript):
        return f"iterating over a dict gives its keys: for key, value in {text}.items()"
    lists = _list_members(loop, surfaces, location)
    if lists:
        return f'iterating over a dict gives its keys: for ... in {text}["{lists[0]}"]'
    return f"iterating over a dict gives its keys: take one of the lists in {text}"


def _loop_variable(location: ScriptPosition) -> ast.expr | None:
    """Return the iterable of a loop whose variable is at a position."""
    names = [
        value.id
        for node in ast.walk(location.tree)
        if isinstance(value := node.value if isinstance(node, ast.keyword) else node, ast.Name)
        and isinstance(node, ast.Name | ast.keyword)
        and node.lineno == location.line
        and node.col_offset <= location.column - 1 <= (node.end_col_offset or 0) + 1
    ]
    for node in ast.walk(location.tree):
        if isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Name):
            is_object = isinstance(node.iter, ast.Name | ast.Await | ast.Subscript)
            if is_object and node.target.id in names:
                return node.iter
    return None


def _list_members(
    loop: ast.expr, surfaces: Mapping[str, Surface], location: ScriptPosition
) -> list[str]:
    """Return the lists in the result of the function that a loop iterates over."""
    value: ast.expr | None = loop
    if isinstance(loop, ast.Name):
        assigned = [
            node.value
            for node in ast.walk(location.tree)
            if isinstance(node, ast.Assign)
            and any(
                isinstance(target, ast.Name) and target.id == loop.id for target in node.targets
            )
        ]
        value = assigned[0] if len(assigned) == 1 else None
    value = value.value if isinstance(value, ast.Await) else None
    if not isinstance(value, ast.Call):
        return []
    inside = ScriptPosition(location.tree, value.lineno, value.col_offset + 1)
    surface = called_surface(last_name(value), surfaces, inside)
    return surface.lists(last_name(value)) if surface else []


def _literals(text: str) -> list[str]:
    try:
        values = ast.parse(f"[{text}]", mode="eval").body
    except SyntaxError:
        return []
    assert isinstance(values, ast.List)
    return [ast.unparse(value) for value in values.elts]


def may_be_none(message: str) -> bool:
    """Return True if the value may be None but is used as if it were not."""
    if match := re.search(r"xpected `(.*?)`, found `(.*?)`", message):
        return _has_none(match[2]) and not _has_none(match[1])
    types = re.findall(r"(?:of type|types?|union|on|and) `([^`]*)`", message)
    return any(map(_has_none, types))


def _has_none(kind: str) -> bool:
    return "None" in kind.split(" | ")
