"""Signatures of methods as a few lines of Python, for a model.

They are read from the source of the package, without importing its classes.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec

# Readers need the plain Python types, without the validation.
_PLAIN = {
    "Boolean": "bool",
    "Date": "date",
    "DateTime": "datetime",
    "Exactly": "Literal",
    "Integer": "int",
    "Number": "float",
    "Numeric": "float",
    "Uri": "str",
    "Uuid": "UUID",
}


@dataclass(frozen=True)
class _Member:
    """A field of a class, with its type and description."""

    name: str
    type: str
    comment: str = ""


@dataclass(frozen=True)
class _Named:
    """A class with its members, or a name for another type."""

    members: tuple[_Member, ...] = ()
    alias: str = ""
    comment: str = ""


def signature(method: Callable[..., object]) -> str:
    """Return the line that defines a method, as a type checker reads it."""
    method_signature = inspect.signature(method)
    parameters = [
        f"{parameter.name}: {_simple(str(parameter.annotation))}"
        f"{'' if parameter.default is parameter.empty else ' = ...'}"
        for parameter in method_signature.parameters.values()
        if parameter.name != "self"
    ]
    parameters_text = f"*, {', '.join(parameters)}" if parameters else ""
    result = _simple(str(method_signature.return_annotation))
    name = getattr(method, "__name__", "")
    return f"async def {name}({parameters_text}) -> {result}"


def types_used(package: str, module: str, line: str, *, is_full: bool) -> Iterator[str]:
    """Yield the types in a line of code, and the types that they refer to.

    Each is one line with its fields, or with ``is_full`` a class with descriptions.
    """
    waiting = _names(line)
    visited_names: set[str] = set()
    while waiting:
        name = waiting.pop(0)
        named = _find(package, module, name)
        if name in visited_names or named is None:
            continue
        visited_names.add(name)
        types = [named.alias, *(member.type for member in named.members)]
        waiting += [used for item in types for used in _names(item)]
        if named.alias:
            yield f"{name} = {named.alias}"
        elif is_full:
            yield from _class(name, named)
        else:
            fields_text = ", ".join(f"{entry.name}: {entry.type}" for entry in named.members)
            yield f"{name}({fields_text})"


def _class(name: str, named: _Named) -> Iterator[str]:
    yield f"class {name}:"
    yield from _comment(named.comment)
    for member in named.members:
        yield f"    {member.name}: {member.type}"
        yield from _comment(member.comment)


def _comment(comment: str) -> Iterator[str]:
    yield from (f"    # {line}".rstrip() for line in inspect.cleandoc(comment).splitlines())


def _find(package: str, module: str, name: str) -> _Named | None:
    """Look up a name in a module of types or in the modules that it imports."""
    named, imported = _read(package, module)
    if name in named:
        return named[name]
    if name in imported:
        return _find(package, imported[name], name)
    return None


@lru_cache(maxsize=512)
def _read(package: str, module: str) -> tuple[dict[str, _Named], dict[str, str]]:
    """Parse a module of types, and return its types and its imports."""
    named: dict[str, _Named] = {}
    imported: dict[str, str] = {}
    body = ast.parse(_source(f"{package}.models.{module}")).body
    base = ["models", *module.split(".")]
    for node, comment in _with_texts(body):
        if isinstance(node, ast.ImportFrom) and node.level:
            steps = [*base[: -node.level], *(node.module or "").split(".")]
            if steps[0] == "models":
                names = [alias.name for alias in node.names]
                imported |= dict.fromkeys(names, ".".join(steps[1:]))
        elif isinstance(node, ast.ClassDef):
            named[node.name] = _of_class(node)
        elif isinstance(node, ast.AnnAssign) and _text(node.annotation) == "TypeAlias":
            named[_text(node.target)] = _Named(alias=_annotation_text(node.value))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            named |= _type_of_call(_text(node.targets[0]), node.value, comment)
    return named, imported


def _source(module: str) -> str:
    spec = find_spec(module)
    read = getattr(spec.loader, "get_source", None) if spec else None
    return (read(module) or "") if read else ""


def _with_texts(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, str]]:
    """Yield statements, each with the text that follows it."""
    for node, after in zip(body, [*body[1:], ast.Pass()], strict=True):
        value = after.value if isinstance(after, ast.Expr) else None
        comment = value.value if isinstance(value, ast.Constant) else ""
        yield node, comment if isinstance(comment, str) else ""


def _of_class(node: ast.ClassDef) -> _Named:
    members = (
        _Member(_text(statement.target), _annotation_text(statement.annotation), comment)
        for statement, comment in _with_texts(node.body)
        if isinstance(statement, ast.AnnAssign)
    )
    return _Named(tuple(members), comment=ast.get_docstring(node) or "")


def _type_of_call(name: str, call: ast.Call, comment: str) -> dict[str, _Named]:
    """Return the type that ``TypedDict(...)`` or ``TypeAliasType(...)`` defines."""
    if len(call.args) != 2:
        return {}
    kind, value = _text(call.func), call.args[1]
    if kind == "TypedDict" and isinstance(value, ast.Dict):
        pairs = zip(value.keys, value.values, strict=True)
        members = (_Member(_text(key), _annotation_text(pair)) for key, pair in pairs if key)
        return {name: _Named(tuple(members), comment=comment)}
    return {name: _Named(alias=_annotation_text(value))} if kind == "TypeAliasType" else {}


def _names(line: str) -> list[str]:
    """Return the names that a type or a definition uses, in their order."""
    code = f"{line}: ..." if line.startswith("async def") else line
    used_names = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)]
    used_names.sort(key=lambda node: (node.lineno, node.col_offset))
    return list(dict.fromkeys(node.id for node in used_names))


def _text(node: ast.AST) -> str:
    return ast.unparse(node)


def _annotation_text(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _simple(node.value)
    return _simple(_text(node)) if node else "Any"


@lru_cache(maxsize=10_000)
def _simple(annotation: str) -> str:
    """Remove validators from a type: ``Annotated[int, ...]`` becomes ``int``."""
    tree = ast.parse(annotation, mode="eval")
    return _text(_Simple().visit(tree))


class _Simple(ast.NodeTransformer):
    """Removes the parts of a type that only a program needs."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id == "Annotated":
            parts = node.slice
            first = parts.elts[0] if isinstance(parts, ast.Tuple) else parts
            return self._visit_once(first)
        if isinstance(node.value, ast.Name) and node.value.id == "Maybe":
            return self._visit_once(_or_none(node.slice))
        if isinstance(node.value, ast.Name) and node.value.id == "Literal":
            return node
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return ast.Name(node.attr, ast.Load())

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        left, right = self._visit_once(node.left), self._visit_once(node.right)
        if isinstance(right, ast.Name) and right.id == "MISSING":
            return left
        return ast.BinOp(left, node.op, right)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(_PLAIN.get(node.id, node.id), node.ctx)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        # A forward reference in quotes.
        if isinstance(node.value, str):
            return self._visit_once(ast.parse(node.value, mode="eval").body)
        return node

    def _visit_once(self, node: ast.expr) -> ast.expr:
        visited: ast.expr = self.visit(node)
        return visited


def _or_none(node: ast.expr) -> ast.expr:
    return ast.BinOp(node, ast.BitOr(), ast.Constant(None))
